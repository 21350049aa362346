// SPDX-License-Identifier: MIT
// concord compare, stopped and killed, and run again.
#include <fcntl.h>
#include <random>
#include <sys/file.h>
#include <unistd.h>

#include "comparing.hpp"

namespace cli::compare_resume_test {
using namespace comparing;

TEST_CASE("Ctrl-C keeps what is finished, and two runs do not share a folder") {
  const std::string file =
      config("slow.toml", "[method.quick]\ntrain.method = \"ovr\"\n[method.hang]\ntrain.decoder = \"" +
                              fake("hangs") + "\"\n");
  RunOptions options;
  options.interrupt_after = 2;
  const Ran ran = concord({"compare", file, "--out", folder("slow"), "--jobs", "2"}, options);
  INFO(ran.err);
  CHECK(ran.exit_code == 130);
  CHECK_THAT(ran.err, Contains("the same command continues"));
  CHECK(fs::exists(folder("slow") + "/cells/planted/quick/result.json"));
  CHECK_FALSE(fs::exists(folder("slow") + "/cells/planted/hang/result.json"));

  const int lock = ::open((folder("slow") + "/lock").c_str(), O_RDWR);
  REQUIRE(lock >= 0);
  REQUIRE(::flock(lock, LOCK_EX | LOCK_NB) == 0);
  const Ran second = concord({"compare", file, "--out", folder("slow")});
  ::close(lock);
  CHECK(second.exit_code == 2);
  CHECK_THAT(second.err, Contains("another comparison is running there"));
}

TEST_CASE("kill -9 of a comparison at random moments, then the same command: the same table", "[.full]") {
  const std::string file =
      config("killed.toml",
             std::string(kMethods) + "[method.longer]\nlike = \"spectral\"\ntrain.epochs = 40\n" + kSolvers);
  REQUIRE(concord({"compare", file, "--out", folder("undisturbed")}).exit_code == 0);
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    const std::string out = folder("killed" + std::to_string(round));
    RunOptions options;
    Ran ran;
    for (int attempt = 0; attempt < 50; ++attempt) {
      options.kill_after = std::uniform_real_distribution<>(0.02, 0.3 + 0.1 * attempt)(random);
      ran = concord({"compare", file, "--out", out, "--jobs", "2"}, options);
      if (ran.exit_code == 0) break;
    }
    INFO(round << ": " << ran.err);
    REQUIRE(ran.exit_code == 0);
    CHECK(bytes_of(out + "/tables.md") == bytes_of(folder("undisturbed") + "/tables.md"));
    CHECK(bytes_of(out + "/tables.tex") == bytes_of(folder("undisturbed") + "/tables.tex"));
  }
}

}  // namespace cli::compare_resume_test
