// SPDX-License-Identifier: MIT
// The semidefinite relaxation by MOSEK, in a worker process: without its runtime this plugin still loads and
// says what is missing, and a licence is touched only by a solve. Never run with the real library.
#include <concord/kit/sdp_worker_host.hpp>

namespace {

#ifdef CONCORD_SDP_WORKER  // which CMake defines where it found MOSEK, and builds the worker
constexpr const char* kWorker = CONCORD_SDP_WORKER;
#else
constexpr const char* kWorker = "concord-mosek-worker";
#endif

class Mosek : public concord::kit::SdpWorkerBackend {
 public:
  static constexpr uint32_t flags = SdpWorkerBackend::flags | CONCORD_REFERENCE;  // untested

  explicit Mosek(const Options& options) : SdpWorkerBackend(kWorker, options) {}

  static std::string solver() { return concord::kit::probe_worker(concord::kit::worker_file(kWorker)); }
  static void probe() {
#ifdef CONCORD_SDP_WORKER
    try {
      solver();
    } catch (const concord::Unsupported& e) {
      throw concord::Unsupported(std::string("no runtime: ") + e.what());
    }
    // Where MOSEK looks: a list of files and servers in the variable, else a file in the home directory.
    const char* home = std::getenv("HOME");
    if (std::getenv("MOSEKLM_LICENSE_FILE") == nullptr &&
        (home == nullptr || !std::filesystem::exists(std::filesystem::path(home) / "mosek" / "mosek.lic")))
      throw concord::Unsupported(
          "no licence: MOSEKLM_LICENSE_FILE is not set, and there is no ~/mosek/mosek.lic");
#else
    throw concord::Unsupported("not built: CMake found no MOSEK Fusion");
#endif
  }
};

}  // namespace

CONCORD_EXPORT_DECODER(concord::kit::SdpDecoder<Mosek>, "sdp-mosek",
                       "semidefinite relaxation by MOSEK, in a worker process (untested)")
