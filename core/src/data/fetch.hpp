// SPDX-License-Identifier: MIT
#pragma once
// The published datasets: where they are, and how to know them.
#include <filesystem>
#include <string>
#include <vector>

namespace concord {

struct PublishedFile {
  std::string name, url, sha256;
};

/// Names of the datasets that can be fetched.
std::vector<std::string> published_datasets();
/// Fault::input with the names if there is no such dataset.
std::vector<PublishedFile> published_files(const std::string& dataset);

struct FetchedFile {
  std::filesystem::path path;
  bool was_there = false;
};

/// Downloads the files of a dataset into `directory` with the program `curl`. A file that is there with the
/// right sum is kept, one with another sum is refused (Fault::input) and left alone. What cannot be had is
/// Fault::io, and the message says how to do it by hand.
std::vector<FetchedFile> fetch_dataset(const std::string& dataset, const std::filesystem::path& directory);

}  // namespace concord
