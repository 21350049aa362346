// SPDX-License-Identifier: MIT
// The source of a decoder around a worker as it was written for Concord 0.1: its own option `time_limit`, a solve of the
// worker that takes nothing but `tol`.
#include <concord/kit/sdp_worker_host.hpp>

namespace {

namespace kit = concord::kit;

class First : public kit::SdpWorkerBackend {
 public:
  struct Options : kit::SdpWorkerOptions {
    int64_t depth;
  };
  static auto options() {
    using concord::opt;
    return concord::OptionList<Options>{
        opt<Options, double>("time_limit", &Options::time_limit, 60).range(1, 600).help("seconds"),
        opt("depth", &Options::depth, 2).help("an option of its own")};
  }
  explicit First(const Options& options) : SdpWorkerBackend("vendor-worker", options) {}
  static void probe() { kit::probe_worker(kit::worker_file("vendor-worker")); }
};

}  // namespace

CONCORD_EXPORT_DECODER(kit::SdpDecoder<First>, "sdp-first", "as for Concord 0.1")
