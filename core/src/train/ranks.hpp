// SPDX-License-Identifier: MIT
#pragma once
// The processes that train one model together. Each has all of the data and all of the parameters, and works on its share of
// the pieces; what the pieces gave is exchanged and used by every rank in the order of the pieces. So all ranks have the same
// bits at every moment, and the bits do not depend on their number. One process alone is the case of one rank.
//
// Ranks meet in exchanges only, all ranks in the same ones. There they also agree: one that was asked to stop stops all, and
// one that failed fails all.
#include <Eigen/Core>
#include <atomic>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/pinned.hpp"
#include "base/run.hpp"

namespace concord {

class Ranks : Pinned {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int count() const = 0;
  /// Ranks that share the processors of this machine, this one among them.
  virtual int on_this_machine() const = 0;

  bool is_alone() const { return count() == 1; }
  bool is_first() const { return rank() == 0; }
  /// Does this rank work on the piece?
  bool takes(int64_t piece) const { return piece % count() == rank(); }

  /// Everyone's bytes, in the order of ranks. The failure of another rank is thrown.
  std::vector<std::string> exchange(const std::string& own);
  /// Whether one rank at least has said so.
  bool any(bool own);
  /// The bytes of the first rank.
  std::string of_first(const std::string& own);
  /// sum += the parts of all ranks, in their order; parts of another size than the sum's are none.
  void add_parts(const Eigen::VectorXd& own, Eigen::VectorXd& sum);

  /// The control of work that all ranks do together. Other than in the control of one process, a stop is seen after the next
  /// exchange, by all ranks at once.
  RunControl agreed(const RunControl& own);
  /// Whether a stop came from a time limit.
  bool is_cut_off() const;

  /// For the rank that throws `error` out of the common work: the others throw it too, out of the exchange they are in or come
  /// to. Does nothing if the error came out of an exchange.
  void fail_all(const Error& error);
  /// The common work ends here. Whoever fails after an exchange that others took for the last would fail alone.
  void part() { exchange(""); }

 private:
  virtual std::vector<std::string> all_gather(const std::string& own) = 0;
  void throw_failures(const std::vector<std::string>& messages);

  RunControl own_control_;
  std::atomic<bool> stopped_ = false;
  bool cut_off_ = false;
  bool failed_ = false;  ///< all ranks know
};

/// One process.
class Alone : public Ranks {
 public:
  int rank() const override { return 0; }
  int count() const override { return 1; }
  int on_this_machine() const override { return 1; }

 private:
  std::vector<std::string> all_gather(const std::string& own) override { return {own}; }
};

}  // namespace concord
