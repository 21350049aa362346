// SPDX-License-Identifier: MIT
#include "train/ovr.hpp"

#include <cmath>
#include <cstdlib>
#include <linear.h>
#include <mutex>

#include <concord/kit/rng.hpp>

#include "model/linear.hpp"

namespace concord {
namespace {

/// The features in LIBLINEAR's form, shared by all labels.
class Nodes {
 public:
  explicit Nodes(const Features& X) {
    entries_.reserve(static_cast<size_t>(X.stored() + X.rows()));
    std::vector<size_t> starts;
    for (int64_t i = 0; i < X.rows(); ++i) {
      starts.push_back(entries_.size());
      if (X.is_sparse())
        for (SparseMatrix::InnerIterator it(X.sparse(), i); it; ++it) add(it.col(), it.value());
      else
        for (int64_t j = 0; j < X.columns(); ++j)
          if (X.dense()(i, j) != 0) add(j, X.dense()(i, j));
      entries_.push_back({-1, 0});
    }
    for (const size_t start : starts) rows_.push_back(&entries_[start]);
  }
  feature_node** rows() { return rows_.data(); }

 private:
  void add(int64_t column, double value) { entries_.push_back({static_cast<int>(column) + 1, value}); }
  std::vector<feature_node> entries_;
  std::vector<feature_node*> rows_;
};

void print_nothing(const char*) {}

/// Rank r has columns r, r + n, ...; all get all.
void share_columns(Ranks& ranks, Eigen::MatrixXd& W) {
  if (ranks.is_alone()) return;
  ArchiveWriter out;
  for (int64_t v = ranks.rank(); v < W.cols(); v += ranks.count()) out.put_array(Eigen::VectorXd(W.col(v)));
  const std::vector<std::string> shared = ranks.exchange(out.bytes());
  Eigen::VectorXd column(W.rows());
  for (int64_t r = 0; r < ranks.count(); ++r) {
    ArchiveReader in(shared[static_cast<size_t>(r)]);
    for (int64_t v = r; v < W.cols(); v += ranks.count()) {
      in.get_array(column);
      W.col(v) = column;
    }
  }
}

/// LIBLINEAR's dual solvers shuffle by rand(), whose state belongs to the whole process.
std::mutex& rand_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

RowMatrix one_versus_rest(const FitData& data, const Eigen::VectorXd& lambda, HingeLoss hinge, uint64_t seed,
                          const RowMatrix* start, ThreadPool& pool, const RunControl& control) {
  const int64_t N = data.Y.cols(), V = data.Y.rows(), d = data.X.columns();
  set_print_string_function(print_nothing);
  Nodes nodes(data.X);
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(d, V);
  pool.run(V, [&](int64_t v) {
    if (data.ranks != nullptr && !data.ranks->takes(v)) return;
    if (control.stop_requested()) return;
    Eigen::VectorXd y = data.Y.row(v).transpose().cast<double>();
    Eigen::VectorXd from = start != nullptr ? Eigen::VectorXd(start->col(v)) : Eigen::VectorXd();
    problem task{static_cast<int>(N), static_cast<int>(d), y.data(), nodes.rows(), -1};
    parameter how{};
    const bool primal = hinge != HingeLoss::hinge;
    how.solver_type = hinge == HingeLoss::logistic ? L2R_LR : primal ? L2R_L2LOSS_SVC : L2R_L1LOSS_SVC_DUAL;
    how.eps = primal ? 0.01 : 0.1;  // as LIBLINEAR's own program
    how.C = 1 / (static_cast<double>(N) * lambda(lambda.size() == 1 ? 0 : v));
    // The start points to the class that comes first in y, as the answer does.
    if (primal && from.size() > 0) {
      if (y(0) < 0 && (y.array() < 0).all()) from = -from;
      how.init_sol = from.data();
    }
    std::unique_lock<std::mutex> lock(rand_mutex(), std::defer_lock);
    if (!primal) {
      lock.lock();
      std::srand(static_cast<unsigned>(kit::derive(seed, static_cast<uint64_t>(v))));
    }
    model* found = train(&task, &how);
    const double sign = found->label[0] > 0 ? 1 : -1;
    W.col(v) = sign * Eigen::Map<const Eigen::VectorXd>(found->w, d);
    free_and_destroy_model(&found);
  });
  if (data.ranks != nullptr) share_columns(*data.ranks, W);
  return W;
}

namespace {

class OneVersusRest : public Fit {
 public:
  OneVersusRest(const TrainPlan& plan, const FitData& data, uint64_t seed, ThreadPool& pool,
                const RunControl& control)
      : settings_(plan.settings),
        data_(data),
        seed_(seed),
        pool_(pool),
        control_(control),
        W_(RowMatrix::Zero(data.X.columns(), data.Y.rows())) {}

  void epoch() override {
    W_ = one_versus_rest(data_, Eigen::VectorXd::Constant(1, settings_.lambda_w), settings_.hinge, seed_,
                         nullptr, pool_, control_);
  }

  Parameters parameters() const override { return {W_, Eigen::MatrixXd::Zero(W_.cols(), W_.cols())}; }

  FitReport evaluate() override {
    FitReport report;
    report.objective = settings_.lambda_w / 2 * W_.squaredNorm();
    for (int64_t i = 0; i < data_.Y.cols(); ++i) {
      const Eigen::ArrayXd margins = data_.Y.col(i).cast<double>() * score(W_, data_.X, i).array();
      report.objective += loss_of(margins) / static_cast<double>(data_.Y.cols());
    }
    report.dual = std::numeric_limits<double>::quiet_NaN();
    return report;
  }

  void save(ArchiveWriter& out) override { out.put_array(W_); }
  void restore(ArchiveReader& in) override { in.get_array(W_); }

 private:
  double loss_of(const Eigen::ArrayXd& margins) const {
    if (settings_.hinge == HingeLoss::logistic)
      return ((-margins).max(0.0) + (-margins.abs()).exp().log1p()).sum();
    const Eigen::ArrayXd slack = (1 - margins).max(0.0);
    return settings_.hinge == HingeLoss::hinge ? slack.sum() : slack.square().sum();
  }

  TrainSettings settings_;
  FitData data_;
  uint64_t seed_;
  ThreadPool& pool_;
  RunControl control_;
  RowMatrix W_;
};

}  // namespace

std::unique_ptr<Fit> one_versus_rest_fit(const TrainPlan& plan, const FitData& data, uint64_t seed,
                                         ThreadPool& pool, const RunControl& control) {
  return std::make_unique<OneVersusRest>(plan, data, seed, pool, control);
}

}  // namespace concord
