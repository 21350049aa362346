// SPDX-License-Identifier: MIT
// The semidefinite relaxation by CSDP. The library ends the process when it fails, so it runs in a worker.
#include <concord/kit/sdp_worker_host.hpp>

namespace {

class Csdp : public concord::kit::SdpWorkerBackend {
 public:
  explicit Csdp(const Options& options) : SdpWorkerBackend(CONCORD_SDP_WORKER, options) {}
  static void probe() { solver(); }
  static std::string solver() {
    return concord::kit::probe_worker(concord::kit::worker_file(CONCORD_SDP_WORKER));
  }
};

}  // namespace

CONCORD_EXPORT_DECODER(concord::kit::SdpDecoder<Csdp>, "sdp-csdp",
                       "semidefinite relaxation by the interior-point solver CSDP, in a worker process")
