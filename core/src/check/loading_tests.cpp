// SPDX-License-Identifier: MIT
// From the file to a table that the host may call: what a plugin is before it runs.
#include <cmath>
#include <dlfcn.h>

#include "base/error.hpp"
#include "check/test.hpp"
#include "plugin/foreign.hpp"

namespace concord::check {
namespace {

void* open_library(Subject& subject) {
  subject.note("loading");
  ::dlerror();
  void* library = ::dlopen(subject.file().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* text = ::dlerror();
    throw Failure(fmt::format("{}; link what it needs (-Wl,-z,defs tells when it is built)",
                              text != nullptr ? one_line(text) : "it does not load"));
  }
  return library;
}

const concord_plugin_table* table_of(Subject& subject) {
  void* symbol = ::dlsym(open_library(subject), CONCORD_PLUGIN_SYMBOL);
  if (symbol == nullptr)
    throw Failure("it does not export '" CONCORD_PLUGIN_SYMBOL
                  "'; end the source with CONCORD_EXPORT_DECODER, _LOSS or _ROUNDING");
  const auto entry = reinterpret_cast<concord_plugin_function>(symbol);
  subject.note("calling " CONCORD_PLUGIN_SYMBOL);
  try {
    const concord_plugin_table* table = entry();
    if (table != entry()) throw Failure("'" CONCORD_PLUGIN_SYMBOL "' returns another table at each call");
    return table;
  } catch (const Failure&) {
    throw;
  } catch (...) {
    throw Failure("'" CONCORD_PLUGIN_SYMBOL "' throws; no exception may cross the border");
  }
}

std::string loads(Subject& subject) {
  open_library(subject);
  return "";
}

std::string one_symbol(Subject& subject) {
  std::vector<std::string> others;
  bool found = false;
  for (auto& symbol : exported_symbols(subject.file()))
    symbol == CONCORD_PLUGIN_SYMBOL ? void(found = true) : others.push_back(std::move(symbol));
  if (!found) throw Failure("it does not export '" CONCORD_PLUGIN_SYMBOL "'");
  if (!others.empty())
    throw Failure(
        fmt::format("it also exports {}{}; build with -fvisibility=hidden and the version script plugin.map",
                    others.front(), others.size() > 1 ? fmt::format(" and {} more", others.size() - 1) : ""));
  return "";
}

std::string abi(Subject& subject) {
  const concord_plugin_table* table = table_of(subject);
  if (table == nullptr) throw Failure("'" CONCORD_PLUGIN_SYMBOL "' returns no table");
  if (table->magic != CONCORD_MAGIC)
    throw Failure(fmt::format("its table begins with {:#x}, not with the magic number {:#x}", table->magic,
                              CONCORD_MAGIC));
  if (table->abi != CONCORD_ABI)
    throw Failure(fmt::format("it was built for plugin ABI {}, and this host speaks ABI {}; rebuild it",
                              table->abi, CONCORD_ABI));
  return fmt::format("ABI {}", table->abi);
}

void require_none(const std::vector<std::string>& faults) {
  if (!faults.empty()) throw Failure(fmt::format("{}", fmt::join(faults, "; ")));
}

TableFaults read_table(Subject& subject) {
  abi(subject);
  return faults_of(foreign_copy(table_of(subject)));
}

std::string descriptor(Subject& subject) {
  const TableFaults faults = read_table(subject);
  require_none(faults.descriptor);
  require_none(faults.functions);
  const concord_plugin_table table = foreign_copy(table_of(subject));
  const std::string id = fmt::format("{}/{}", kind_name(table.kind), table.name);
  const std::string file = fmt::format("{}-{}.so", kind_name(table.kind), table.name);
  if (subject.file().filename() != file)
    throw Failure(fmt::format("the file is called {}, and a lookup of {} needs {}; rename it",
                              subject.file().filename().string(), id, file));
  return id;
}

std::string capabilities(Subject& subject) {
  require_none(read_table(subject).capabilities);
  const concord_plugin_table table = foreign_copy(table_of(subject));
  const uint32_t flags = foreign_copy(table.capabilities).flags;
  constexpr uint32_t known = (CONCORD_REFERENCE << 1) - 1;
  if ((flags & ~known) != 0) throw Failure(fmt::format("its flags {:#x} have bits that mean nothing", flags));
  if (table.kind == CONCORD_DECODER && (flags & CONCORD_WARM) != 0 &&
      foreign_copy(static_cast<const concord_decoder*>(table.functions)).warm_size == nullptr)
    throw Failure("it declares CONCORD_WARM, but has no warm_size");
  return "";
}

std::string options(Subject& subject) {
  require_none(read_table(subject).options);
  return fmt::format("{} options", subject.plugin().options().size());
}

/// Whether the plugin, asked directly, logs an error when it says that it is not usable.
bool gives_reason(Subject& subject) {
  bool logged = false;
  concord_env env{};
  env.size = sizeof env;
  env.threads = 1;
  env.host = &logged;
  env.stop_requested = [](void*) -> int32_t { return 0; };
  env.seconds_left = [](void*) { return HUGE_VAL; };
  env.log = [](void* host, int32_t level, const char* text) {
    if (level >= CONCORD_LOG_ERROR && text != nullptr && *text != '\0') *static_cast<bool*>(host) = true;
  };
  return foreign_copy(table_of(subject)).probe(&env) == CONCORD_OK || logged;
}

std::string probe(Subject& subject) {
  const Plugin& plugin = subject.plugin();
  subject.note("probing");
  try {
    plugin.require_usable({});
  } catch (const Error& e) {
    if (!gives_reason(subject)) throw Failure("it says that it is not usable here, and logs no reason");
    throw Skip(e.what());
  }
  return "";
}

}  // namespace

std::vector<Test> loading_tests() {
  return {
      {"loads", "The library loads with every symbol resolved.", loads, true},
      {"one-symbol", "It exports concord_plugin and nothing else.", one_symbol},
      {"abi",
       "Its table has the magic number and the ABI number of this host, and is the same at every call.", abi,
       true},
      {"descriptor",
       "Name, version, summary, licence and build tag are there, all functions of its kind are, and the file "
       "is "
       "called KIND-NAME.so.",
       descriptor, true},
      {"capabilities", "Every capability has a value that means something.", capabilities, true},
      {"options",
       "Options have unique names, a help of one line, a type, and a default inside their range or choices.",
       options, true},
      {"probe", "It says whether it is usable here, and if not, why.", probe, true},
  };
}

}  // namespace concord::check
