// SPDX-License-Identifier: MIT
// The keys of what a model learns from: [preprocess] and [scores].
#include "config/key_builder.hpp"

namespace concord {
namespace {

using Form = SettingKey::Form;
using Key = KeyBuilder;

/// The width of a kernel, a base of its own.
template <class Width>
Key kernel_width(const char* name, const char* help, Width width) {
  return Key("scores", name, Form::grid, help).number(width, kPositive).not_of_ovr();
}

/// What belongs to a kernel is refused without the width of the kernel.
template <class Width>
Key with_width(Key key, const char* width_name, Width width) {
  const std::string sentence = fmt::format("there is no such base: give scores.{}", width_name);
  key.contradictions.push_back({"without its width",
                                {},
                                [width](const Settings& s) { return !width(s); },
                                [sentence](const Settings&) { return sentence; }});
  return key;
}

template <class Lambda, class Width>
Key kernel_lambda(const char* name, Lambda lambda, const char* width_name, Width width) {
  return with_width(
      Key("scores", name, Form::grid, "its regularisation; absent: 1").number(lambda, kPositive), width_name,
      width);
}

}  // namespace

std::vector<SettingKey> preprocess_keys() {
  return {
      Key("preprocess", "missing", Form::grid,
          "what a missing feature is filled with, from the training rows; absent: data with missing features are "
          "refused")
          .choice<Missing>(
              [](auto& s) -> auto& { return s.preprocess.missing; },
              {{Missing::mean, "the mean of the column"},
               {Missing::most_frequent, "the value that the column has most often; of several the least"},
               {Missing::indicator, "the mean, and a column more that says where the value is missing"}}),
      Key("preprocess", "scale", Form::grid,
          "how features are scaled; absent: l2 where few features are not 0, standardise where deviations of dense "
          "columns differ by a factor above 10, else none")
          .choice<Scale>(
              [](auto& s) -> auto& { return s.preprocess.scale; },
              {{Scale::none, ""},
               {Scale::l2, "rows to norm 1"},
               {Scale::standardise, "columns to variance 1, and to mean 0 where features are dense"},
               {Scale::idf, "columns weighted by inverse frequency, then rows to norm 1"}}),
      Key("preprocess", "features", Form::grid,
          "whether W looks at the features, not at the constant one alone; absent: false for the method "
          "likelihood with bases of scores, else true")
          .boolean([](auto& s) -> auto& { return s.preprocess.features; })
          .refused(
              "when true, with the method likelihood and bases of scores",
              {"train.method", "preprocess.features", "scores.rbf_width", "scores.laplace_width",
               "scores.ovr_lambda", "scores.file"},
              [](const Settings& s) {
                return s.preprocess.features.value_or(false) && s.train.method == Method::likelihood &&
                       s.scores.any();
              },
              [](const Settings&) -> std::string {
                return "method likelihood weighs the bases of scores, and fits no W beside them; "
                       "scores.ovr_lambda is a base of the features";
              }),
      Key("preprocess", "bias", Form::grid,
          "value of the constant feature; 0: none; absent: 1, of one-versus-rest the best of 1, 10 and 30 in "
          "validation")
          .number(
              [](auto& s) -> auto& { return s.preprocess.bias; }, kNonNegative)
          .refused(
              "when 0, with the method likelihood", {"train.method", "preprocess.bias"},
              [](const Settings& s) {
                return s.train.method == Method::likelihood && s.preprocess.bias == 0;
              },
              [](const Settings&) -> std::string {
                return "method likelihood keeps the offset of each label in the weight of the constant "
                       "feature";
              }),
      Key("preprocess", "fourier", Form::grid,
          "so many random Fourier features in place of the scaled features; absent: none")
          .integer(
              [](auto& s) -> auto& { return s.preprocess.fourier; }, 1, 1'000'000),
      Key("preprocess", "fourier_width", Form::grid,
          "width of the Gaussian kernel of Fourier features; absent: 1")
          .number(
              [](auto& s) -> auto& { return s.preprocess.fourier_width; }, kPositive)
          .refused(
              "without fourier", {"preprocess.fourier"},
              [](const Settings& s) { return !s.preprocess.fourier.has_value(); },
              [](const Settings&) -> std::string {
                return "there are no Fourier features: give preprocess.fourier, how many";
              }),
  };
}

std::vector<SettingKey> score_keys() {
  const auto rbf_width = [](auto& s) -> auto& {
    return s.scores.rbf_width;
  };
  const auto laplace_width = [](auto& s) -> auto& {
    return s.scores.laplace_width;
  };
  return {
      kernel_width(
          "rbf_width",
          "kernel ridge regression with the kernel exp(-d^2 / 2w^2) of the distance d of two rows: its width w, "
          "in units of the root mean square distance of two training rows; absent: no such base",
          rbf_width),
      kernel_lambda(
          "rbf_lambda", [](auto& s) -> auto& { return s.scores.rbf_lambda; }, "rbf_width", rbf_width),
      with_width(
          Key("scores", "rbf_features", Form::grid,
              "so many random Fourier features in the place of the kernel itself, for any number of rows; "
              "absent: the kernel")
              .integer(
                  [](auto& s) -> auto& { return s.scores.rbf_features; }, 1, 20'000),
          "rbf_width", rbf_width),
      kernel_width(
          "laplace_width",
          "kernel ridge regression with the kernel exp(-d / w): its width w, in the units of rbf_width; "
          "absent: no such base",
          laplace_width),
      kernel_lambda(
          "laplace_lambda", [](auto& s) -> auto& { return s.scores.laplace_lambda; }, "laplace_width",
          laplace_width),
      Key("scores", "ovr_lambda", Form::grid,
          "logistic one-versus-rest, cross-fitted: its lambda_w; absent: no such base")
          .number(
              [](auto& s) -> auto& { return s.scores.ovr_lambda; }, kPositive)
          .not_of_ovr(),
      Key("scores", "file", Form::single,
          "scores of the training rows by somebody else, out of sample: .npy or .csv, a row for each "
          "instance, a column for each label (or several blocks of such columns)")
          .path([](auto& s) -> auto& { return s.scores.file; })
          .not_of_ovr(),
      Key("scores", "given", Form::single,
          "so many bases come with the data: the last columns of the features are their scores, one for each "
          "label; absent: as many as scores.file has, or none")
          .integer(
              [](auto& s) -> auto& { return s.scores.given; }, 1, 1000)
          .not_of_ovr(),
  };
}

}  // namespace concord
