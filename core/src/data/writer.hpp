// SPDX-License-Identifier: MIT
#pragma once
// From a Dataset to files. Numbers are written so that reading them gives the same bits.
#include <filesystem>
#include <string>
#include <vector>

#include "data/dataset.hpp"

namespace concord {

/// Sparse rows if X is sparse; labels are the last attributes. Features without names are x1, ..., xd.
std::string arff_text(const Dataset& dataset);
/// Mulan's XML for these labels.
std::string label_xml_text(const std::vector<std::string>& label_names);
/// Zeros are left out, except one that keeps d, and one that keeps an instance without labels and features visible.
/// Names are lost, and so are labels at the end that no instance has.
std::string libsvm_text(const Dataset& dataset);

/// Each file is whole or not there.
void write_arff(const Dataset& dataset, const std::filesystem::path& arff, const std::filesystem::path& xml);
void write_libsvm(const Dataset& dataset, const std::filesystem::path& file);

}  // namespace concord
