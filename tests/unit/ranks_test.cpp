// SPDX-License-Identifier: MIT
// Ranks that are threads of one process: the fits of several have the bits of one.
#include "train/ranks.hpp"

#include <atomic>
#include <barrier>
#include <catch2/catch.hpp>
#include <thread>

#include "train_support.hpp"

namespace concord::ranks_test {
using namespace concord::test;

namespace {

/// Where the threads meet.
class Table {
 public:
  explicit Table(int count) : meeting_(count), messages_(static_cast<size_t>(count)) {}

  std::vector<std::string> gather(int rank, const std::string& own) {
    messages_[static_cast<size_t>(rank)] = own;
    meeting_.arrive_and_wait();
    std::vector<std::string> all = messages_;
    meeting_.arrive_and_wait();  // nobody writes before all have read
    return all;
  }

 private:
  std::barrier<> meeting_;
  std::vector<std::string> messages_;
};

class ThreadRanks : public Ranks {
 public:
  ThreadRanks(Table& table, int rank, int count) : table_(table), rank_(rank), count_(count) {}
  int rank() const override { return rank_; }
  int count() const override { return count_; }
  int on_this_machine() const override { return count_; }

 private:
  std::vector<std::string> all_gather(const std::string& own) override { return table_.gather(rank_, own); }

  Table& table_;
  int rank_, count_;
};

/// Calls work(ranks) on so many threads; the texts of the errors that it threw.
std::vector<std::string> together(int count, const std::function<void(Ranks&)>& work) {
  Table table(count);
  std::vector<std::string> errors(static_cast<size_t>(count));
  std::vector<std::thread> threads;
  for (int r = 0; r < count; ++r)
    threads.emplace_back([&, r] {
      ThreadRanks ranks(table, r, count);
      try {
        work(ranks);
        ranks.part();
      } catch (const Error& error) {
        ranks.fail_all(error);
        errors[static_cast<size_t>(r)] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return errors;
}

struct Ended {
  Parameters at;
  FitReport report;
  std::string saved;  ///< after the first epoch
};

bool same(const Ended& a, const Ended& b) {
  return same_bits(a.at, b.at) && a.report.objective == b.report.objective &&
         a.report.estimate == b.report.estimate && a.report.solved == b.report.solved && a.saved == b.saved;
}

/// Two epochs, or from a saved state the second of them.
Ended two_epochs(const TrainPlan& plan, const Dataset& data, Ranks* ranks, int threads,
                 const std::string* from) {
  ThreadPool pool(threads);
  FitData input{data.X, data.Y};
  input.ranks = ranks;
  const auto fit = make_fit(plan, input, 5, pool, {});
  Ended end;
  if (from == nullptr) {
    fit->epoch();
    ArchiveWriter out;
    fit->save(out);
    end.saved = out.bytes();
  } else {
    ArchiveReader in(*from);
    fit->restore(in);
    end.saved = *from;
  }
  fit->epoch();
  end.at = fit->parameters();
  end.report = fit->evaluate();
  return end;
}

}  // namespace

TEST_CASE("a fit has the same bits for any number of ranks and threads, and continues with another number") {
  kit::Rng rng(31);
  for (const bool sparse : {false, true})
    for (const Method method : {Method::bcfw, Method::subgradient, Method::bundle, Method::ovr}) {
      const Dataset data = random_dataset(rng, 600, 6, 4, sparse);  // three pieces of a pass
      for (const FitCase& c : kFitCases) {
        if (method == Method::ovr && c.prior != PriorSign::none) continue;
        TrainPlan plan = train_plan(method, c.decoder, "hamming", c.prior, c.diagonal);
        plan.settings.batch = 50;
        INFO(c.decoder << " " << static_cast<int>(method) << " sparse " << sparse);
        const Ended alone = two_epochs(plan, data, nullptr, 1, nullptr);
        for (const int count : {2, 4}) {
          std::vector<Ended> ended(static_cast<size_t>(count)), resumed(ended);
          const auto errors = together(count, [&](Ranks& ranks) {
            const auto r = static_cast<size_t>(ranks.rank());
            ended[r] = two_epochs(plan, data, &ranks, 1 + ranks.rank() % 2, nullptr);
            resumed[r] = two_epochs(plan, data, &ranks, 1, &alone.saved);
          });
          for (size_t r = 0; r < ended.size(); ++r) {
            CHECK(errors[r].empty());
            CHECK(same(ended[r], alone));
            CHECK(same(resumed[r], alone));
          }
        }
      }
    }
}

TEST_CASE("warm blocks go with the answers") {
  kit::Rng rng(32);
  const Dataset data = random_dataset(rng, 300, 4, 6, true);
  for (const Method method : {Method::bcfw, Method::bundle}) {
    TrainPlan plan = train_plan(method, "sdp-mixing", "hamming", PriorSign::any);
    plan.settings.batch = 20;
    const Ended alone = two_epochs(plan, data, nullptr, 1, nullptr);
    std::vector<Ended> ended(3);
    together(3, [&](Ranks& ranks) {
      ended[static_cast<size_t>(ranks.rank())] = two_epochs(plan, data, &ranks, 1, nullptr);
    });
    for (const Ended& end : ended) CHECK(same(end, alone));
  }
}

TEST_CASE("ranks fail together, with the error of the rank that failed") {
  for (const int failing : {0, 1, 2}) {
    const auto errors = together(3, [&](Ranks& ranks) {
      for (int i = 0; i < 4; ++i) {
        if (ranks.rank() == failing && i == 2) fail(Fault::io, About{"the disk"}, "there is no room");
        ranks.exchange(std::to_string(i));
      }
    });
    for (int r = 0; r < 3; ++r)
      CHECK(errors[static_cast<size_t>(r)] ==
            (r == failing ? "the disk: there is no room"
                          : fmt::format("the disk: rank {}: there is no room", failing)));
  }
  // One that fails after the last exchange of the work still takes the others with it.
  const auto late = together(2, [&](Ranks& ranks) {
    ranks.exchange("");
    if (ranks.is_first()) fail(Fault::io, "the model cannot be written");
  });
  CHECK(late[1] == "rank 0: the model cannot be written");
}

TEST_CASE("a rank that is asked to stop stops all of them at the same exchange") {
  std::vector<int> exchanges(3);
  std::atomic<bool> asked = false, too_soon = false;  // Catch counts by one thread only
  const auto errors = together(3, [&](Ranks& ranks) {
    RunControl own;
    if (ranks.rank() == 1) own.stop = &asked;
    const RunControl control = ranks.agreed(own);
    int& done = exchanges[static_cast<size_t>(ranks.rank())];
    while (!control.stop_requested() && done < 100) {
      if (++done == 5 && ranks.rank() == 1) asked = true;
      if (control.stop_requested() || ranks.is_cut_off()) too_soon = true;
      ranks.exchange("");
    }
  });
  CHECK_FALSE(too_soon);
  CHECK(exchanges == std::vector<int>{5, 5, 5});

  std::atomic<int> cut_off = 0;
  together(2, [&](Ranks& ranks) {
    RunControl own;
    if (ranks.rank() == 1) own.cut_off = std::chrono::steady_clock::now();
    const RunControl control = ranks.agreed(own);
    ranks.exchange("");
    if (control.stop_requested() && ranks.is_cut_off()) ++cut_off;
  });
  CHECK(cut_off == 2);
}

}  // namespace concord::ranks_test
