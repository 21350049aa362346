// SPDX-License-Identifier: MIT
// A loss is right when its family has the value of `evaluate` at every labelling.
#include <cmath>
#include <limits>

#include <concord/kit/conventions.hpp>

#include "base/error.hpp"
#include "check/examine.hpp"
#include "check/problems.hpp"

namespace concord::check {

std::unique_ptr<Loss> make_loss(Subject& subject, int64_t V, const std::vector<Setting>& settings,
                                const RunControl& control) {
  auto loss = std::make_unique<Loss>(subject.plugin(), subject.options(settings), control);
  std::vector<int64_t> positives(static_cast<size_t>(V));
  for (size_t v = 0; v < positives.size(); ++v) positives[v] = static_cast<int64_t>(v % 8);  // one has none
  loss->prepare(V, 7, positives);
  return loss;
}

namespace {

LabelVector labels_of(int64_t V, uint64_t bits) {
  LabelVector y(V);
  for (int64_t v = 0; v < V; ++v) y(v) = ((bits >> v) & 1) != 0 ? 1 : -1;
  return y;
}

std::string signs(const LabelVector& y) {
  std::string text;
  for (const int8_t label : y) text += label > 0 ? '+' : '-';
  return text;
}

struct FamilyValue {
  double value = -std::numeric_limits<double>::infinity();  ///< so if no subproblem admits u
  double scale = 1;                                         ///< of the terms that were added
};

/// max over the s in which u is feasible of constant_s + u'D t_s
FamilyValue value_of(const FamilyData& family, const Eigen::VectorXd& u) {
  FamilyValue best;
  for (int64_t s = 0; s < family.size(); ++s) {
    bool feasible = true;
    for (int64_t r = 0; r < family.rows.cols(); ++r)
      feasible = feasible &&
                 (std::isnan(family.beta(r, s)) || kit::on_row(family.rows.col(r), family.beta(r, s), u));
    if (!feasible) continue;
    const Eigen::VectorXd linear = family.D * family.t.col(s);
    const double value = family.constants[s] + linear.dot(u);
    if (value <= best.value) continue;
    best = {value, 1 + std::abs(family.constants[s]) + linear.cwiseAbs().sum()};
  }
  return best;
}

void compare(const Loss& loss, const FamilyData& family, const LabelVector& y, const LabelVector& truth) {
  const double direct = loss.evaluate(y, truth);
  const FamilyValue by_family = value_of(family, y.cast<double>().matrix());
  const std::string where = y.size() <= 12 ? fmt::format("truth {}, labels {}", signs(truth), signs(y))
                                           : fmt::format("V = {}", y.size());
  if (std::isinf(by_family.value))
    throw Failure(fmt::format("no subproblem of its family admits the labels ({})", where));
  if (std::abs(direct - by_family.value) > 1e-9 * by_family.scale)
    throw Failure(fmt::format("evaluate gives {}, its family {} ({})", direct, by_family.value, where));
}

void compare_everywhere(const Loss& loss, const LabelVector& truth) {
  const FamilyData family = loss.describe(truth);
  for (uint64_t bits = 0; bits < uint64_t{1} << truth.size(); ++bits)
    compare(loss, family, labels_of(truth.size(), bits), truth);
}

std::string family_value(Subject& subject) {
  for (int64_t V = 1; V <= 5; ++V) {
    const auto loss = make_loss(subject, V);
    for (uint64_t bits = 0; bits < uint64_t{1} << V; ++bits) compare_everywhere(*loss, labels_of(V, bits));
  }
  return "every truth and labelling of up to 5 labels";
}

std::string loss_large(Subject& subject) {
  kit::Rng rng(subject.seed_of("large"));
  for (const int64_t V : {30, 300}) {
    const auto loss = make_loss(subject, V);
    for (int i = 0; i < 10; ++i) {
      const LabelVector truth = random_labels(rng, V, i % (V / 2));
      const FamilyData family = loss->describe(truth);
      for (int j = 0; j < 10; ++j) compare(*loss, family, random_labels(rng, V), truth);
      compare(*loss, family, truth, truth);
    }
  }
  return "up to V = 300";
}

std::string zero_at_truth(Subject& subject) {
  for (int64_t V = 1; V <= 8; ++V) {
    const auto loss = make_loss(subject, V);
    for (uint64_t bits = 0; bits < uint64_t{1} << V; ++bits) {
      const LabelVector truth = labels_of(V, bits);
      const double value = loss->evaluate(truth, truth);
      if (value > 1e-12)
        throw Failure(fmt::format("evaluate gives {} for the truth itself ({})", value, signs(truth)));
    }
  }
  return "";
}

std::string loss_range(Subject& subject) {
  kit::Rng rng(subject.seed_of("range"));
  double largest = 0;
  for (const int64_t V : {1, 2, 7, 40}) {
    const auto loss = make_loss(subject, V);
    for (int i = 0; i < 300; ++i)  // evaluate() itself refuses what is negative or not finite
      largest = std::max(largest, loss->evaluate(random_labels(rng, V), random_labels(rng, V, i % (V + 1))));
  }
  return fmt::format("from 0 to {:.6g}", largest);
}

/// NaN, a row that is not imposed, is equal to itself here.
bool same(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.array() == b.array() || (a.array().isNaN() && b.array().isNaN())).all();
}

struct Evaluations {
  std::vector<LabelVector> y, truth;
  std::vector<double> values;
  std::vector<FamilyData> families;

  Evaluations(Subject& subject, int64_t V, const char* name) {
    kit::Rng rng(subject.seed_of(name));
    for (int i = 0; i < 40; ++i) {
      y.push_back(random_labels(rng, V));
      truth.push_back(random_labels(rng, V));
    }
  }
  void evaluate(const Loss& loss) {
    for (size_t i = 0; i < y.size(); ++i) {
      values.push_back(loss.evaluate(y[i], truth[i]));
      families.push_back(loss.describe(truth[i]));
    }
  }
  void require_same(const Loss& loss, const char* when) const {
    for (size_t i = 0; i < y.size(); ++i) {
      const double value = loss.evaluate(y[i], truth[i]);
      if (value != values[i])
        throw Failure(fmt::format("evaluate gives {:.17g} {}, and gave {:.17g} (truth {}, labels {})", value,
                                  when, values[i], signs(truth[i]), signs(y[i])));
      const FamilyData family = loss.describe(truth[i]);
      if (family.constants != families[i].constants || family.D != families[i].D ||
          family.t != families[i].t || family.rows != families[i].rows ||
          !same(family.beta, families[i].beta))
        throw Failure(fmt::format("describe gives another family {} (truth {})", when, signs(truth[i])));
    }
  }
};

std::string loss_repeat(Subject& subject) {
  Evaluations all(subject, 9, "repeat");
  const auto loss = make_loss(subject, 9);
  all.evaluate(*loss);
  all.require_same(*loss, "the second time");
  return "";
}

std::string loss_objects(Subject& subject) {
  Evaluations all(subject, 9, "objects");
  const auto loss = make_loss(subject, 9);
  all.evaluate(*loss);
  Evaluations others(subject, 4, "others");
  others.evaluate(*make_loss(subject, 4));
  all.require_same(*loss, "after another object was used");
  all.require_same(*make_loss(subject, 9), "in a new object");
  return "";
}

std::string loss_threads(Subject& subject) {
  Evaluations all(subject, 9, "threads");
  const auto loss = make_loss(subject, 9);
  all.evaluate(*loss);
  in_threads([&](size_t) {
    for (int round = 0; round < 10; ++round) all.require_same(*loss, "in another thread");
  });
  return "";
}

}  // namespace

void run_loss(Subject& subject, const std::vector<Setting>& settings, const RunControl& control,
              bool thorough) {
  const auto loss = make_loss(subject, 4, settings, control);
  for (const uint64_t truth : {0u, 5u, 15u}) {
    if (thorough) {
      compare_everywhere(*loss, labels_of(4, truth));
    } else {
      loss->evaluate(labels_of(4, 3), labels_of(4, truth));
      loss->describe(labels_of(4, truth));
    }
  }
}

std::vector<Test> loss_tests() {
  return {
      {"zero-at-truth", "The loss of the truth itself is 0.", zero_at_truth},
      {"range", "Every loss is finite and not negative.", loss_range},
      {"family-value",
       "At every labelling of up to 5 labels the family has the value of evaluate, for every truth.",
       family_value},
      {"large", "At random labellings of up to 300 labels the family has the value of evaluate.", loss_large},
      {"repeat", "The same question twice gives the same bits.", loss_repeat},
      {"objects", "Other objects change no bit of an answer.", loss_objects},
      {"threads", "Concurrent evaluate and describe give the same bits.", loss_threads},
  };
}

}  // namespace concord::check
