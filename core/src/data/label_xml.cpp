// SPDX-License-Identifier: MIT
#include <algorithm>
#include <pugixml.hpp>
#include <unordered_map>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "data/arff.hpp"

namespace concord {
namespace {

class LabelWalker : public pugi::xml_tree_walker {
 public:
  LabelWalker(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  std::vector<LabelName> labels;

  bool for_each(pugi::xml_node& node) override {
    if (node.type() != pugi::node_element) refuse_text(node);
    const std::string_view element = node.name();
    if (depth() == 0) {
      if (element != "labels") refuse(node, "the root element is {}, not <labels>", quote(element));
      if (has_root_) refuse(node, "a second root element {}", quote(element));
      has_root_ = true;
      return true;
    }
    if (element != "label") refuse(node, "{} is not a <label> element", quote(element));
    const pugi::xml_attribute name = node.attribute("name");
    if (name.empty() || *name.value() == '\0') refuse(node, "a <label> needs a name: <label name=\"...\">");
    LabelName label{name.value(), place(node)};
    const auto [first, is_new] = first_.emplace(label.name, label.place);
    if (!is_new) refuse(node, "label {} is given again (first at {})", quote(label.name), first->second);
    labels.push_back(std::move(label));
    return true;
  }

  std::string place(size_t at) const {
    at = std::min(at, text_.size());
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(at), '\n');
    const size_t newline = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
    return fmt::format("{}:{}:{}", name_, line, newline == std::string_view::npos ? at + 1 : at - newline);
  }

 private:
  std::string place(const pugi::xml_node& node) const {
    // pugixml points behind the '<' of an element.
    const ptrdiff_t bracket = node.type() == pugi::node_element ? 1 : 0;
    return place(static_cast<size_t>(std::max<ptrdiff_t>(node.offset_debug() - bracket, 0)));
  }
  template <class... Args>
  [[noreturn]] void refuse(const pugi::xml_node& node, fmt::format_string<Args...> message,
                           Args&&... args) const {
    throw Error(Fault::input, fmt::format(message, std::forward<Args>(args)...), {place(node)});
  }
  [[noreturn]] void refuse_text(const pugi::xml_node& node) const {
    const std::string_view text = node.value();
    const size_t blanks = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    fail(Fault::input,
         About{place(static_cast<size_t>(std::max<ptrdiff_t>(node.offset_debug(), 0)) + blanks)},
         "the text {} between the labels: write <label name=\"...\"></label>", quote(text.substr(blanks)));
  }

  std::string_view text_;
  const std::string& name_;
  bool has_root_ = false;
  std::unordered_map<std::string, std::string> first_;
};

}  // namespace

std::vector<LabelName> parse_label_xml(std::string_view text, const std::string& name) {
  LabelWalker walker(text, name);
  // pugixml would take a zero byte for the end of a name.
  if (const size_t zero = text.find('\0'); zero != std::string_view::npos)
    fail(Fault::input, About{walker.place(zero)},
         "'\\x00' is no character of a text: the labels are plain XML");
  pugi::xml_document document;
  // Bytes as they are, for names must equal those of the ARFF file, which declares no encoding. As a
  // fragment, for pugixml would skip text outside the root element without a word.
  const pugi::xml_parse_result result = document.load_buffer(
      text.data(), text.size(), pugi::parse_default | pugi::parse_fragment, pugi::encoding_utf8);
  if (!result) {
    std::string reason = result.description();
    std::transform(reason.begin(), reason.begin() + 1, reason.begin(), ::tolower);
    fail(Fault::input, About{walker.place(static_cast<size_t>(std::max<ptrdiff_t>(result.offset, 0)))},
         "not XML: {}", reason);
  }
  document.traverse(walker);
  if (walker.labels.empty())
    fail(Fault::input, About{walker.place(0)},
         "there is no label: write <labels><label name=\"...\"></label>...</labels>");
  return std::move(walker.labels);
}

std::vector<LabelName> read_label_xml(const std::filesystem::path& file) {
  return parse_label_xml(read_whole_file(file), file.string());
}

std::filesystem::path find_label_xml(const std::filesystem::path& arff) {
  namespace fs = std::filesystem;
  std::vector<fs::path> candidates = {fs::path(arff).replace_extension(".xml")};
  const std::string stem = arff.stem().string();
  for (const std::string_view ending : {"-train", "-test"})
    if (stem.size() > ending.size() && stem.ends_with(ending))
      candidates.push_back(arff.parent_path() / (stem.substr(0, stem.size() - ending.size()) + ".xml"));
  std::error_code ignored;
  for (const fs::path& candidate : candidates)
    if (fs::is_regular_file(candidate, ignored)) return candidate;

  std::vector<fs::path> others;
  const fs::path folder = arff.has_parent_path() ? arff.parent_path() : ".";
  for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored))
    if (it->path().extension() == ".xml")
      others.push_back(arff.has_parent_path() ? it->path() : it->path().filename());
  if (others.size() == 1) return others[0];
  std::vector<std::string> looked;
  for (const fs::path& candidate : candidates) looked.push_back(candidate.string());
  fail(Fault::input, About{arff.string()},
       "which attributes are labels? There is no {}, and {} .xml files in {}: name Mulan's XML file",
       fmt::join(looked, ", no "), others.empty() ? "no other" : std::to_string(others.size()),
       folder.string());
}

}  // namespace concord
