// SPDX-License-Identifier: MIT
// concord describe: everything a plugin says about itself, or every key of a config.
#include "cli.hpp"
#include "config/keys.hpp"
#include "plugin/records.hpp"

namespace concord {
namespace {

/// A TOML value: strings are quoted, the rest is written as options are.
std::string toml_value(const OptionDeclaration& option) {
  if (option.type != CONCORD_STRING && option.type != CONCORD_CHOICE) {
    const bool plain_integer = option.type == CONCORD_REAL &&
                               option.default_text.find_first_not_of("-0123456789") == std::string::npos;
    return plain_integer ? option.default_text + ".0" : option.default_text;
  }
  return Json(option.default_text)
      .dump(-1, ' ', false, Json::error_handler_t::replace);  // JSON's escapes are TOML's
}

std::string as_toml(const Plugin& plugin) {
  std::string text = fmt::format("# {}: {}\n{} = {{ name = \"{}\"", plugin.id(), plugin.summary(),
                                 kind_name(plugin.kind()), plugin.name());
  for (const auto& option : plugin.options())
    text += fmt::format(", {} = {}", option.name, toml_value(option));
  text += " }\n";
  for (const auto& option : plugin.options())
    text += fmt::format("# {}: {} ({})\n", option.name, option.help, option.domain());
  return text;
}

std::string as_text(const Plugin& plugin, const RunControl& control) {
  std::string text =
      fmt::format("{} {}\n  {}\n  file     {}\n  licence  {}\n  build    {}\n", plugin.id(), plugin.version(),
                  plugin.summary(), plugin.file().string(), plugin.licence(), plugin.build_tag());
  if (const std::string solver = plugin.solver(control); !solver.empty())
    text += fmt::format("  solver   {}\n", solver);
  const Json capabilities = capabilities_json(plugin);
  if (!capabilities.empty()) text += "\ncapabilities\n";
  for (const auto& [name, value] : capabilities.items())
    text += fmt::format("  {:<22} {}\n", name,
                        value.is_string()    ? value.get<std::string>()
                        : value.is_null()    ? std::string("no limit")
                        : value.is_boolean() ? (value.get<bool>() ? "yes" : "no")
                                             : value.dump());
  text += plugin.options().empty() ? "\nno options\n" : "\noptions\n";
  for (const auto& option : plugin.options())
    text += fmt::format("  {:<18} {}\n  {:<18} {}; default {}\n", option.name, option.help, "",
                        option.domain(), option.default_text.empty() ? "empty" : option.default_text);
  return text;
}

std::string config_text() {
  std::string text = "A list in the place of a value is a grid, but in [run], [data] and [select].\n";
  const char* section = "";
  for (const SettingKey& key : setting_keys()) {
    if (std::string_view(section) != key.section) text += fmt::format("\n[{}]\n", section = key.section);
    const Json by_default = key.default_value();
    text += fmt::format("  {:<18} {}\n  {:<18} {}; {}\n", key.key, key.help, "", key.domain(),
                        by_default.is_null() ? "absent by default" : "default " + by_default.dump());
    for (const Choice& choice : key.choices)
      if (!choice.help.empty()) text += fmt::format("  {:<18}   {}: {}\n", "", choice.name, choice.help);
    for (const Contradiction& contradiction : key.contradictions)
      text += fmt::format("  {:<18} refused {}\n", "", contradiction.when);
  }
  return text;
}

}  // namespace

Exit run_describe(const Strings& words, Context& context) {
  Arguments arguments(
      "describe KIND/NAME|FILE.so|config [--toml | --json] [--plugin-dir DIR]...",
      R"(Shows the options, defaults, ranges and capabilities of a plugin. KIND is decoder, loss or rounding.
'describe config' shows every key of a training config: values, default, meaning, and what it
cannot stand together with.)");
  arguments.add()("toml", "the options of a plugin as a line for a config, with their help as comments")(
      "json", "one JSON object on standard output");
  arguments.positional("plugin");
  add_plugin_dir(arguments);
  if (!arguments.parse(words, context)) return Exit::done;
  const std::string id = arguments.required("plugin");
  const bool json = arguments.has("json");
  if (json && arguments.has("toml")) fail(Fault::input, "give one of --toml and --json");
  if (id == "config") {
    if (arguments.has("toml")) fail(Fault::input, "describe config has no --toml; --json is for programs");
    context.out.write(json ? to_line({{"keys", setting_keys_json()}}) : config_text());
    return Exit::done;
  }
  Registry registry = registry_for(arguments, context);
  const Plugin& plugin = named_plugin(registry, id);
  context.out.write(json                    ? to_line(plugin_description(plugin, registry.control()))
                    : arguments.has("toml") ? as_toml(plugin)
                                            : as_text(plugin, registry.control()));
  return Exit::done;
}

}  // namespace concord
