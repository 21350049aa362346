// SPDX-License-Identifier: MIT
// The plugin: what a user may set, and where the worker is. It links nothing of the solver, so it always loads, and can say
// what is missing.
#include <concord/kit/sdp_worker_host.hpp>

namespace {

namespace kit = concord::kit;

class SkeletonName : public kit::SdpWorkerBackend {
 public:
  /// `tol`, `cardinality` and `time_limit` are there already; the worker gets them all.
  struct Options : kit::SdpWorkerOptions {
    int64_t iterations;
  };
  static auto options() {
    return concord::OptionList<Options>{
        concord::opt("iterations", &Options::iterations, 20000).range(1, 1e9).help("eigendecompositions")};
  }
  /// What may be asked of the solver: the default of `tol`, the least and the largest one.
  static constexpr kit::SdpTolerance tolerance{.by_default = 1e-6, .least = 1e-8, .most = 1e-2};

  explicit SkeletonName(const Options& options) : SdpWorkerBackend(CONCORD_SDP_WORKER, options) {}

  /// Is it usable here? Throw concord::Unsupported with a sentence if not, for example where a licence is missing.
  static void probe() { solver(); }
  /// For `concord describe`: what the worker says of its solver.
  static std::string solver() { return kit::probe_worker(kit::worker_file(CONCORD_SDP_WORKER)); }
};

}  // namespace

CONCORD_EXPORT_DECODER(kit::SdpDecoder<SkeletonName>, "skeleton-name",
                       "semidefinite relaxation by ADMM, in a worker process")
