// SPDX-License-Identifier: MIT
#include "data/fetch.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/files.hpp"

namespace concord {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMulan =
    "https://raw.githubusercontent.com/tsoumakas/mulan/43f6389095ad71984264db4387a8074b22bc7d4a/data/"
    "multi-label";

struct Sums {
  const char *name, *train, *test, *xml;
};

constexpr Sums kSums[] = {
    {"yeast", "e759dc991ff54694a4ff9c4314f3be0d6fd2b1994a4b563f57e416394c6aebbd",
     "4aaac102bff9669a765bf0b378602e5cc8c3b181048282e2f003117b496d552a",
     "c3056cc26444b5158b1588d1b73bec9c45429e10f0957ad085903423cb81f247"},
    {"enron", "2988cefc1cdf7a8004a20ef84615cc8fa1b5d7434c16687283b41454e2d9d194",
     "2f3aad54a8f54caaab4ab01246fe9dd385ba944a2633028f52747b57eac5474e",
     "ed40c92d7f613eed51714912cab10dddc4ce456262137d8fef230d44c7f4457b"},
    {"medical", "c764f45756ab1c553b8b4eaaf5605a5610a43bbbcf37492d0f1a12bf9c9e2244",
     "6be472e75a6c0b0916187f343a398011b1b26f8f0ddc682c575312ad3532f6c4",
     "51fa9d5c09e48caff3f0a0c75db1c9aa85944f8e35451f3ad8bd56fc422286ce"},
    {"bibtex", "8dcc9de6e0b2cebaec8c1f4fac78431adeeb73cfd3ab879b530a66d366e59174",
     "9b03329cde64d3f994bdf7fbbac3f3b10fe185c311cb9ae725475f59c7f3f922",
     "08fe20013c1e75dcf1888c185f5187c95e76495b8518ce289b4d3afce38d1232"},
    {"delicious", "030186cdb542ebdd32052fcdbb1ebe30115b3a22518c1b4b198c45eb827aebe1",
     "2dfb01723a819914b0ca83361177ed413ce3f2169851d9f228d4692915d63944",
     "4e0c0f93c7d86a39b9fca4aaefaa00e9428f2c80277732dfbf03ca48e2c14da2"},
};

/// Runs curl without a shell, so that no name is ever interpreted. Empty, or why it failed.
std::string run_curl(const std::string& url, const fs::path& file) {
  const std::string output = file.string();
  const char* const arguments[] = {"curl",         "--fail",  "--location", "--silent",
                                   "--show-error", "--proto", "=https",     "--output",
                                   output.c_str(), "--",      url.c_str(),  nullptr};
  const pid_t pid = ::fork();
  if (pid < 0) return fmt::format("no child process: {}", std::strerror(errno));
  if (pid == 0) {
    ::execvp("curl", const_cast<char* const*>(arguments));
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return fmt::format("curl was ended by signal {}", WTERMSIG(status));
  if (WEXITSTATUS(status) == 127) return "the program 'curl' is not there";
  if (WEXITSTATUS(status) != 0) return fmt::format("curl ended with exit code {}", WEXITSTATUS(status));
  return "";
}

/// Removes a temporary file, whatever happens.
struct Temporary {
  fs::path path;
  ~Temporary() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
};

/// Empty, or why the file could not be had.
std::string download(const PublishedFile& file, const fs::path& target) {
  const Temporary temporary{fmt::format("{}.{}.tmp", target.string(), ::getpid())};
  if (std::string reason = run_curl(file.url, temporary.path); !reason.empty()) return reason;
  const std::string bytes = read_whole_file(temporary.path);
  const std::string sum = sha256_hex(bytes);
  if (sum != file.sha256)
    return fmt::format("what came has the SHA-256 sum {}, so it is not the published file", sum);
  write_file_atomically(target, bytes);
  return "";
}

}  // namespace

std::vector<std::string> published_datasets() {
  std::vector<std::string> names;
  for (const Sums& sums : kSums) names.emplace_back(sums.name);
  return names;
}

std::vector<PublishedFile> published_files(const std::string& dataset) {
  for (const Sums& sums : kSums) {
    if (dataset != sums.name) continue;
    std::vector<PublishedFile> files;
    const auto add = [&](const char* ending, const char* sum) {
      const std::string name = dataset + ending;
      files.push_back({name, fmt::format("{}/{}/{}", kMulan, dataset, name), sum});
    };
    add("-train.arff", sums.train);
    add("-test.arff", sums.test);
    add(".xml", sums.xml);
    return files;
  }
  fail(Fault::input, "there is no dataset '{}'{} (datasets: {})", dataset,
       did_you_mean(dataset, published_datasets()), fmt::join(published_datasets(), ", "));
}

std::vector<FetchedFile> fetch_dataset(const std::string& dataset, const fs::path& directory) {
  const std::vector<PublishedFile> files = published_files(dataset);
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) fail(Fault::io, About{directory.string()}, "cannot be made: {}", error.message());
  std::vector<FetchedFile> fetched;
  std::vector<const PublishedFile*> missing;
  for (const PublishedFile& file : files) {
    const fs::path target = directory / file.name;
    if (!fs::exists(target)) {
      missing.push_back(&file);
      continue;
    }
    if (sha256_hex(read_whole_file(target)) != file.sha256)
      fail(Fault::input, About{target.string()},
           "is there, but is not the published file (SHA-256 {}); move it away", file.sha256);
    fetched.push_back({target, true});
  }
  for (size_t i = 0; i < missing.size(); ++i) {
    const fs::path target = directory / missing[i]->name;
    if (const std::string failure = download(*missing[i], target); !failure.empty()) {
      std::string by_hand;
      for (; i < missing.size(); ++i)
        by_hand += fmt::format("\n  {}\n    SHA-256 {}", missing[i]->url, missing[i]->sha256);
      fail(Fault::io,
           "{} could not be fetched: {}\nBy hand: download these files into the folder {}, and run the same "
           "command "
           "again, which checks their sums:{}",
           dataset, failure, directory.string(), by_hand);
    }
    fetched.push_back({target, false});
  }
  return fetched;
}

}  // namespace concord
