// SPDX-License-Identifier: MIT
// concord data info: a dataset at a glance.
#include <algorithm>
#include <numeric>

#include "data.hpp"
#include "data/dataset.hpp"

namespace concord {
namespace {

constexpr int64_t kPairs = 10;        // of each sign
constexpr size_t kAllLabels = 24;     // up to so many labels are all listed,
constexpr size_t kMostFrequent = 12;  // otherwise the most and the least frequent
constexpr size_t kLeastFrequent = 4;

double share(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

const std::string& label(const Dataset& data, int64_t v) {
  return data.label_names[static_cast<size_t>(v)];
}

/// A name as it may be shown: a control character would act on the terminal.
std::string shown(std::string name) {
  for (char& letter : name)
    if (static_cast<unsigned char>(letter) < ' ' || letter == '\x7f') letter = '?';
  return name;
}

Json pairs_json(const Dataset& data, const std::vector<LabelPair>& pairs) {
  Json rows = Json::array();
  for (const LabelPair& pair : pairs)
    rows.push_back({{"labels", {label(data, pair.v), label(data, pair.w)}},
                    {"phi", pair.phi},
                    {"together", pair.together}});
  return rows;
}

Json info_json(const std::string& file, const Dataset& data, const DatasetInfo& info) {
  Json frequencies = Json::array();
  for (int64_t v = 0; v < data.labels(); ++v) {
    const int64_t positives = info.positives[static_cast<size_t>(v)];
    frequencies.push_back(
        {{"label", label(data, v)}, {"instances", positives}, {"share", share(positives, data.instances())}});
  }
  return {{"file", file},
          {"name", data.name},
          {"instances", data.instances()},
          {"features", data.features()},
          {"labels", data.labels()},
          {"sparse", data.X.is_sparse()},
          {"nonzeros", info.nonzeros},
          {"feature_density", share(info.nonzeros, data.instances() * data.features())},
          {"cardinality", info.cardinality},
          {"label_density", info.cardinality / static_cast<double>(data.labels())},
          {"fewest_labels", info.fewest},
          {"most_labels", info.most},
          {"without_labels", info.without_labels},
          {"labelsets", info.labelsets},
          {"label_frequencies", frequencies},
          {"attracting", pairs_json(data, info.attracting)},
          {"repelling", pairs_json(data, info.repelling)}};
}

std::string frequencies_text(const Dataset& data, const DatasetInfo& info) {
  std::vector<int64_t> order(static_cast<size_t>(data.labels()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t v, int64_t w) {
    return info.positives[static_cast<size_t>(v)] > info.positives[static_cast<size_t>(w)];
  });
  std::string text = "\nlabel frequencies\n";
  for (size_t i = 0; i < order.size(); ++i) {
    if (order.size() > kAllLabels && i == kMostFrequent) {
      i = order.size() - kLeastFrequent;
      text += fmt::format("  ... {} more ...\n", i - kMostFrequent);
    }
    const int64_t positives = info.positives[static_cast<size_t>(order[i])];
    text += fmt::format("  {:>8}  {:>5.1f} %  {}\n", positives, 100 * share(positives, data.instances()),
                        shown(label(data, order[i])));
  }
  return text;
}

std::string pairs_text(const Dataset& data, const std::vector<LabelPair>& pairs, const char* title) {
  std::string text = fmt::format("\n{} (phi, instances with both)\n", title);
  if (pairs.empty()) return text + "  none\n";
  for (const LabelPair& pair : pairs)
    text += fmt::format("  {:>+6.3f}  {:>6}  {}, {}\n", pair.phi, pair.together, shown(label(data, pair.v)),
                        shown(label(data, pair.w)));
  return text;
}

std::string info_text(const std::string& file, const Dataset& data, const DatasetInfo& info) {
  std::string text = fmt::format("{}: {}\n", file, shown(data.name));
  text += fmt::format("instances    {}\n", data.instances());
  text += fmt::format("features     {}, {}: {:.3g} % are not 0\n", data.features(),
                      data.X.is_sparse() ? "sparse" : "dense",
                      100 * share(info.nonzeros, data.instances() * data.features()));
  text += fmt::format("labels       {}\n", data.labels());
  text += fmt::format("cardinality  {:.3f} labels per instance, {} to {}; {} without any\n", info.cardinality,
                      info.fewest, info.most, info.without_labels);
  text += fmt::format("density      {:.4f} of the labels per instance\n",
                      info.cardinality / static_cast<double>(data.labels()));
  text += fmt::format("labelsets    {} different\n", info.labelsets);
  return text + frequencies_text(data, info) + pairs_text(data, info.attracting, "strongest attraction") +
         pairs_text(data, info.repelling, "strongest repulsion");
}

}  // namespace

Exit run_data_info(const Strings& words, Context& context) {
  Arguments arguments(
      "data info FILE [--labels WHERE] [--ignore COLUMNS] [--format F] [--json]",
      R"(Sizes of a dataset, label frequencies, and the label pairs of largest and smallest correlation
(phi coefficient).)");
  arguments.positional("FILE");
  add_source_options(arguments);
  arguments.add()("json", "one JSON object on standard output");
  if (!arguments.parse(words, context)) return Exit::done;
  const std::string file = arguments.required("FILE");
  const Dataset data = read_dataset(source_for(arguments, file));
  const DatasetInfo info = dataset_info(data, kPairs);
  context.out.write(arguments.has("json") ? to_line(info_json(file, data, info))
                                          : info_text(file, data, info));
  return Exit::done;
}

}  // namespace concord
