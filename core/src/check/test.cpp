// SPDX-License-Identifier: MIT
#include "check/test.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <concord/kit/rng.hpp>

#include "base/error.hpp"

namespace concord::check {

Subject::Subject(std::filesystem::path file, uint64_t seed, double seconds, Recorder& recorder)
    : file_(std::move(file)),
      seed_(seed),
      watch_(::getpgrp()),
      short_(seconds * 2 / 3),
      recorder_(recorder) {}

std::shared_ptr<const Plugin> Subject::shared_plugin() {
  if (!plugin_) {
    note("loading");
    plugin_ = std::make_shared<const Plugin>(file_);
    note("running");
  }
  return plugin_;
}

uint64_t Subject::seed_of(const char* what) const {
  uint64_t seed = seed_;
  for (const char* ch = what; *ch != '\0'; ++ch) seed = kit::derive(seed, static_cast<uint64_t>(*ch));
  return seed;
}

OptionValues Subject::options(const std::vector<Setting>& settings) {
  ErrorList errors;
  OptionValues values(plugin().id(), plugin().options(), settings, errors);
  if (!errors.empty()) throw Failure(errors.all().front().what());
  return values;
}

bool Subject::time_is_short() {
  return watch_.cpu_seconds() > short_;
}

std::string complaint(const Error& error, const std::string& name) {
  const std::string sentence = error.what();
  return sentence.starts_with(name + " ") ? sentence.substr(name.size() + 1) : sentence;
}

void silence_standard_output() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, 1);
}

std::vector<Test> tests_of(int32_t kind) {
  std::vector<Test> tests;
  const auto add = [&](const std::vector<Test>& more) {
    tests.insert(tests.end(), more.begin(), more.end());
  };
  add(loading_tests());
  if (kind == 0) return tests;
  add(option_tests());
  if (kind == CONCORD_DECODER) {
    add(answer_tests());
    add(family_tests());
    add(repetition_tests());
    add(interruption_tests());
  } else {
    add(kind == CONCORD_LOSS ? loss_tests() : rounding_tests());
  }
  add(process_tests());
  return tests;
}

}  // namespace concord::check
