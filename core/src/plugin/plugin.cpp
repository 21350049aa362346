// SPDX-License-Identifier: MIT
#include "plugin/plugin.hpp"

#include "base/error.hpp"
#include "plugin/call.hpp"
#include "plugin/foreign.hpp"
#include "process/state.hpp"

namespace concord {

Plugin::Plugin(const std::filesystem::path& given) {
  std::error_code error;
  file_ = std::filesystem::canonical(given, error);  // what a link points to is what is checked and loaded
  if (error)
    fail(Fault::unavailable, About{"", given.string(), "Check the path, or name an installed plugin"},
         "no such file: {}", given.string());
  const std::filesystem::path& file = file_;
  if (!std::filesystem::is_regular_file(file, error))
    fail(Fault::unavailable, About{"", file.string(), "Give the path of a KIND-NAME.so"}, "{} is not a file",
         file.string());
  refuse_world_writable(file);

  pass_gate(*load_table(file), file.string());
}

Plugin::Plugin(const concord_plugin_table* table) {
  const std::string whose = "the table in memory";
  require_table(table, whose);
  pass_gate(*table, whose);
}

void Plugin::pass_gate(const concord_plugin_table& foreign, const std::string& whose) {
  const concord_plugin_table table = foreign_copy(&foreign);
  const std::vector<std::string> faults = faults_of(table).all();
  if (!faults.empty())
    fail(Fault::unavailable, About{"", whose, "See docs/border.md"}, "{} breaks the plugin contract: {}",
         whose, fmt::join(faults, "; "));
  kind_ = table.kind;
  name_ = table.name;
  id_ = fmt::format("{}/{}", kind_name(kind_), name_);
  version_ = foreign_line(table.version);
  summary_ = foreign_line(table.summary);
  licence_ = foreign_line(table.licence);
  build_tag_ = foreign_line(table.build_tag);
  probe_ = table.probe;
  get_extension_ = table.get_extension;
  if (kind_ == CONCORD_DECODER) functions_ = functions_of<concord_decoder>(table);
  if (kind_ == CONCORD_LOSS) functions_ = functions_of<concord_loss>(table);
  if (kind_ == CONCORD_ROUNDING) functions_ = functions_of<concord_rounding>(table);
  capabilities_ = foreign_copy(table.capabilities);
  options_ = declared_options(table.options, table.option_count);
}

std::unique_lock<std::mutex> Plugin::serialised() const {
  std::unique_lock lock(mutex_, std::defer_lock);
  if (!has(CONCORD_REENTRANT)) lock.lock();
  return lock;
}

void Plugin::require_usable(const RunControl& control) const {
  if (probe_ == nullptr) return;
  const ProcessState restored_afterwards;
  const Call call(control, id());
  if (call.run("probe", [&] { return probe_(call.env()); }) != CONCORD_OK)
    fail(Fault::unavailable, About{"", id()}, "{} is present but not usable here: {}", id(), call.reason());
}

std::string Plugin::solver(const RunControl& control) const {
  if (get_extension_ == nullptr) return "";
  const ProcessState restored_afterwards;
  const Call call(control, id());
  const auto* found = call.run("get_extension", [&] { return get_extension_(CONCORD_SOLVER_EXTENSION); });
  if (found == nullptr) return "";
  const auto extension = foreign_copy(static_cast<const concord_solver_extension*>(found));
  if (extension.identify == nullptr) return "";
  std::string text(kMostForeignText, '\0');
  const auto lock = serialised();
  if (call.run("identify", [&] { return extension.identify(call.env(), text.data(), text.size()); }) !=
      CONCORD_OK)
    return "not found: " + call.reason();
  return foreign_line(text.data());
}

}  // namespace concord
