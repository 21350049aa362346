// SPDX-License-Identifier: MIT
#include "completion.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"

namespace concord {
namespace {

/// What a page says of a verb that a shell can complete: "data info" and its options.
struct CompletedVerb {
  std::string words;
  std::string summary;
  std::vector<std::pair<std::string, std::string>> options;  ///< "--seed" and its help
};

std::vector<CompletedVerb> completed_verbs(const std::vector<ManPage>& pages) {
  std::vector<CompletedVerb> verbs;
  for (const ManPage& page : pages) {
    if (page.name == "concord") continue;
    CompletedVerb verb{page.name.substr(page.name.find('-') + 1), page.summary, {}};
    std::replace(verb.words.begin(), verb.words.end(), '-', ' ');
    for (const ManPage::Section& section : page.sections)
      for (const auto& [term, help] : section.items)
        if (term.starts_with("--")) verb.options.emplace_back(term.substr(0, term.find(' ')), help);
    verbs.push_back(std::move(verb));
  }
  std::sort(verbs.begin(), verbs.end(), [](const auto& a, const auto& b) { return a.words < b.words; });
  return verbs;
}

/// What may stand behind an option, or for a verb's own argument.
struct PluginNames {
  std::string decoders, roundings, all;  ///< "exact modular ...", and "decoder/exact ..."

  explicit PluginNames(Registry& registry) {
    for (const PluginCandidate& candidate : registry.candidates()) {
      if (!candidate.shadowed_by.empty()) continue;
      if (candidate.kind == CONCORD_DECODER) decoders += " " + candidate.name;
      if (candidate.kind == CONCORD_ROUNDING) roundings += " " + candidate.name;
      all += fmt::format(" {}/{}", kind_name(candidate.kind), candidate.name);
    }
  }
};

/// The first words of verbs, each once: "check compare data ...".
std::string first_words(const std::vector<CompletedVerb>& verbs) {
  std::string words;
  for (const CompletedVerb& verb : verbs)
    if (verb.words.find(' ') == std::string::npos) words += " " + verb.words;
  return words.substr(1);
}

std::string second_words(const std::vector<CompletedVerb>& verbs, const std::string& first) {
  std::string words;
  for (const CompletedVerb& verb : verbs)
    if (verb.words.starts_with(first + " ")) words += " " + verb.words.substr(first.size() + 1);
  return words;
}

std::string options_of(const CompletedVerb& verb) {
  std::string words;
  for (const auto& [option, help] : verb.options) words += " " + option;
  return words;
}

/// zsh reads it too, by bashcompinit.
std::string for_bash(const std::vector<CompletedVerb>& verbs, const PluginNames& plugins) {
  std::string text = fmt::format(R"(# Completion of concord for bash.
_concord() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} verb=${{COMP_WORDS[1]}} choices=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} help --help --version" -- "$word"))
    return
  fi
  case $before in
    --decoder) choices="{}" ;;
    --rounding) choices="{}" ;;
  esac
  case "$verb" in
)",
                                 first_words(verbs), plugins.decoders, plugins.roundings);
  for (const CompletedVerb& verb : verbs) {
    if (verb.words.find(' ') != std::string::npos) continue;
    const std::string sub = second_words(verbs, verb.words);
    if (sub.empty()) {
      const bool names_plugin = verb.words == "describe" || verb.words == "check";
      text += fmt::format("    {}) [ -n \"$choices\" ] || choices=\"{}{}\" ;;\n", verb.words,
                          options_of(verb).substr(1), names_plugin ? plugins.all : "");
      continue;
    }
    text += fmt::format(
        "    {0})\n      case \"$COMP_CWORD ${{COMP_WORDS[2]}}\" in\n        2*) choices=\"{1}\" ;;\n",
        verb.words, sub.substr(1));
    for (const CompletedVerb& each : verbs)
      if (each.words.starts_with(verb.words + " "))
        text += fmt::format("        *\" {}\") choices=\"{}\" ;;\n", each.words.substr(verb.words.size() + 1),
                            options_of(each).substr(1));
    text += "      esac ;;\n";
  }
  text += R"(  esac
  COMPREPLY=($(compgen -W "$choices" -- "$word"))
  # Whatever is no option may be a file.
  [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- "$word"))
}
complete -o filenames -F _concord concord
)";
  return text;
}

std::string for_zsh(const std::vector<CompletedVerb>& verbs, const PluginNames& plugins) {
  return "#compdef concord\nautoload -U +X bashcompinit && bashcompinit\n" + for_bash(verbs, plugins);
}

std::string quoted_for_fish(const std::string& text) {
  std::string out = "'";
  for (const char ch : text) {
    if (ch == '\'' || ch == '\\') out += '\\';
    out += ch == '\n' ? ' ' : ch;
  }
  return out + "'";
}

std::string for_fish(const std::vector<CompletedVerb>& verbs, const PluginNames& plugins) {
  std::string text = "# Completion of concord for fish.\n";
  const std::map<std::string, std::string> values = {{"--decoder", plugins.decoders},
                                                     {"--rounding", plugins.roundings}};
  for (const CompletedVerb& verb : verbs) {
    const size_t blank = verb.words.find(' ');
    const std::string first = verb.words.substr(0, blank);
    const std::string seen =
        blank == std::string::npos
            ? "__fish_seen_subcommand_from " + first
            : fmt::format("__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}", first,
                          verb.words.substr(blank + 1));
    text += fmt::format("complete -c concord -n {} -a {} -d {}\n",
                        quoted_for_fish(blank == std::string::npos ? "__fish_use_subcommand"
                                                                   : "__fish_seen_subcommand_from " + first),
                        verb.words.substr(blank == std::string::npos ? 0 : blank + 1),
                        quoted_for_fish(verb.summary));
    for (const auto& [option, help] : verb.options) {
      text += fmt::format("complete -c concord -n {} -l {} -d {}", quoted_for_fish(seen), option.substr(2),
                          quoted_for_fish(help.substr(0, help.find('\n'))));
      if (const auto value = values.find(option); value != values.end())
        text += fmt::format(" -x -a {}", quoted_for_fish(value->second.substr(1)));
      text += "\n";
    }
    if (first == "describe" || first == "check")
      text += fmt::format("complete -c concord -n {} -a {}\n", quoted_for_fish(seen),
                          quoted_for_fish(plugins.all.substr(1)));
  }
  return text;
}

}  // namespace

std::string completion(const std::string& shell, const std::vector<ManPage>& pages, Registry& registry) {
  const std::vector<CompletedVerb> verbs = completed_verbs(pages);
  const PluginNames plugins(registry);
  if (shell == "bash") return for_bash(verbs, plugins);
  if (shell == "zsh") return for_zsh(verbs, plugins);
  if (shell == "fish") return for_fish(verbs, plugins);
  fail(Fault::input, About{"--completion " + shell}, "expected one of bash, zsh, fish");
}

}  // namespace concord
