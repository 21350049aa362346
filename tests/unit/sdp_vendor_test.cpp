// SPDX-License-Identifier: MIT
// What a vendor's decoder and its worker tell each other: options, warm blocks, sparse priors.
#include <catch2/catch.hpp>

#include <concord/kit/sdp_worker.hpp>
#include <concord/kit/sdp_worker_process.hpp>

#include "solve/verify.hpp"
#include "support.hpp"
#include "tests/unit/places.hpp"

namespace concord::sdp_vendor_test {

using namespace concord::test;
using Catch::Contains;

namespace {

class Vendor {
  Registry registry_;  // outlives the decoder

 public:
  explicit Vendor(const std::vector<Setting>& settings = {})
      : registry_({std::filesystem::path(places::fakes()).parent_path() / "vendor/plugins"}, {}) {
    control_.log = [this](const std::string&, int, const std::string& text) { lines.push_back(text); };
    ErrorList errors;
    const OptionValues values(plugin().id(), plugin().options(), settings, errors);
    for (const Error& error : errors.all()) FAIL(error.what());
    decoder = std::make_unique<Decoder>(plugin(), values, control_);
  }
  const Plugin& plugin() { return registry_.find(CONCORD_DECODER, "sdp-vendor"); }

  std::vector<std::string> lines;
  std::unique_ptr<Decoder> decoder;

 private:
  RunControl control_;
};

/// A ring with chords: 2V couplings.
PriorMatrix ring(int64_t V, kit::Rng& rng) {
  std::vector<Eigen::Triplet<double, int64_t>> entries;
  for (int64_t v = 0; v < V; ++v)
    for (const int64_t step : {int64_t{1}, int64_t{7}}) {
      const double a = rng.normal();
      entries.emplace_back(v, (v + step) % V, a);
      entries.emplace_back((v + step) % V, v, a);
    }
  kit::SparseRows A(V, V);
  A.setFromTriplets(entries.begin(), entries.end());
  return PriorMatrix(A);
}

Eigen::VectorXd normal(int64_t V, kit::Rng& rng) {
  return Eigen::VectorXd::NullaryExpr(V, [&] { return rng.normal(); });
}

}  // namespace

TEST_CASE("a worker gets the options of its plugin, of every type") {
  kit::Rng rng(31);
  Vendor vendor({{"sweeps", "500", "test"},
                 {"polish", "false", "test"},
                 {"mode", "safe", "test"},
                 {"note", "two words", "test"},
                 {"weights", "[1, 2, 3]", "test"}});
  const CanonicalProblem problem = random_problem(rng, 6, PriorSign::any, false);
  vendor.decoder->prepare(problem.A);
  const RelaxedSolution s = vendor.decoder->solve({problem.c});
  INFO(s.message);
  REQUIRE(s.has_point());
  REQUIRE(vendor.lines.size() == 1);
  CHECK_THAT(vendor.lines[0], Contains("sweeps 500, polish 0, safe, note 'two words', 3 weights"));
}

TEST_CASE("the default and the range of tol are the vendor's") {
  Vendor vendor;
  const auto& options = vendor.plugin().options();
  REQUIRE(options[0].name == "tol");
  CHECK(options[0].default_text == "0.0001");
  CHECK(options[0].minimum == 1e-5);
  CHECK(options[0].maximum == 1e-2);
  ErrorList errors;
  const OptionValues refused("decoder/sdp-vendor", options, {{"tol", "1e-6", "test"}}, errors);
  CHECK(errors.all().size() == 1);
  CHECK(vendor.plugin().solver({}) == "vendor's solver 1.2.3");
}

TEST_CASE("a backend as it was written for Concord 0.1 has its own time_limit, once") {
  Registry registry({std::filesystem::path(places::fakes()).parent_path() / "vendor/plugins"}, {});
  const Plugin& plugin = registry.find(CONCORD_DECODER, "sdp-first");
  std::vector<std::string> names;
  for (const OptionDeclaration& option : plugin.options()) names.push_back(option.name);
  CHECK(names == std::vector<std::string>{"tol", "cardinality", "time_limit", "depth"});
  CHECK(plugin.options()[2].default_text == "60");
  CHECK(plugin.solver({}).empty());
}

TEST_CASE("each instance has a warm block, which its worker reads and writes") {
  kit::Rng rng(32);
  Vendor vendor;
  const CanonicalProblem problem = random_problem(rng, 12, PriorSign::any, false);
  vendor.decoder->prepare(problem.A);
  WarmBlock first = vendor.decoder->warm_block(), second = vendor.decoder->warm_block();
  std::vector<double> values;
  for (WarmBlock* block : {&first, &second, &first, &first}) {
    const RelaxedSolution s = vendor.decoder->solve({problem.c, {}, 0, block});
    INFO(s.message);
    REQUIRE(s.has_point());
    CHECK(s.bound >= naive_optimum(problem));
    values.push_back(s.value);
  }
  REQUIRE(vendor.lines.size() == 4);
  CHECK_THAT(vendor.lines[0], Contains("dense, solved 0 times before"));
  CHECK_THAT(vendor.lines[1], Contains("dense, solved 0 times before"));
  CHECK_THAT(vendor.lines[2], Contains("dense, solved 1 times before"));
  CHECK_THAT(vendor.lines[3], Contains("dense, solved 2 times before"));
  CHECK(values[1] == values[0]);
  CHECK(values[3] == Approx(values[0]).epsilon(1e-3));
}

TEST_CASE("a decoder of the first wire gets a sentence from a worker of this one") {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  kit::detail::Spawn spawn;
  spawn.redirect(ends[1], STDIN_FILENO);
  const auto libexec = std::filesystem::path(places::fakes()).parent_path() / "vendor/libexec";
  const pid_t pid = spawn.run((libexec / "vendor-worker").string());
  ::close(ends[1]);
  kit::wire::Header header{kit::wire::kFirstMagic, 8};
  REQUIRE(::send(ends[0], &header, sizeof header, MSG_NOSIGNAL) == sizeof header);
  REQUIRE(kit::detail::read_fully(ends[0], reinterpret_cast<char*>(&header), sizeof header));
  CHECK(header.magic == kit::wire::kFirstMagic);
  kit::wire::Bytes bytes(header.bytes);
  REQUIRE(kit::detail::read_fully(ends[0], bytes.data(), bytes.size()));
  kit::wire::Reader reader(bytes);  // in the first version 0, for a failure, and its text
  CHECK(reader.get<int32_t>() == 0);
  CHECK(reader.text() ==
        "the plugin speaks version 1 of the wire, and its worker version 2: install both from one build");
  ::close(ends[0]);
  ::waitpid(pid, nullptr, 0);
}

TEST_CASE("a sparse prior reaches the worker as it is; bounds are above the optimum, also of y alone") {
  kit::Rng rng(33);
  for (const char* sweeps : {"2000", "0", "1"}) {
    Vendor vendor({{"sweeps", sweeps, "test"}});
    for (int repeat = 0; repeat < 60; ++repeat) {
      const auto V = static_cast<int64_t>(1 + rng.below(12));
      CanonicalProblem problem;
      problem.A = V > 8 ? ring(V, rng) : PriorMatrix(kit::SparseRows(V, V));
      problem.c = normal(V, rng);
      if (repeat % 4 == 0) problem.k = static_cast<int64_t>(rng.below(static_cast<uint64_t>(V) + 1));
      vendor.decoder->prepare(problem.A);
      WarmBlock block = vendor.decoder->warm_block();
      const RelaxedSolution s = vendor.decoder->solve({problem.c, problem.k, 0, &block});
      INFO("V " << V << ": " << s.message);
      REQUIRE(s.has_point());
      verify_solution(vendor.plugin(), s, problem.A, problem.c, problem.k);
      REQUIRE(s.bound >= naive_optimum(problem) - value_tolerance(problem.c, problem.A));
      if (!problem.k && V > 2) REQUIRE_THAT(vendor.lines.back(), Contains("sparse"));
    }
  }
}

TEST_CASE("a sparse prior of many labels is never made dense, and what cannot be sparse is refused") {
  kit::Rng rng(34);
  constexpr int64_t V = 12'000;
  Vendor vendor({{"sweeps", "60", "test"}});
  const PriorMatrix A = ring(V, rng);
  const Eigen::VectorXd c = normal(V, rng);
  vendor.decoder->prepare(A);
  WarmBlock block = vendor.decoder->warm_block();
  const RelaxedSolution s = vendor.decoder->solve({c, {}, 0, &block});
  INFO(s.message);
  REQUIRE(s.has_point());
  CHECK(s.bound - s.value <= 0.05 * s.value);
  verify_solution(vendor.plugin(), s, A, c, {});
  const RelaxedSolution refused = vendor.decoder->solve({c, 5, 0, &block});
  CHECK(refused.status == CONCORD_UNSUPPORTED);
  CHECK_THAT(refused.message, Contains("at most 10000 labels, as A becomes dense"));
}

}  // namespace concord::sdp_vendor_test
