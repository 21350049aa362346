// SPDX-License-Identifier: MIT
#include "config/keys.hpp"

#include "config/key_builder.hpp"

namespace concord {
namespace {

using Form = SettingKey::Form;
using Key = KeyBuilder;

std::string method_is(const Settings& settings) {
  return fmt::format("train.method is {}", name_of(settings.train.method));
}

bool is_ovr(const Settings& settings) {
  return settings.train.method == Method::ovr;
}

/// Sets two fields: a rule, and the number of one that is fixed.
Key threshold_key() {
  Key key("predict", "threshold", Form::grid, "what turns scores or u into labels");
  key.type = "number";
  key.choices = {
      {name_of(ThresholdKind::none), "the rounding decides"},
      {name_of(ThresholdKind::tuned), "one for all labels, tuned in validation"},
      {name_of(ThresholdKind::per_label), "one for each label, tuned in validation"},
      {name_of(ThresholdKind::expected_f1), "for each instance the labels with the largest expected F1"},
      {name_of(ThresholdKind::direct_f1),
       "the same by kernel ridge regression of F1 itself, without a joint"}};
  key.read = [](const ConfigValue& value, Settings& settings) {
    PredictSettings& predict = settings.predict;
    predict.threshold_value = 0;
    if (!value.is_string()) {
      predict.threshold_value =
          read_real(value, "a finite number, none, tuned, per-label, expected-f1 or direct-f1");
      predict.threshold = ThresholdKind::fixed;
    } else {
      predict.threshold = read_choice(value,
                                      {ThresholdKind::none, ThresholdKind::tuned, ThresholdKind::per_label,
                                       ThresholdKind::expected_f1, ThresholdKind::direct_f1},
                                      "a number, ");
    }
  };
  key.write = [](const Settings& settings) {
    return settings.predict.threshold == ThresholdKind::fixed ? json_of(settings.predict.threshold_value)
                                                              : json_of(settings.predict.threshold);
  };
  return key;
}

bool is_direct(const Settings& settings) {
  return settings.predict.threshold == ThresholdKind::direct_f1;
}

/// The rule that looks at nothing but kernels, beside what it excludes.
Key direct_threshold_key() {
  return threshold_key()
      .refused(
          "when direct-f1, without a kernel or beside other bases",
          {"predict.threshold", "scores.rbf_width", "scores.rbf_features", "scores.laplace_width",
           "scores.ovr_lambda", "scores.file", "scores.given"},
          [](const Settings& s) {
            const ScoreSettings& scores = s.scores;
            return is_direct(s) && (!scores.has_kernel_matrix() || scores.rbf_features || scores.ovr_lambda ||
                                    !scores.file.empty() || scores.given);
          },
          [](const Settings&) -> std::string {
            return "direct-f1 is a regression by kernels: give scores.rbf_width or scores.laplace_width, no "
                   "scores.rbf_features and no other base";
          })
      .refused(
          "when direct-f1, with a method other than likelihood or with a prior",
          {"predict.threshold", "train.method", "train.prior"},
          [](const Settings& s) {
            return is_direct(s) && (s.train.method != Method::likelihood || s.train.prior != PriorSign::none);
          },
          [](const Settings&) -> std::string {
            return "direct-f1 looks neither at W nor at A: it needs train.method = \"likelihood\" and train.prior "
                   "= \"none\"";
          })
      .refused(
          "when direct-f1, with known labels", {"predict.threshold", "train.known"},
          [](const Settings& s) { return is_direct(s) && s.train.known.value_or(0) > 0; },
          [](const Settings&) -> std::string {
            return "direct-f1 has no joint, so known labels tell it nothing; expected-f1 has one";
          });
}

std::vector<SettingKey> run_keys() {
  Key plugin_dirs("run", "plugin_dirs", Form::paths,
                  "folders in which plugins are looked for, after those of the command line");
  plugin_dirs.type = "paths";
  return {
      Key("run", "seed", Form::single, "same seed, same model, for any number of threads")
          .special(
              "integer", "", [](auto& s) -> auto& { return s.run.seed; }, read_seed)
          .at_least(0),
      Key("run", "threads", Form::single, "0: as many as the machine has")
          .integer(
              [](auto& s) -> auto& { return s.run.threads; }, 0, 256),
      Key("run", "checkpoint", Form::single, "seconds between checkpoints; 0: after every epoch")
          .number(
              [](auto& s) -> auto& { return s.run.checkpoint; }, kNonNegative),
      plugin_dirs,
  };
}

std::vector<SettingKey> data_keys() {
  return {
      Key("data", "train", Form::single, "the training data").path([](auto& s) -> auto& {
        return s.data.train;
      }),
      Key("data", "labels", Form::single,
          "where the labels are: Mulan's XML, the labels of a NumPy file, or columns as \"a,b\", \"tag_*\" or "
          "\"last:5\"; absent: found beside the data, or in them")
          .special(
              "string", "", [](auto& s) -> auto& { return s.data.labels; }, read_labels_place),
      Key("data", "ignore", Form::single, "columns of a CSV file that are left out, as labels has them")
          .special(
              "string", "", [](auto& s) -> auto& { return s.data.ignore; },
              [](const ConfigValue& value) { return read_string(value, "names of columns"); }),
      Key("data", "format", Form::single, "of the training data")
          .choice<DataFormat>([](auto& s) -> auto& { return s.data.format; },
                              {{DataFormat::detect, "by its first lines"},
                               {DataFormat::arff, ""},
                               {DataFormat::libsvm, ""},
                               {DataFormat::csv, "or tabs in the place of commas"},
                               {DataFormat::numpy, ".npy or .npz"},
                               {DataFormat::xc, "text of the Extreme Classification repository"}}),
  };
}

std::vector<SettingKey> train_keys() {
  return {
      Key("train", "method", Form::grid, "how W and A are learned; absent: likelihood with known, else bcfw")
          .choice<Method>(
              [](auto& s) -> auto& { return s.train.method; },
              {{Method::bcfw, "block-coordinate Frank-Wolfe"},
               {Method::subgradient, ""},
               {Method::bundle, "cutting planes below the risk, one for each pass"},
               {Method::likelihood, "log-odds by logistic one-versus-rest, A by pseudo-likelihood"},
               {Method::ovr, "one-versus-rest by LIBLINEAR"}}),
      Key("train", "decoder", Form::plugin, "solves the problems of training")
          .plugin([](auto& s) -> auto& { return s.train.decoder; })
          .not_of_ovr()
          .not_of_likelihood(),
      Key("train", "loss", Form::plugin, "what training makes small")
          .plugin([](auto& s) -> auto& { return s.train.loss; })
          .not_of_ovr()
          .not_of_likelihood(),
      Key("train", "prior", Form::grid,
          "sign of A off the diagonal; absent: the widest that the decoder takes")
          .choice<PriorSign>([](auto& s) -> auto& { return s.train.prior; },
                             {{PriorSign::any, ""},
                              {PriorSign::attractive, "A_ij <= 0"},
                              {PriorSign::repulsive, "A_ij >= 0"},
                              {PriorSign::none, "A = 0"}})
          .not_of_ovr()
          .refused(
              "when attractive or repulsive, with the method likelihood", {"train.method", "train.prior"},
              [](const Settings& s) {
                return s.train.method == Method::likelihood &&
                       (s.train.prior == PriorSign::attractive || s.train.prior == PriorSign::repulsive);
              },
              [](const Settings&) -> std::string {
                return "method likelihood learns a prior of any sign, or none";
              }),
      Key("train", "diagonal", Form::grid,
          "whether the diagonal of A is learned; absent: where the decoder uses it")
          .boolean([](auto& s) -> auto& { return s.train.diagonal; })
          .not_of_ovr()
          .not_of_likelihood(),
      Key("train", "lambda_w", Form::grid, "regularisation of W")
          .number(
              [](auto& s) -> auto& { return s.train.lambda_w; }, kPositive)
          .refused(
              "with the method likelihood and bases of scores",
              {"train.method", "scores.rbf_width", "scores.laplace_width", "scores.ovr_lambda",
               "scores.file"},
              [](const Settings& s) { return s.train.method == Method::likelihood && s.scores.any(); },
              [](const Settings&) -> std::string {
                return "method likelihood with bases of scores has no W to regularise; each base has a "
                       "lambda of its own";
              }),
      Key("train", "lambda_a", Form::grid, "regularisation of A")
          .number(
              [](auto& s) -> auto& { return s.train.lambda_a; }, kPositive)
          .not_of_ovr(),
      Key("train", "epochs", Form::grid, "passes over the data")
          .integer(
              [](auto& s) -> auto& { return s.train.epochs; }, 1)
          .not_of_ovr()
          .not_of_likelihood(),
      Key("train", "batch", Form::grid, "instances between two updates of A")
          .integer(
              [](auto& s) -> auto& { return s.train.batch; }, 1)
          .not_of_ovr()
          .not_of_likelihood()
          .not_with(Method::bundle, "with the method bundle",
                    "method bundle updates A once in a pass over the data: it has no batches"),
      Key("train", "tol", Form::single,
          "a fit ends before its last epoch at this proven relative gap, (P - D) / P; absent: it does not")
          .number([](auto& s) -> auto& { return s.train.tol; }, {0, true, 1})
          .not_of_ovr()
          .not_of_likelihood()
          .not_with(Method::subgradient, "with the method subgradient",
                    "method subgradient has no lower bound of its objective, so no gap to end at"),
      Key("train", "report", Form::single,
          "epochs between two evaluations of the objective; absent: a tenth of epochs")
          .integer(
              [](auto& s) -> auto& { return s.train.report; }, 1)
          .not_of_ovr()
          .not_of_likelihood(),
      Key("train", "warm_start", Form::grid, "W starts from one-versus-rest (subgradient only)")
          .boolean([](auto& s) -> auto& { return s.train.warm_start; })
          .refused(
              "when true, with a method other than subgradient", {"train.method", "train.warm_start"},
              [](const Settings& s) { return s.train.warm_start && s.train.method != Method::subgradient; },
              [](const Settings& s) {
                return "only method subgradient can start from one-versus-rest; " + method_is(s);
              }),
      Key("train", "hinge", Form::grid, "the loss of one-versus-rest")
          .choice<HingeLoss>(
              [](auto& s) -> auto& { return s.train.hinge; },
              {{HingeLoss::hinge, ""}, {HingeLoss::squared_hinge, ""}, {HingeLoss::logistic, ""}})
          .refused(
              "with a method other than ovr and without warm_start", {"train.method", "train.warm_start"},
              [](const Settings& s) { return !is_ovr(s) && !s.train.warm_start; },
              [](const Settings& s) {
                return fmt::format(
                    "method {} without warm_start does not use hinge, the loss of one-versus-rest",
                    name_of(s.train.method));
              }),
      Key("train", "known", Form::single,
          "the share of labels that will be known in use: validation reveals so many of each instance and "
          "measures the others; absent: none")
          .number([](auto& s) -> auto& { return s.train.known; }, {0, false, 0.99})
          .refused(
              "together with lambda_per_label", {"train.known", "select.lambda_per_label"},
              [](const Settings& s) { return s.train.known.value_or(0) > 0 && s.select.lambda_per_label; },
              [](const Settings&) -> std::string {
                return "select.lambda_per_label looks at each label by itself, so known ones tell it nothing";
              }),
  };
}

std::vector<SettingKey> select_keys() {
  return {
      Key("select", "folds", Form::single, "k-fold cross-validation on the training data; 0: holdout counts")
          .special(
              "integer", "0 for none", [](auto& s) -> auto& { return s.select.folds; }, read_folds)
          .at_least(2),
      Key("select", "holdout", Form::single,
          "the part of the training data that is held out; 0: no validation")
          .number([](auto& s) -> auto& { return s.select.holdout; }, {0, false, 0.9})
          .refused(
              "together with folds", {"select.folds", "select.holdout"},
              [](const Settings& s) { return s.select.folds > 0 && s.select.holdout > 0; },
              [](const Settings&) -> std::string { return "select.folds is given too: choose one of them"; }),
      Key("select", "repeats", Form::single, "how often to validate with other splits")
          .integer(
              [](auto& s) -> auto& { return s.select.repeats; }, 1),
      Key("select", "metric", Form::single,
          "the metric by which a cell wins: one of labels, or the mean of a loss plugin, loss/NAME")
          .special(
              "plugin", "the name of a metric", [](auto& s) -> auto& { return s.select.metric; },
              read_metric),
      Key("select", "lambda_per_label", Form::single,
          "every label chooses its own lambda_w from the grid (ovr only)")
          .boolean([](auto& s) -> auto& { return s.select.lambda_per_label; })
          .refused(
              "when true, with a method other than ovr", {"train.method", "select.lambda_per_label"},
              [](const Settings& s) { return !is_ovr(s) && s.select.lambda_per_label; },
              [](const Settings& s) {
                return "only method ovr can choose lambda_w for each label; " + method_is(s);
              }),
  };
}

std::vector<SettingKey> predict_keys() {
  return {
      Key("predict", "decoder", Form::plugin,
          "solves the problems of prediction; absent: the one of training")
          .plugin([](auto& s) -> auto& { return s.predict.decoder; }),
      Key("predict", "rounding", Form::plugin,
          "from the relaxed solution to labels; absent: threshold+local-search")
          .special(
              "plugin", "a chain a+b of them", [](auto& s) -> auto& { return s.predict.rounding; },
              read_chain)
          .refused(
              "together with a threshold, which leaves nothing to round", {"predict.threshold"},
              [](const Settings& s) { return s.predict.threshold != ThresholdKind::none; },
              [](const Settings&) -> std::string {
                return "with a threshold there is nothing to round: choose one of them";
              }),
      direct_threshold_key(),
      Key("predict", "threshold_on", Form::grid,
          "what thresholds and min_labels look at; absent: marginals of method likelihood, else u where "
          "there is a "
          "prior, else scores")
          .choice<ThresholdOn>(
              [](auto& s) -> auto& { return s.predict.threshold_on; },
              {{ThresholdOn::scores, "W'x"},
               {ThresholdOn::u, "the decoder's relaxed labels"},
               {ThresholdOn::marginals, "log-odds of the labels under the joint of method likelihood"}})
          .refused(
              "when marginals, with a method other than likelihood", {"train.method", "predict.threshold_on"},
              [](const Settings& s) {
                return s.predict.threshold_on == ThresholdOn::marginals &&
                       s.train.method != Method::likelihood;
              },
              [](const Settings& s) {
                return "only scores of method likelihood are log-odds, which probabilities come from; " +
                       method_is(s);
              }),
      Key("predict", "min_labels", Form::grid,
          "the fewest labels to predict, filled up by score; absent: 0, with expected-f1 and direct-f1 1 where no training "
          "row is empty")
          .integer(
              [](auto& s) -> auto& { return s.predict.min_labels; }, 0),
      Key("predict", "normalise", Form::grid,
          "whether thresholds and expected F1 see the scores of each instance divided by their root mean "
          "square; absent: false")
          .boolean([](auto& s) -> auto& { return s.predict.normalise; })
          .refused(
              "when true, without a threshold", {"predict.threshold", "predict.normalise"},
              [](const Settings& s) {
                return s.predict.normalise.value_or(false) && s.predict.threshold == ThresholdKind::none;
              },
              [](const Settings&) -> std::string {
                return "a rounding looks at the decoder's answer, not at scores that could be normalised: "
                       "give predict.threshold";
              }),
  };
}

}  // namespace

const std::vector<SettingKey>& setting_keys() {
  static const std::vector<SettingKey> keys = [] {
    std::vector<SettingKey> all;
    for (const auto& section : {run_keys(), data_keys(), preprocess_keys(), score_keys(), train_keys(),
                                select_keys(), predict_keys()})
      all.insert(all.end(), section.begin(), section.end());
    return all;
  }();
  return keys;
}

const SettingKey* find_setting_key(const std::string& section, const std::string& key) {
  for (const SettingKey& known : setting_keys())
    if (known.section == section && known.key == key) return &known;
  return nullptr;
}

std::vector<std::string> setting_sections() {
  std::vector<std::string> sections;
  for (const SettingKey& known : setting_keys())
    if (sections.empty() || sections.back() != known.section) sections.emplace_back(known.section);
  return sections;
}

std::vector<std::string> keys_of_section(const std::string& section) {
  std::vector<std::string> keys;
  for (const SettingKey& known : setting_keys())
    if (known.section == section) keys.emplace_back(known.key);
  return keys;
}

}  // namespace concord
