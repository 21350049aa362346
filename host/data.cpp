// SPDX-License-Identifier: MIT
// concord data: one sub-verb per file, as the verbs of concord itself.
#include "data.hpp"

#include "man.hpp"

namespace concord {
namespace po = boost::program_options;
namespace {

constexpr Verb kSubVerbs[] = {
    {"info", "sizes, label frequencies, and which labels go together", run_data_info},
    {"convert", "between ARFF, CSV, NumPy, LIBSVM and XC text", run_data_convert},
    {"generate", "a planted model with labels that attract and repel each other", run_data_generate},
    {"fetch", "download a published dataset, and check its sums", run_data_fetch},
    {"problems", "the decoding problems of a model, as files for decode", run_data_problems},
};

std::string help() {
  std::string text = "usage: concord data SUBVERB [ARGUMENTS]\n\nSub-verbs:\n";
  for (const Verb& verb : kSubVerbs) text += fmt::format("  {:<10} {}\n", verb.name, verb.summary);
  return text + "\n'concord data SUBVERB --help' explains one.\n";
}

/// That of `concord data`, and those of the sub-verbs.
void add_pages(const std::string& summary, Context& context) {
  ManPage page{"concord-data", 1, summary, "concord data SUBVERB [ARGUMENTS]",
               "Each sub-verb has a page of its own."};
  ManPage::Section& section = page.sections.emplace_back(ManPage::Section{"Sub-verbs", ""});
  for (const Verb& verb : kSubVerbs) {
    section.items.emplace_back(verb.name, verb.summary);
    page.see_also.push_back(fmt::format("concord-data-{}(1)", verb.name));
    verb.run({kPageWord, verb.summary}, context);
  }
  context.pages->push_back(std::move(page));
}

}  // namespace

Exit run_data(const Strings& words, Context& context) {
  Strings names;
  for (const Verb& verb : kSubVerbs) names.emplace_back(verb.name);
  if (words.empty())
    fail(Fault::input, "concord data needs a sub-verb: {}; 'concord data --help' explains them",
         fmt::join(names, ", "));
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    context.out.write(help());
    return Exit::done;
  }
  if (context.pages != nullptr && words[0] == kPageWord && words.size() == 2) {
    add_pages(words[1], context);
    return Exit::done;
  }
  for (const Verb& verb : kSubVerbs)
    if (words[0] == verb.name) return verb.run({words.begin() + 1, words.end()}, context);
  fail(Fault::input, "there is no sub-verb 'data {}'{} (sub-verbs: {})", words[0],
       did_you_mean(words[0], names), fmt::join(names, ", "));
}

void add_source_options(Arguments& arguments) {
  arguments.add()("labels", po::value<std::string>()->value_name("WHERE"), kLabelsHelp)(
      "ignore", po::value<std::string>()->value_name("COLUMNS"), kIgnoreHelp)(
      "format", po::value<std::string>()->default_value("detect")->value_name("F"), kFormatHelp);
}

DataSource source_for(const Arguments& arguments, const std::string& file) {
  DataSource source;
  source.file = file;
  if (arguments.has("labels")) source.labels = arguments.get<std::string>("labels");
  if (arguments.has("ignore")) source.ignore = arguments.get<std::string>("ignore");
  source.format = parse_data_format(arguments.get<std::string>("format"));
  return source;
}

}  // namespace concord
