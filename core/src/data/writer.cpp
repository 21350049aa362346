// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/files.hpp"
#include "base/text.hpp"
#include "data/files.hpp"

namespace concord {
namespace {

/// As it is if every reader of ARFF takes it so, else in quotes.
std::string arff_name(const std::string& name) {
  const auto plain = [](char letter) {
    return letter > ' ' && letter <= '~' &&
           std::string_view("{},%'\"\\?").find(letter) == std::string_view::npos;
  };
  if (!name.empty() && std::all_of(name.begin(), name.end(), plain)) return name;
  std::string quoted = "'";
  for (const char letter : name) switch (letter) {
      case '\'':
      case '\\':
        quoted += {'\\', letter};
        break;
      case '\n':
        quoted += "\\n";
        break;
      case '\r':
        quoted += "\\r";
        break;
      case '\t':
        quoted += "\\t";
        break;
      default:
        quoted += letter;
    }
  return quoted + "'";
}

std::string xml_name(const std::string& name) {
  std::string text;
  for (const char letter : name) switch (letter) {
      case '&':
        text += "&amp;";
        break;
      case '<':
        text += "&lt;";
        break;
      case '>':
        text += "&gt;";
        break;
      case '"':
        text += "&quot;";
        break;
      default:
        // A reader of XML makes blanks of the control characters that are not written as numbers.
        if (static_cast<unsigned char>(letter) < ' ')
          text += fmt::format("&#{};", static_cast<int>(letter));
        else
          text += letter;
    }
  return text;
}

/// A missing value is '?'.
void put_value(fmt::memory_buffer& out, double value) {
  std::isnan(value) ? put(out, "?") : put(out, "{}", value);
}

void put_sparse_row(fmt::memory_buffer& out, const Dataset& dataset, int64_t i) {
  const char* separator = "{";
  dataset.X.for_row(i, [&](int64_t j, double value) {
    put(out, "{}{} ", separator, j);
    put_value(out, value);
    separator = ",";
  });
  for (int64_t v = 0; v < dataset.labels(); ++v)
    if (dataset.Y(v, i) > 0) {
      put(out, "{}{} 1", separator, dataset.features() + v);
      separator = ",";
    }
  put(out, "{}\n", *separator == '{' ? "{}" : "}");
}

void put_dense_row(fmt::memory_buffer& out, const Dataset& dataset, int64_t i) {
  const char* separator = "";
  for (int64_t j = 0; j < dataset.features(); ++j) {
    put(out, "{}", separator);
    put_value(out, dataset.X.dense()(i, j));
    separator = ",";
  }
  for (int64_t v = 0; v < dataset.labels(); ++v) {
    put(out, "{}{}", separator, dataset.Y(v, i) > 0 ? 1 : 0);
    separator = ",";
  }
  put(out, "\n");
}

}  // namespace

std::string arff_text(const Dataset& dataset) {
  fmt::memory_buffer out;
  put(out, "@relation {}\n\n", arff_name(dataset.name));
  for (int64_t j = 0; j < dataset.features(); ++j)
    put(out, "@attribute {} numeric\n",
        dataset.feature_names.empty() ? fmt::format("x{}", j + 1)
                                      : arff_name(dataset.feature_names[static_cast<size_t>(j)]));
  for (const std::string& label : dataset.label_names) put(out, "@attribute {} {{0,1}}\n", arff_name(label));
  put(out, "\n@data\n");
  for (int64_t i = 0; i < dataset.instances(); ++i)
    if (dataset.X.is_sparse())
      put_sparse_row(out, dataset, i);
    else
      put_dense_row(out, dataset, i);
  return fmt::to_string(out);
}

std::string label_xml_text(const std::vector<std::string>& label_names) {
  fmt::memory_buffer out;
  put(out,
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<labels xmlns=\"http://mulan.sourceforge.net/labels\">\n");
  for (const std::string& label : label_names) put(out, "<label name=\"{}\"></label>\n", xml_name(label));
  put(out, "</labels>\n");
  return fmt::to_string(out);
}

std::string libsvm_text(const Dataset& dataset) {
  fmt::memory_buffer out;
  const int64_t d = dataset.features();
  for (int64_t i = 0; i < dataset.instances(); ++i) {
    const auto labels = positives(dataset.Y.col(i));
    put(out, "{}", fmt::join(labels, ","));
    int64_t last = 0;
    dataset.X.for_row(i, [&](int64_t j, double value) {
      if (value == 0) return;
      put(out, " {}:{}", j + 1, value);
      last = j + 1;
    });
    const bool invisible = last == 0 && labels.empty();
    if (last < d && (i == 0 || invisible)) put(out, " {}:0", d);
    put(out, "\n");
  }
  return fmt::to_string(out);
}

void write_arff(const Dataset& dataset, const std::filesystem::path& arff, const std::filesystem::path& xml) {
  write_file_atomically(arff, arff_text(dataset));
  write_file_atomically(xml, label_xml_text(dataset.label_names));
}

}  // namespace concord
