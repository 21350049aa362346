// SPDX-License-Identifier: MIT
// The file of a plugin: whether it may be loaded, and its one exported function. The only code that opens libraries.
#include <boost/dll/shared_library.hpp>
#include <cxxabi.h>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <sys/stat.h>

#include "base/error.hpp"
#include "plugin/foreign.hpp"
#include "plugin/plugin.hpp"
#include "process/state.hpp"
#include "process/watch.hpp"

namespace concord {
namespace {

/// What escaped from the constructors of libraries. The system takes such a library for loaded, and would not run them again.
using Escaped = std::map<std::filesystem::path, std::string>;

void require_constructed(const std::filesystem::path& file, const Escaped& escaped) {
  const auto at = escaped.find(file);
  if (at == escaped.end()) return;
  fail(Fault::unavailable, About{"", file.string(), "A plugin sets itself up in create, which may fail"},
       "cannot load {}: a constructor of the library lets an exception escape: {}", file.string(),
       at->second);
}

/// The entry point of the library.
concord_plugin_function load(const std::filesystem::path& file) {
  static std::mutex mutex;
  static auto* const kept =
      new std::map<std::filesystem::path, boost::dll::shared_library>;  // never destroyed on purpose
  static Escaped escaped;
  const std::lock_guard lock(mutex);
  require_constructed(file, escaped);
  const ProcessState restored_afterwards;
  boost::dll::fs::error_code error;
  boost::dll::shared_library library;
  ::dlerror();
  try {
    const ForeignCode at_work(file.string(), "its constructors");
    library.load(file, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local, error);
  } catch (const std::exception& e) {
    escaped[file] = foreign_line(e.what());
  } catch (const abi::__forced_unwind&) {
    end_with_thread(file.string(), "its constructors");
  } catch (...) {
    escaped[file] = "it is not even a std::exception";
  }
  require_constructed(file, escaped);
  if (error) {
    const char* text = ::dlerror();
    fail(Fault::unavailable,
         About{"", file.string(),
               fmt::format("Rebuild the plugin, or install the library that it misses ('ldd {}' lists them)",
                           file.string())},
         "cannot load {}: {}", file.string(), text != nullptr ? foreign_line(text) : error.message());
  }
  kept->insert_or_assign(file, library);
  if (!library.has(CONCORD_PLUGIN_SYMBOL))
    fail(Fault::unavailable,
         About{"", file.string(), "End its source with CONCORD_EXPORT_DECODER, _LOSS or _ROUNDING"},
         "{} is not a Concord plugin: it does not export '" CONCORD_PLUGIN_SYMBOL "'", file.string());
  return reinterpret_cast<concord_plugin_function>(::dlsym(library.native(), CONCORD_PLUGIN_SYMBOL));
}

}  // namespace

void refuse_world_writable(const std::filesystem::path& file) {
  for (auto path = file;; path = path.parent_path()) {
    struct stat info {};
    const bool near = path == file || path == file.parent_path();
    if (::stat(path.c_str(), &info) == 0 && (info.st_mode & S_IWOTH) != 0 &&
        (near || (info.st_mode & S_ISVTX) == 0))
      fail(Fault::unavailable,
           About{"", file.string(), fmt::format("Run 'chmod o-w {}', or move the plugin", path.string())},
           "refusing to load {}: {} is writable by everyone, who could then run code as you", file.string(),
           path.string());
    if (path == path.parent_path()) return;
  }
}

void require_table(const concord_plugin_table* foreign, const std::string& whose) {
  if (foreign == nullptr || foreign->magic != CONCORD_MAGIC)
    fail(Fault::unavailable, About{"", whose, "Build it against concord/abi.h"},
         "{} is not a Concord plugin: its table {}", whose,
         foreign == nullptr ? "is missing" : "does not start with the magic number");
  if (foreign->abi != CONCORD_ABI)
    fail(Fault::unavailable, About{"", whose, "Rebuild the plugin against this version's headers"},
         "{} was built for plugin ABI {}, and this host speaks ABI {}", whose, foreign->abi, CONCORD_ABI);
}

const concord_plugin_table* load_table(const std::filesystem::path& file) {
  const concord_plugin_function entry = load(file);
  const concord_plugin_table* foreign = nullptr;
  {
    const ProcessState restored_afterwards;
    const ForeignCode at_work(file.string(), CONCORD_PLUGIN_SYMBOL);
    try {
      foreign = entry();
    } catch (const abi::__forced_unwind&) {
      end_with_thread(file.string(), CONCORD_PLUGIN_SYMBOL);
    } catch (...) {
      fail(Fault::unavailable, About{"", file.string()},
           "{} is not a usable plugin: its function '" CONCORD_PLUGIN_SYMBOL "' throws", file.string());
    }
  }
  require_table(foreign, file.string());
  return foreign;
}

}  // namespace concord
