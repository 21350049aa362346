// SPDX-License-Identifier: MIT
// The model file: what is written is read bit for bit, and nothing else is read at all.
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <unistd.h>

#include <concord/kit/rng.hpp>

#include "base/files.hpp"
#include "config/config.hpp"
#include "model/model.hpp"
#include "tests/unit/places.hpp"

namespace concord::model_file_test {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

const std::filesystem::path golden_file = std::filesystem::path(places::tests()) / "golden/model-v1.concord";

/// The model of the golden file: every part of the format is in use. Never change it; add another for version 2.
Model golden_model() {
  Model model;
  model.settings.run.seed = 18446744073709551615u;
  model.settings.data.train = "yeast-train.arff";
  model.settings.preprocess = {.scale = Scale::standardise, .bias = 0.5};
  model.settings.predict.min_labels = 0;
  model.settings.train.decoder.name = "spectral";
  model.settings.train.decoder.settings = {{"prune", "false", "the golden file"}};
  model.settings.train.prior = PriorSign::repulsive;
  model.settings.train.lambda_w = 0.1;
  model.settings.predict.threshold = ThresholdKind::per_label;
  model.settings.predict.min_labels = 1;
  model.preprocess.settings = model.settings.preprocess;
  model.preprocess.inputs = 2;
  model.preprocess.centre = Eigen::Vector2d(0.25, -1e-300);
  model.preprocess.factor = Eigen::Vector2d(2, 1.0 / 3);
  model.feature_names = {"Att 1", "größe"};
  model.label_names = {"sea", "\"quoted\"", "mountain"};
  model.W.resize(3, 3);
  model.W << 0.1, -0.2, 3, 4e300, -0.0, 5e-324, 1, 2, 3;
  model.A = Eigen::MatrixXd::Zero(3, 3);
  model.A(0, 1) = model.A(1, 0) = -0.75;
  model.A(1, 2) = model.A(2, 1) = 0.1;
  model.A(2, 2) = 1.5;
  model.thresholds = Eigen::Vector3d(-0.5, 0, 0.125);
  model.record = {{"objective", 0.1}, {"cells", {{{"train.lambda_w", "0.1"}}}}, {"gap", nullptr}};
  return model;
}

template <class Matrix>
bool same_bits(const Matrix& a, const Matrix& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  return std::equal(a.data(), a.data() + a.size(), b.data(), [](double x, double y) {
    return std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y);
  });
}

void check_equal(const Model& a, const Model& b) {
  CHECK(settings_json(a.settings) == settings_json(b.settings));
  CHECK(a.preprocess.settings == b.preprocess.settings);
  CHECK(same_bits(a.preprocess.waves.frequencies, b.preprocess.waves.frequencies));
  CHECK(same_bits(a.preprocess.waves.phases, b.preprocess.waves.phases));
  CHECK(a.preprocess.inputs == b.preprocess.inputs);
  CHECK(a.feature_names == b.feature_names);
  CHECK(a.label_names == b.label_names);
  CHECK(same_bits(a.W, b.W));
  CHECK(same_bits(a.A, b.A));
  CHECK(same_bits(a.thresholds, b.thresholds));
  CHECK(same_bits(a.preprocess.centre, b.preprocess.centre));
  CHECK(same_bits(a.preprocess.factor, b.preprocess.factor));
  CHECK(a.record == b.record);
}

/// Any finite double, all exponents alike.
double any_double(kit::Rng& rng) {
  while (true)
    if (const auto x = std::bit_cast<double>(rng.next()); std::isfinite(x)) return x;
}

Model random_model(kit::Rng& rng) {
  Model model;
  const auto V = static_cast<int64_t>(1 + rng.below(5)), inputs = static_cast<int64_t>(rng.below(5));
  model.settings.run.seed = rng.next();
  model.settings.preprocess.scale = std::array{Scale::none, Scale::l2, Scale::idf}[rng.below(3)];
  model.settings.preprocess.bias = rng.below(2) == 0 ? 0 : rng.uniform();
  if (rng.below(2) == 0) model.settings.preprocess.fourier = 1 + static_cast<int64_t>(rng.below(4));
  model.preprocess.settings = model.settings.preprocess;
  model.preprocess.inputs = inputs;
  const auto fill = [&](auto& matrix) {
    for (int64_t i = 0; i < matrix.size(); ++i) matrix.data()[i] = any_double(rng);
  };
  model.W.resize(model.preprocess.outputs(), V);
  fill(model.W);
  model.A.resize(V, V);
  for (int64_t i = 0; i < V; ++i)
    for (int64_t j = 0; j <= i; ++j) model.A(i, j) = model.A(j, i) = any_double(rng);
  if (model.settings.preprocess.fourier) {
    model.preprocess.waves.frequencies.resize(inputs, *model.settings.preprocess.fourier);
    model.preprocess.waves.phases.resize(*model.settings.preprocess.fourier);
    fill(model.preprocess.waves.frequencies);
    fill(model.preprocess.waves.phases);
  }
  model.thresholds.resize(rng.below(2) == 0 ? 0 : rng.below(2) == 0 ? 1 : V);
  if (rng.below(4) == 0) {
    model.settings.predict.threshold = ThresholdKind::expected_f1;
    model.thresholds.resize(2);
  }
  model.preprocess.centre.resize(rng.below(2) == 0 ? 0 : inputs);
  model.preprocess.factor.resize(rng.below(2) == 0 ? 0 : inputs);
  fill(model.thresholds);
  fill(model.preprocess.centre);
  fill(model.preprocess.factor);
  for (int64_t v = 0; v < V; ++v) model.label_names.push_back(std::string(rng.below(9), 'v'));
  if (rng.below(2) == 0)
    for (int64_t j = 0; j < inputs; ++j) model.feature_names.push_back("f" + std::to_string(j));
  model.record = {{"value", any_double(rng)}, {"count", rng.next()}};
  return model;
}

std::string refusal(std::string_view bytes) {
  try {
    parse_model(bytes, "m.concord");
  } catch (const Error& error) {
    CHECK(error.kind() == Fault::input);
    return error.what();
  }
  return "accepted";
}

/// The golden model's file with its header changed, and the checksum right again.
template <class Change>
std::string with_header(Change&& change) {
  const std::string bytes = model_bytes(golden_model());
  uint64_t length = 0;
  for (size_t i = 0; i < 8; ++i) length |= uint64_t{static_cast<unsigned char>(bytes[16 + i])} << (8 * i);
  nlohmann::ordered_json header = nlohmann::ordered_json::parse(bytes.substr(24, length));
  const std::string blocks = bytes.substr(24 + length + (8 - length % 8) % 8, header["bytes"].get<size_t>());
  const std::string text = change(header);
  std::string made = bytes.substr(0, 16);
  for (size_t i = 0; i < 8; ++i) made += static_cast<char>((text.size() >> (8 * i)) & 0xff);
  made += text;
  made.append((8 - text.size() % 8) % 8, '\0');
  made += blocks;
  for (const unsigned char byte : sha256(made)) made += static_cast<char>(byte);
  return made;
}

}  // namespace

TEST_CASE("SHA-256 is the one of the standard", "[model-file]") {
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("Models survive their file bit for bit", "[model-file]") {
  kit::Rng rng(1);
  for (int round = 0; round < 500; ++round) {
    const Model model = random_model(rng);
    const std::string bytes = model_bytes(model);
    const Model read = parse_model(bytes, "m.concord");
    check_equal(model, read);
    CHECK(model_bytes(read) == bytes);
  }
}

TEST_CASE("A model is saved and loaded", "[model-file]") {
  const auto file = std::filesystem::temp_directory_path() /
                    ("concord-model-test-" + std::to_string(::getpid()) + ".concord");
  save_model(golden_model(), file);
  check_equal(golden_model(), load_model(file));
  std::filesystem::remove(file);
  CHECK_THROWS_WITH(load_model(file), Contains(file.string()));
}

TEST_CASE("The golden file of version 1 is read, and written the same", "[model-file]") {
  const std::string golden = read_whole_file(golden_file);
  check_equal(load_model(golden_file), golden_model());
  CHECK((model_bytes(golden_model()) == golden));
  CHECK(parse_model(golden, "m").W(1, 2) == 5e-324);  // and not only compared with itself
  CHECK(parse_model(golden, "m").A(1, 0) == -0.75);
}

TEST_CASE("Every truncation and every flipped byte is refused", "[model-file]") {
  const std::string bytes = model_bytes(golden_model());
  for (size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    CHECK_THAT(refusal(std::string_view(bytes).substr(0, size)),
               StartsWith("m.concord: a model that is cut off"));
  }
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      CAPTURE(at, flip);
      std::string flipped = bytes;
      flipped[at] = static_cast<char>(flipped[at] ^ flip);
      CHECK_THAT(refusal(flipped), StartsWith("m.concord: ") && !Contains("accepted"));
    }
  }
  CHECK_THAT(refusal(bytes + '\0'), Contains("SHA-256"));
  CHECK_THAT(refusal(bytes + bytes), Contains("SHA-256"));
}

TEST_CASE("Each unusable model file has its own refusal", "[model-file]") {
  std::string bytes = model_bytes(golden_model());
  CHECK_THAT(refusal("@relation yeast\n"), Contains("not a Concord model") && Contains("'@relatio'"));
  bytes[bytes.size() / 2] ^= 1;
  CHECK_THAT(refusal(bytes), Contains("altered") && Contains("SHA-256"));
  bytes[8] = 7;
  CHECK_THAT(refusal(bytes), Contains("version 7") && Contains("version 1") && Contains("newer"));

  using Json = nlohmann::ordered_json;
  CHECK(refusal(with_header([](Json& h) { return h.dump(); })) == "accepted");
  CHECK(refusal(with_header([](Json& h) { return h.dump(2); })) == "accepted");
  CHECK_THAT(refusal(with_header([](Json& h) { return h.dump() + "}"; })), Contains("not JSON"));
  CHECK_THAT(refusal(with_header([](Json&) { return std::string(); })), Contains("not JSON"));
  CHECK_THAT(refusal(with_header([](Json&) { return std::string(100'000, '['); })), Contains("brackets"));
  CHECK_THAT(refusal(with_header([](Json&) { return std::string("[1e999]"); })), Contains("out of range"));
  CHECK_THAT(refusal(with_header([](Json&) { return std::string("[]"); })), Contains("no version"));
  for (const std::string key :
       {"version", "config", "label_names", "feature_names", "preprocess", "blocks", "bytes", "record"}) {
    CAPTURE(key);
    CHECK_THAT(refusal(with_header([&](Json& h) {
                 h.erase(key);
                 return h.dump();
               })),
               Contains("has no " + key));
    if (key == "record") continue;
    CHECK_THAT(refusal(with_header([&](Json& h) {
                 h[key] = nullptr;
                 return h.dump();
               })),
               StartsWith("m.concord: ") && !Contains("json.exception"));
  }
  // keys of the config: each is needed, and no other is known
  const Json config = settings_json(golden_model().settings);
  for (const auto& [section, keys] : config.items()) {
    for (const auto& [key, value] : keys.items()) {
      if (section == "data" || key == "prior" || key == "min_labels") continue;  // those may be absent
      CHECK_THAT(refusal(with_header([&, section = section, key = key](Json& h) {
                   h["config"][section].erase(key);
                   return h.dump();
                 })),
                 Contains("config." + section + "." + key + " is missing"));
    }
  }
  const auto with = [](const char* pointer, const Json& value) {
    return refusal(with_header([&](Json& h) {
      h[Json::json_pointer(pointer)] = value;
      return h.dump();
    }));
  };
  CHECK_THAT(with("/config/train/lambda_w", 0), Contains("config.train.lambda_w: found 0"));
  CHECK_THAT(with("/config/train/lamda", 0), Contains("unknown key 'train.lamda'"));
  CHECK_THAT(with("/config/train/prior", "atractive"), Contains("did you mean attractive?"));
  // sizes that do not fit, or would be too large to count or to allocate
  const Json huge = 1'152'921'504'606'846'977u;  // 8 times it is 8 modulo 2^64
  CHECK_THAT(with("/blocks/W/shape", {huge, 1}), Contains("larger than the file"));
  CHECK_THAT(with("/blocks/W/shape", {1u << 31u, 1u << 31u}), Contains("larger than the file"));
  CHECK_THAT(with("/blocks/W/shape", {0, huge}), Contains("larger than the file"));
  CHECK_THAT(with("/blocks/W/shape", {-3, -3}), Contains("not a size"));
  CHECK_THAT(with("/blocks/W/shape", {18446744073709551615u, 1}), Contains("not a size"));
  CHECK_THAT(with("/blocks/W/shape", {9}), Contains("list of 2"));
  CHECK_THAT(with("/blocks/W/shape", {1, 9}), Contains("W is 1 x 9"));
  CHECK_THAT(with("/blocks/W/offset", 8), Contains("begins at 8, not at 0"));
  CHECK_THAT(with("/blocks/A/offset", 0), Contains("begins at 0, not at 72"));
  CHECK_THAT(with("/blocks/factor/shape", {1}), Contains("8 bytes follow"));
  CHECK_THAT(with("/bytes", 8), Contains("announces 8 bytes"));
  CHECK_THAT(with("/preprocess/inputs", 9223372036854775807), Contains("does not fit"));
  CHECK_THAT(with("/label_names", {"a", "b"}), Contains("does not fit"));
  CHECK_THAT(with("/label_names", {"a", "b", 3}), Contains("not a string"));
  CHECK_THAT(with("/feature_names", {"a"}), Contains("1 names for 2 features"));
}

TEST_CASE("Models that are none are not saved", "[model-file]") {
  const auto refused = [](auto&& change) {
    Model model = golden_model();
    change(model);
    try {
      model_bytes(model);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("saved");
  };
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  CHECK_THAT(refused([&](Model& m) { m.W(0, 0) = nan; }), Contains("W holds a number that is not finite"));
  CHECK_THAT(refused([&](Model& m) { m.A(0, 0) = inf; }), Contains("A holds a number that is not finite"));
  CHECK_THAT(refused([&](Model& m) { m.thresholds(2) = -inf; }), Contains("thresholds"));
  CHECK_THAT(refused([&](Model& m) { m.preprocess.factor(0) = nan; }), Contains("preprocessing"));
  CHECK_THAT(refused([&](Model& m) { m.preprocess.settings.bias = 0; }), Contains("preprocessing"));
  CHECK_THAT(refused([&](Model& m) { m.preprocess.waves.phases.resize(2); }), Contains("Fourier"));
  CHECK_THAT(refused([&](Model& m) {
               m.settings.preprocess.fourier = m.preprocess.settings.fourier = 4;
               m.preprocess.waves.frequencies.setZero(1, 4);
               m.preprocess.waves.phases.setZero(4);
             }),
             Contains("Fourier"));
  CHECK_THAT(refused([&](Model& m) { m.settings.predict.threshold = ThresholdKind::expected_f1; }),
             Contains("calibration"));
  CHECK_THAT(refused([&](Model& m) { m.A(0, 1) = 0; }), Contains("not symmetric"));
  CHECK_THAT(refused([&](Model& m) { m.A.resize(0, 0); }), Contains("A is 0 x 0"));
  CHECK_THAT(refused([&](Model& m) { m.label_names[1] = "caf\xe9"; }), Contains("'caf\\xe9' is not UTF-8"));
  CHECK_THAT(refused([&](Model& m) { m.record = "\xff"; }), Contains("not UTF-8"));
}

TEST_CASE("The lines of NumPy in the documentation read the golden file", "[model-file]") {
  const std::string python = "/usr/bin/python3";  // Debian's: another one may lack its numpy
  if (std::system((python + " -c 'import numpy' 2>/dev/null").c_str()) != 0) {
    WARN("skipped: " << python << " has no numpy (package python3-numpy)");
    return;
  }
  const auto root = std::filesystem::path(places::tests()).parent_path();
  const auto output =
      std::filesystem::temp_directory_path() / ("concord-numpy-test-" + std::to_string(::getpid()));
  const auto run = [&](const std::filesystem::path& file) {
    const std::string command =
        fmt::format("{} '{}' '{}' > '{}' 2>&1", python, (root / "examples/read_model.py").string(),
                    file.string(), output.string());
    const int status = std::system(command.c_str());
    return std::pair(status == 0, read_whole_file(output));
  };
  const auto [read, text] = run(golden_file);
  CHECK(read);
  CHECK(text ==
        "version 1, labels ['sea', '\"quoted\"', 'mountain']\n"
        "W\n[[0.1, -0.2, 3.0], [4e+300, -0.0, 5e-324], [1.0, 2.0, 3.0]]\n"
        "A\n[[0.0, -0.75, 0.0], [-0.75, 0.0, 0.1], [0.0, 0.1, 1.5]]\n"
        "thresholds\n[-0.5, 0.0, 0.125]\n"
        "centre\n[0.25, -1e-300]\n"
        "factor\n[2.0, 0.3333333333333333]\n");

  std::string flipped = read_whole_file(golden_file);
  flipped[flipped.size() - 100] ^= 1;
  const auto damaged = output.string() + ".concord";
  write_file_atomically(damaged, flipped);
  CHECK_FALSE(run(damaged).first);
  std::filesystem::remove(damaged);
  std::filesystem::remove(output);
}

}  // namespace concord::model_file_test
