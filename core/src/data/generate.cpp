// SPDX-License-Identifier: MIT
#include "data/generate.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <concord/kit/rng.hpp>

#include "base/error.hpp"
#include "data/dataset.hpp"

namespace concord {
namespace {

constexpr int64_t kScene = 6;  // labels; three pairs

/// Scores w'x have this standard deviation, and labels are rather off than on.
constexpr double kSignal = 2, kBias = -1;

constexpr std::array kWords = {
    "beach",  "sea",      "mountain", "snow",   "city",    "street", "bread",   "butter",  "rice", "fish",
    "soup",   "spoon",    "violin",   "cello",  "guitar",  "drums",  "piano",   "opera",   "rain", "umbrella",
    "sun",    "shade",    "fog",      "lamp",   "cat",     "mouse",  "dog",     "bone",    "bird", "nest",
    "bus",    "ticket",   "boat",     "oar",    "bicycle", "helmet", "book",    "library", "film", "cinema",
    "museum", "painting", "doctor",   "clinic", "judge",   "court",  "teacher", "school"};

std::string label_name(int64_t v) {
  const auto words = static_cast<int64_t>(kWords.size());
  const std::string word = kWords[static_cast<size_t>(v % words)];
  return v < words ? word : fmt::format("{}-{}", word, v / words + 1);
}

void require_in_range(const PlantedSettings& settings) {
  ErrorList errors;
  const auto require = [&](bool holds, const char* name, auto value, const char* right) {
    if (!holds) errors.add(Fault::input, fmt::format("{} {}: {}", name, value, right));
  };
  require(settings.features >= 1, "features", settings.features, "there must be at least one");
  require(settings.labels >= 1, "labels", settings.labels, "there must be at least one");
  require(settings.density > 0 && settings.density <= 1, "density", settings.density,
          "must be above 0 and at most 1");
  require(settings.coupling >= 0 && settings.coupling <= 1e6, "coupling", settings.coupling,
          "must be from 0 to 1e6");
  require(settings.noise >= 0 && settings.noise <= 1e6, "noise", settings.noise, "must be from 0 to 1e6");
  errors.throw_if_any();
}

/// The labels first, ..., first + size - 1, which are coupled with each other only.
class Scene {
 public:
  Scene(const PlantedModel& model, int64_t first)
      : first_(first), size_(std::min(kScene, model.settings.labels - first)), noise_(model.settings.noise) {
    prior_.assign(size_t{1} << size_, 0);
    for (const PlantedPair& pair : model.pairs) {
      if (pair.v < first_ || pair.v >= first_ + size_) continue;
      for (size_t code = 0; code < prior_.size(); ++code) {
        const bool equal = (code >> (pair.v - first_) & 1) == (code >> (pair.w - first_) & 1);
        prior_[code] -= equal ? 2 * pair.A : -2 * pair.A;
      }
    }
  }

  int64_t first() const { return first_; }
  int64_t size() const { return size_; }

  /// The labelling, bit v for label first() + v, drawn from exp(D/T); `score` is W'x + b.
  size_t draw(const Eigen::VectorXd& score, double uniform, std::vector<double>& D) const {
    D.assign(prior_.size(), 0);
    D[0] = -score.segment(first_, size_).sum();
    for (int64_t v = 0; v < size_; ++v) {
      const size_t bit = size_t{1} << v;
      for (size_t code = 0; code < bit; ++code) D[bit | code] = D[code] + 2 * score(first_ + v);
    }
    for (size_t code = 0; code < D.size(); ++code) D[code] += prior_[code];
    const auto best = std::max_element(D.begin(), D.end());
    if (noise_ == 0) return static_cast<size_t>(best - D.begin());
    const double largest = *best;
    double total = 0;
    for (double& value : D) total += value = std::exp((value - largest) / noise_);
    double left = uniform * total;
    size_t code = 0;
    while (code + 1 < D.size() && left >= D[code]) left -= D[code++];
    return code;
  }

 private:
  int64_t first_, size_;
  double noise_;
  std::vector<double> prior_;  // -y'Ay of every labelling
};

/// Scores of different labels of a scene are uncorrelated as far as d allows: what is seen in the labels is the prior's
/// doing.
RowMatrix scores_of(int64_t d, int64_t V, kit::Rng& rng) {
  RowMatrix W(d, V);
  for (int64_t v = 0; v < V; ++v) {
    Eigen::VectorXd w(d);
    for (double& entry : w) entry = rng.normal();
    if (d >= kScene)
      for (int64_t before = v / kScene * kScene; before < v; ++before)
        w -= W.col(before).dot(w) / W.col(before).squaredNorm() * W.col(before);
    W.col(v) = kSignal * w.normalized();
  }
  return W;
}

}  // namespace

Eigen::MatrixXd PlantedModel::A() const {
  Eigen::MatrixXd prior = Eigen::MatrixXd::Zero(settings.labels, settings.labels);
  for (const PlantedPair& pair : pairs) prior(pair.v, pair.w) = prior(pair.w, pair.v) = pair.A;
  return prior;
}

PlantedModel plant_model(const PlantedSettings& settings) {
  require_in_range(settings);
  PlantedModel model;
  model.settings = settings;
  const int64_t d = settings.features, V = settings.labels;
  kit::Rng rng(kit::derive(settings.seed, 0));
  model.W = scores_of(d, V, rng);
  model.b = Eigen::VectorXd::Constant(V, kBias);
  for (int64_t v = 0; v < V; ++v)
    for (int64_t w = v + 1; w < std::min(V, (v / kScene + 1) * kScene); ++w) {
      const double strength = settings.coupling * (0.8 + 0.4 * rng.uniform());
      if (strength > 0) model.pairs.push_back({v, w, v / 2 == w / 2 ? -strength : strength});
    }
  for (int64_t j = 0; j < d; ++j) model.feature_names.push_back(fmt::format("x{}", j + 1));
  for (int64_t v = 0; v < V; ++v) model.label_names.push_back(label_name(v));
  return model;
}

Dataset draw_instances(const PlantedModel& model, int64_t instances, uint64_t stream) {
  if (instances < 1) fail(Fault::input, "instances {}: there must be at least one", instances);
  const PlantedSettings& settings = model.settings;
  const int64_t d = settings.features, V = settings.labels;
  const bool sparse = settings.density < 1;
  const double scale = 1 / std::sqrt(settings.density);  // so that the variance is 1
  std::vector<Scene> scenes;
  for (int64_t first = 0; first < V; first += kScene) scenes.emplace_back(model, first);

  DatasetBuilder builder(sparse);
  const uint64_t seed = kit::derive(settings.seed, 1 + stream);
  std::vector<double> D;
  Eigen::VectorXd score(V);
  for (int64_t i = 0; i < instances; ++i) {
    kit::Rng rng(kit::derive(seed, static_cast<uint64_t>(i)));
    score = model.b;
    for (int64_t j = 0; j < d; ++j) {
      if (sparse && rng.uniform() >= settings.density) continue;
      const double x = scale * rng.normal();
      builder.feature(j, x);
      score += x * model.W.row(j).transpose();
    }
    for (const Scene& scene : scenes) {
      const size_t code = scene.draw(score, rng.uniform(), D);
      for (int64_t v = 0; v < scene.size(); ++v)
        if ((code >> v & 1) != 0) builder.label(scene.first() + v);
    }
    builder.end_row();
  }
  Dataset data;
  data.name = "planted";
  data.feature_names = model.feature_names;
  data.label_names = model.label_names;
  builder.finish(d, V, data);
  return data;
}

}  // namespace concord
