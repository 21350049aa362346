// SPDX-License-Identifier: MIT
// What holds against crafted bytes, killed runs and memory that a plugin has written to.
#include <catch2/catch.hpp>
#include <csignal>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/files.hpp"
#include "base/text.hpp"
#include "folder.hpp"
#include "plugin/foreign.hpp"
#include "plugin/guarded.hpp"
#include "process/fork.hpp"
#include "process/watch.hpp"
#include "train/bcfw.hpp"
#include "train/checkpoint.hpp"
#include "train_support.hpp"

namespace concord::trust_test {
using namespace concord::test;
namespace {

/// Every byte position of the text with each of a few numbers written over it.
template <class Use>
void for_crafted(const std::string& good, size_t step, const Use& use) {
  for (size_t at = 0; at + 8 <= good.size(); at += step)
    for (const uint64_t number :
         {uint64_t{0}, uint64_t{1}, uint64_t{1} << 31, uint64_t{1} << 61, ~uint64_t{0}}) {
      std::string bytes = good;
      std::memcpy(bytes.data() + at, &number, 8);
      use(bytes);
    }
}

TrainState sample_state(const RunShape& run) {
  TrainState state;
  state.cells.resize(run.cells);
  CellResult& cell = state.cells[0].emplace();
  cell.value = 0.5;
  cell.error = 0.1;
  cell.losses = Eigen::VectorXd::Zero(run.instances);
  cell.thresholds = Eigen::VectorXd::Ones(1);
  cell.otherwise = HeldOutLosses{0.25, 0.1, cell.losses};
  state.opponents = {state.cells[0], std::nullopt};
  state.gaps = {{1, 0.5}, {2, 0.25}};
  state.epochs = 3;
  state.fit = "the state of a fit";
  return state;
}

/// With the checksum of what follows it.
std::string repaired(std::string bytes, const std::string& magic) {
  const std::string digest = sha256_hex(std::string_view(bytes).substr(magic.size() + 64));
  return bytes.replace(magic.size(), 64, digest);
}

}  // namespace

TEST_CASE("writing beside a guarded array is seen, for arrays of every size") {
  for (size_t count = 0; count < 200; ++count) {
    Guarded<double> memory(count, 2.5);
    CAPTURE(count);
    REQUIRE(reinterpret_cast<uintptr_t>(memory.data()) % 64 == 0);
    CHECK(memory.is_intact());
    for (double& x : memory) x = -1;
    CHECK(memory.is_intact());
    for (const ptrdiff_t beside :
         {ptrdiff_t{-1}, ptrdiff_t{-8}, static_cast<ptrdiff_t>(count), static_cast<ptrdiff_t>(count) + 7}) {
      Guarded<double> spoilt = memory;
      volatile double* const there = spoilt.data() + beside;
      *there = 0;
      CHECK_FALSE(spoilt.is_intact());
    }
    CHECK(Guarded<double>(std::span<const double>(memory.begin(), memory.end())) == memory);
    for (size_t piece = 0; piece < 3; ++piece) {
      Guarded<double> pieces(3, count, 0.0);
      CHECK(pieces.is_intact());
      volatile double* const behind = pieces.data(piece) + count;
      *behind = 0;
      CHECK_FALSE(pieces.is_intact());
    }
  }
}

TEST_CASE("a crafted checkpoint is refused or fits the run, whatever sizes it claims") {
  const RunShape run{"identity", 2, 4, 5, 10};
  const std::string magic = "CONCORD checkpoint 3\n";
  const std::string good = state_bytes(sample_state(run), run.identity);
  CHECK(parse_state(good, run).fit == "the state of a fit");
  size_t taken = 0;
  for_crafted(good, 1, [&](const std::string& bytes) {
    try {
      const TrainState state = parse_state(repaired(bytes, magic), run);
      CHECK(state.cells.size() == run.cells);
      CHECK(state.epochs <= run.epochs);
      for (const auto& cell : state.cells)
        if (cell) CHECK(cell->losses.size() == run.instances);
      ++taken;
    } catch (const Error& error) {
      CHECK(error.subject() == kCheckpointSubject);
    }
  });
  CHECK(taken > 0);  // numbers may be any
  for (size_t size = magic.size() + 64; size < good.size(); ++size)
    CHECK_THROWS_AS(parse_state(repaired(good.substr(0, size), magic), run), Error);
}

TEST_CASE("the crafted state of a fit is refused, or trained on") {
  kit::Rng rng(5);
  const Dataset data = random_dataset(rng, 6, 3, 4, false);
  ThreadPool pool(1);
  for (const Method method : {Method::bcfw, Method::subgradient, Method::bundle}) {
    const TrainPlan plan = train_plan(method, "spectral", "hamming", PriorSign::any);
    const auto fit = make_fit(plan, {data.X, data.Y}, 3, pool, {});
    fit->epoch();
    ArchiveWriter out;
    fit->save(out);
    size_t refused = 0;
    for_crafted(out.bytes(), 8, [&](const std::string& bytes) {
      const auto other = make_fit(plan, {data.X, data.Y}, 3, pool, {});
      try {
        ArchiveReader in(bytes);
        other->restore(in);
        in.require_end();
        other->epoch();
      } catch (const Error&) {
        ++refused;
      }
    });
    CHECK(refused > 0);
  }
}

TEST_CASE("what killed processes left is swept, and what is being written stays") {
  const Folder folder;
  const auto file = folder / "a.model";
  for (const char* name :
       {"a.model.123.tmp", "a.model.7.tmp", "a.model.tmp", "a.model.x.tmp", "b.model.5.tmp", "a.model"})
    folder.write(name, "left");
  AtomicFile mine(folder / "a.model");
  const std::string written = (folder / "a.model").string() + "." + std::to_string(::getpid()) + ".tmp";
  sweep_leftovers(file);
  CHECK_FALSE(std::filesystem::exists(folder / "a.model.123.tmp"));
  CHECK_FALSE(std::filesystem::exists(folder / "a.model.7.tmp"));
  for (const char* name : {"a.model.tmp", "a.model.x.tmp", "b.model.5.tmp", "a.model"})
    CHECK(std::filesystem::exists(folder / name));
  CHECK(std::filesystem::exists(written));
  sweep_leftovers_below(folder.path());
  CHECK_FALSE(std::filesystem::exists(folder / "b.model.5.tmp"));
  mine.write("new");
  mine.commit();
  CHECK(read_whole_file(file) == "new");
}

TEST_CASE("text by a plugin is bounded, on one line, and no command") {
  CHECK(foreign_line(nullptr).empty());
  CHECK(foreign_line("plain") == "plain");
  CHECK(foreign_line(std::string(100'000, 'a').c_str()).size() <= kMostForeignText + 3);
  const std::string cleaned = foreign_line("a\x1b[2J\nb\xc2\x9b\xff\xe2\x80\xae");
  for (const char* bad : {"\x1b", "\n", "\xc2\x9b", "\xe2\x80\xae"})
    CHECK(cleaned.find(bad) == std::string::npos);
  CHECK(is_utf8(cleaned));
  CHECK(csv("=1+1") == "'=1+1");
  CHECK(csv("@x") == "'@x");
  CHECK(csv("-cmd|' /C calc'!A0") == "'-cmd|' /C calc'!A0");
  CHECK(csv("-0.5") == "-0.5");
  CHECK(csv("+1e-3") == "'+1e-3");  // nobody here writes numbers like that
  CHECK(csv("a=b") == "a=b");
}

TEST_CASE("JSON with brackets without end is none") {
  CHECK(json_in(R"({"a": [1, {"b": 2}]})")->at("a").size() == 2);
  CHECK_FALSE(json_in("{"));
  CHECK_FALSE(json_in(""));
  CHECK_FALSE(json_in(std::string(1'000'000, '[')));
  CHECK_FALSE(json_in(std::string(100'000, '[') + std::string(100'000, ']')));
}

TEST_CASE("a watched process tells how it ended, and what ran in it") {
  const WatchedEnd good = run_watched([] { return 3; });
  CHECK(good.code == 3);
  CHECK(good.at_work.empty());
  const WatchedEnd left = run_watched([]() -> int {
    const ForeignCode at_work("decoder/x", "solve");
    ::_exit(0);
  });
  CHECK_FALSE(left.code);
  CHECK(left.at_work == "decoder/x in solve");
  const WatchedEnd crashed = run_watched([]() -> int {
    leave_to_watcher("words ");
    leave_to_watcher("and more");
    ::raise(SIGKILL);
    return 0;
  });
  CHECK_FALSE(crashed.code);
  CHECK(ending_text(crashed.status) == "crashed with SIGKILL");
  CHECK(crashed.words == "words and more");
  // A signal to the watcher reaches the work.
  const WatchedEnd told = run_watched([] {
    static volatile std::sig_atomic_t stopped = 0;
    std::signal(SIGTERM, [](int) { stopped = 1; });
    ::kill(::getppid(), SIGTERM);
    for (int i = 0; i < 10'000 && stopped == 0; ++i) ::usleep(1000);
    return stopped == 1 ? 7 : 8;
  });
  CHECK(told.code == 7);
}

TEST_CASE("a process that leaves its child's group or session ends with the child") {
  const Folder folder;
  const std::string file = folder.write("locked", "").string();
  const IsolatedResult result = run_isolated(
      [&]() -> std::string {
        if (::fork() == 0) {
          ::setsid();
          if (::fork() != 0) ::_exit(0);
          const int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
          ::flock(fd, LOCK_EX);
          for (;;) ::pause();  // with the lock
        }
        ::usleep(100'000);
        return "done";
      },
      20);
  CHECK(result.output == "done");
  const int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  CHECK(::flock(fd, LOCK_EX | LOCK_NB) == 0);  // nobody holds it any more
  ::close(fd);
}

TEST_CASE("work in a child process reaches no descriptor of the host but the standard ones") {
  const Folder folder;
  const std::string file = (folder / "result").string();
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(fd > 2);
  run_isolated(
      [&] {
        for (int any = 3; any < 256; ++any)
          if (::write(any, "forged", 6) < 0) continue;
        return std::string();
      },
      20);
  ::close(fd);
  CHECK(read_whole_file(file).empty());
}

}  // namespace concord::trust_test
