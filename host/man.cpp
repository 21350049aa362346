// SPDX-License-Identifier: MIT
#include "man.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/error.hpp"
#include "base/files.hpp"
#include "process/state.hpp"

namespace concord {
namespace {

/// Plain text as troff: dashes stay ASCII, and no line is taken for a request.
std::string escaped(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((i == 0 || text[i - 1] == '\n') && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    if (text[i] == '\\') {
      out += "\\e";
    } else {
      out += text[i] == '-' ? "\\-" : text[i] == '\'' ? "\\(aq" : std::string(1, text[i]);
    }
  }
  return out;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char ch) { return std::toupper(ch); });
  return text;
}

}  // namespace

void ManPage::write(const std::string& directory) const {
  std::string text =
      fmt::format(".TH {} {} \"\" \"Concord {}\" \"Concord\"\n.SH NAME\n{} \\- {}\n", escaped(upper(name)),
                  section, provenance().version, escaped(name), escaped(summary));
  if (!synopsis.empty()) text += fmt::format(".SH SYNOPSIS\n.B {}\n", escaped(synopsis));
  text += ".SH DESCRIPTION\n";
  for (size_t from = 0; from < description.size();) {
    const size_t end = std::min(description.find("\n\n", from), description.size());
    text += fmt::format("{}{}\n", from == 0 ? "" : ".PP\n", escaped(description.substr(from, end - from)));
    from = end + 2;
  }
  for (const Section& part : sections) {
    text += fmt::format(".SH {}\n", escaped(upper(part.title)));
    if (!part.intro.empty()) text += escaped(part.intro) + "\n";
    for (const auto& [term, meaning] : part.items)
      text += fmt::format(".TP\n.B {}\n{}\n", escaped(term), escaped(meaning));
  }
  if (!see_also.empty())
    text += fmt::format(".SH SEE ALSO\n{}\n", escaped(fmt::format("{}", fmt::join(see_also, ", "))));
  const std::filesystem::path folder = fmt::format("{}/man{}", directory, section);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail(Fault::io, About{folder.string(), folder.string()}, "{}", error.message());
  write_file_atomically(folder / fmt::format("{}.{}", name, section), text);
}

ManPage plugin_options_page(Registry& registry) {
  ManPage page{.name = "concord-options",
               .section = 7,
               .summary = "the plugins of Concord and their options",
               .synopsis = "",
               .description =
                   "In a config a plugin is a name, or a table with options:\n"
                   "decoder = { name = \"NAME\", OPTION = VALUE }.\n\n"
                   "On the command line --set train.decoder.OPTION=VALUE sets one (concord train),\n"
                   "or --set decoder.OPTION=VALUE (concord decode)."};
  for (const PluginCandidate& candidate : registry.candidates()) {
    if (!candidate.shadowed_by.empty()) continue;
    const Plugin& plugin = registry.load(candidate.kind, candidate.name);
    ManPage::Section part{plugin.id(), plugin.summary() + (plugin.options().empty() ? "; no options" : "")};
    for (const OptionDeclaration& option : plugin.options())
      part.items.emplace_back(option.name,
                              fmt::format("{}\n({}; default {})", option.help, option.domain(),
                                          option.default_text.empty() ? "empty" : option.default_text));
    page.sections.push_back(std::move(part));
  }
  page.see_also = {"concord(1)", "concord-describe(1)", "concord-plugins(1)"};
  return page;
}

}  // namespace concord
