// SPDX-License-Identifier: MIT
#pragma once
// Plugins called without the host's guards. The guards would repair what a plugin does to the process. They
// would also hide what a plugin returns for input that the host never gives.
#include <functional>
#include <optional>

#include "base/pinned.hpp"
#include "check/problems.hpp"
#include "check/test.hpp"
#include "plugin/call.hpp"
#include "solve/decoder.hpp"

namespace concord::check {

/// Told the name of each function of the border right after it was called.
using AfterCall = std::function<void(const char*)>;

class RawDecoder : Pinned {
 public:
  RawDecoder(Subject& subject, RunControl control, AfterCall after);
  ~RawDecoder();

  /// The status of the call.
  int32_t prepare(const PriorMatrix& A);
  /// The status of the call if that failed, else of the result. requires prepare
  int32_t solve(const Eigen::VectorXd& c, std::optional<double> beta);
  int32_t solve_family(const Eigen::VectorXd& c, const FamilyData& family);

 private:
  struct Buffers;

  const Plugin& plugin_;
  RunControl control_;
  Call call_;
  AfterCall after_;
  concord_decoder functions_;
  void* self_;
  int64_t labels_ = 0;
  int64_t max_rank_ = 1;
  std::vector<uint64_t> warm_;
};

/// Creates and destroys an object, of a decoder also one that is prepared. Exceptions pass.
void create_and_destroy(Subject& subject);

/// One life of an object of the plugin's kind, every function of the border called at least once.
void exercise(Subject& subject, const AfterCall& after);

}  // namespace concord::check
