// SPDX-License-Identifier: MIT
#include "check/test.hpp"

#include <algorithm>
#include <fcntl.h>
#include <unistd.h>

#include <concord/kit/rng.hpp>

#include "base/error.hpp"

namespace concord::check {

Subject::Subject(std::filesystem::path file, uint64_t seed, double seconds, Recorder& recorder,
                 std::vector<Setting> settings)
    : file_(std::move(file)),
      seed_(seed),
      watch_(::getpgrp()),
      short_(seconds * 2 / 3),
      recorder_(recorder),
      settings_(std::move(settings)) {}

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
  std::vector<Setting> all = settings;
  for (const Setting& given : settings_)
    if (std::none_of(settings.begin(), settings.end(), [&](const Setting& s) { return s.key == given.key; }))
      all.push_back(given);
  OptionValues values(plugin().id(), plugin().options(), all, errors);
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

namespace {

std::vector<Test> united(std::initializer_list<std::vector<Test>> lists) {
  std::vector<Test> tests;
  for (const auto& list : lists) tests.insert(tests.end(), list.begin(), list.end());
  return tests;
}

}  // namespace

std::vector<Test> drawn_tests_of(int32_t kind) {
  switch (kind) {
    case CONCORD_DECODER:
      return united({answer_tests(), family_tests()});
    case CONCORD_LOSS:
      return loss_tests();
    case CONCORD_ROUNDING:
      return rounding_tests();
    default:
      return {};
  }
}

std::vector<Test> tests_of(int32_t kind) {
  if (kind == 0) return loading_tests();
  const bool decodes = kind == CONCORD_DECODER;
  return united({loading_tests(), option_tests(), drawn_tests_of(kind),
                 decodes ? repetition_tests() : std::vector<Test>(),
                 decodes ? interruption_tests() : std::vector<Test>(), process_tests()});
}

}  // namespace concord::check
