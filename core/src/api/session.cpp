// SPDX-License-Identifier: MIT
// The session: where plugins are, which are in memory, and what they say of themselves.
#include <unistd.h>

#include "api/handles.hpp"
#include "config/keys.hpp"
#include "plugin/records.hpp"

concord::Registry& concord_session::registry() {
  const std::lock_guard lock(concord::api::process_mutex());
  if (live != nullptr && owner == ::getpid()) return *live;
  auto fresh = std::make_unique<concord::Registry>(folders, concord::RunControl{});
  for (const concord_plugin_table* table : tables) fresh->add(table);
  static_cast<void>(live.release());  // of the parent process: not to be touched
  live = std::move(fresh);
  owner = ::getpid();
  return *live;
}

using namespace concord;
using namespace concord::api;

extern "C" {

int32_t concord_open(const char* const* plugin_folders, size_t count, concord_session** session) {
  return guarded([&] {
    require(session, "the place for the session");
    if (count > 0) require(plugin_folders, "plugin_folders");
    auto opened = std::make_unique<concord_session>();
    for (size_t i = 0; i < count; ++i) {
      require(plugin_folders[i], "a plugin folder");
      opened->folders.emplace_back(plugin_folders[i]);
    }
    opened->registry();
    *session = opened.release();
  });
}

void concord_close(concord_session* session) {
  delete session;
}

int32_t concord_register(concord_session* session, const concord_plugin_table* table) {
  return guarded([&] {
    require(session, "the session");
    session->registry().add(table);
    const std::lock_guard lock(process_mutex());
    session->tables.push_back(table);
  });
}

int32_t concord_plugins(concord_session* session, char** json) {
  return guarded([&] {
    require(session, "the session");
    require(json, "the place for the text");
    *json = text_for_caller(Json{{"plugins", list_plugins_in_process(session->registry())}}.dump(
        -1, ' ', false, Json::error_handler_t::replace));
  });
}

int32_t concord_describe(concord_session* session, const char* what, char** json) {
  return guarded([&] {
    require(session, "the session");
    require(what, "what is to be described");
    require(json, "the place for the text");
    const Json description =
        std::string_view(what) == "config"
            ? Json{{"keys", setting_keys_json()}}
            : plugin_description(named_plugin(session->registry(), what), session->registry().control());
    *json = text_for_caller(description.dump(-1, ' ', false, Json::error_handler_t::replace));
  });
}
}
