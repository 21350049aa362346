// SPDX-License-Identifier: MIT
// A decoder as somebody else writes one around a worker, with everything that the kit offers: options of every type, a
// tolerance of its own, warm blocks, sparse priors, the solver's version.
#include <concord/kit/sdp_worker_host.hpp>

#include "vendor.hpp"

namespace {

namespace kit = concord::kit;

class Vendor : public kit::SdpWorkerBackend {
 public:
  struct Options : kit::SdpWorkerOptions {
    int64_t sweeps;
    bool polish;
    std::string mode;
    std::string note;
    std::vector<double> weights;
  };
  static auto options() {
    using concord::opt;
    return concord::OptionList<Options>{
        opt("sweeps", &Options::sweeps, 2000).range(0, 1e9).help("sweeps; with none there is y alone"),
        opt("polish", &Options::polish, true).help("a yes or no"),
        opt("mode", &Options::mode, "fast").choices({"fast", "safe"}).help("a choice"),
        opt("note", &Options::note, "").help("a text"),
        opt("weights", &Options::weights, {1, 2}).help("a list")};
  }
  static constexpr kit::SdpTolerance tolerance{1e-4, 1e-5, 1e-2};
  static constexpr uint32_t flags = SdpWorkerBackend::flags | CONCORD_SPARSE_PRIOR;

  explicit Vendor(const Options& options) : SdpWorkerBackend(CONCORD_SDP_WORKER, options) {}

  static size_t warm_size(int64_t labels) {
    return sizeof(double) * static_cast<size_t>(vendor::warm_numbers(labels));
  }
  static void probe() { solver(); }
  static std::string solver() { return kit::probe_worker(kit::worker_file(CONCORD_SDP_WORKER)); }
};

}  // namespace

CONCORD_EXPORT_DECODER(kit::SdpDecoder<Vendor>, "sdp-vendor", "a vendor's solver, in a worker process")
