// SPDX-License-Identifier: MIT
#pragma once
// The semidefinite relaxation of kit/sdp.hpp for a sparse prior and no cardinality, to a certified gap: the sweeps of
// kit/mixing_ascent.hpp over the couplings only, O(entries rank) each, and certificates by a sparse factorisation where that
// is the cheaper one.
#include <algorithm>
#include <functional>
#include <limits>

#include <concord/kit/coupling_graph.hpp>
#include <concord/kit/mixing.hpp>
#include <concord/kit/sdp_sparse.hpp>

namespace concord::kit {

/// Column by column, in the numbers S.
template <class S>
class SparseAscent {
 public:
  /// C = -alpha A with the linear term h. requires X.rows() % packet_width<S> == 0
  SparseAscent(const CouplingGraph& graph, double alpha, const Vector& h, const Matrix& X)
      : start_(graph.start),
        R_(X.rows() / packet_width<S>),
        X_(static_cast<size_t>(X.cols() * R_)),
        g_(static_cast<size_t>(R_)) {
    pairs_.reserve(graph.coupling.size());
    for (const Coupling& pair : graph.coupling) pairs_.push_back({pair.j, static_cast<S>(-alpha * pair.a)});
    h_.reserve(static_cast<size_t>(h.size()));
    for (const double x : h) h_.push_back(static_cast<S>(x));
    factor() = X.template cast<S>();
  }

  Matrix X() { return factor().template cast<double>(); }
  static double precision() { return 4 * static_cast<double>(std::numeric_limits<S>::epsilon()); }

  SweepReport sweep(double omega) {
    SweepReport report;
    const size_t V = h_.size();
    Packet<S>* const last = x(V);
    for (size_t i = 0; i < V; ++i) {
      for (size_t k = 0; k < g_.size(); ++k) g_[k] = h_[i] * last[k];
      for (int64_t e = start_[i]; e < start_[i + 1]; ++e) {
        const Pair& pair = pairs_[static_cast<size_t>(e)];
        const Packet<S>* xj = x(static_cast<size_t>(pair.j));
        for (size_t k = 0; k < g_.size(); ++k) g_[k] += pair.c * xj[k];
      }
      move_column<S>(x(i), g_.data(), R_, static_cast<S>(omega), report);
    }
    std::fill(g_.begin(), g_.end(), Packet<S>{});
    for (size_t i = 0; i < V; ++i)
      if (h_[i] != 0)
        for (size_t k = 0; k < g_.size(); ++k) g_[k] += h_[i] * x(i)[k];
    move_column<S>(last, g_.data(), R_, static_cast<S>(omega), report);
    return report;
  }

 private:
  struct Pair {
    int32_t j;
    S c;
  };
  using Factor = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;

  Packet<S>* x(size_t i) { return X_.data() + i * g_.size(); }
  Eigen::Map<Factor, Eigen::Aligned16> factor() {
    return {reinterpret_cast<S*>(X_.data()), R_ * packet_width<S>, static_cast<Index>(h_.size()) + 1};
  }

  const std::vector<int64_t>& start_;
  Index R_;
  PacketArray<S> X_;
  PacketArray<S> g_;
  std::vector<Pair> pairs_;
  std::vector<S> h_;
};

class SparseMixingSolver {
 public:
  /// A is sparse by rows, with a zero diagonal. Both matrices are those of one prior, and must outlive the solver.
  template <class M>
  SparseMixingSolver(const M& A, const CouplingGraph& graph, const VectorRef& c, const MixingOptions& options,
                     const std::function<bool()>& stop)
      : graph_(graph), options_(options), stop_(stop) {
    double largest = c.size() > 0 ? c.lpNorm<Eigen::Infinity>() : 0;
    for (const Coupling& pair : graph.coupling) largest = std::max(largest, std::abs(pair.a));
    scale_ = largest > 0 ? power_above(largest) : 1;
    A_ = A / scale_;
    h_ = c / (2 * scale_);
    norm_ = std::sqrt(A_.squaredNorm() + 2 * h_.squaredNorm());
    magnitude_ = A_.cwiseAbs().sum();
  }

  MixingAnswer solve() {
    const Index V = h_.size();
    Rng rng(0x5d9);
    X_ = Matrix::NullaryExpr(MixingPrior::first_rank(V), V + 1, [&] { return rng.normal(); });
    X_.colwise().normalize();
    if (norm_ == 0) {  // every labelling is optimal
      answer_.take(X_, 0, 0, true);
    } else {
      SparseCholesky factor(A_, 1, h_);
      const auto n = static_cast<double>(V + 1);
      sparse_ = &factor;
      is_sparse_cheaper_ = V > most_dense_labels || scalar_cost * factor.multiplications() < n * n * n / 3;
      bool done = options_.tol >= least_single_tol && ascend<float>();
      if (!done && !out_of_time()) done = ascend<double>();
      if (!done) give_up();
    }
    answer_.value *= scale_;
    answer_.bound *= scale_;
    return std::move(answer_);
  }

 private:
  static constexpr double least_single_tol = 3e-7;  ///< what single precision reaches
  static constexpr double scalar_cost = 12;  ///< of a multiplication there, against one in blocks (measured)
  static constexpr Index most_dense_labels = 4000;  ///< for certificates: 256 MB
  static constexpr double first_patience =
      7;  ///< as in kit/mixing_solver.hpp, where a failed attempt is dear
  static constexpr double most_impatience = 4096;  ///< of failed attempts, before the whole rank is tried
  static constexpr double shake_noise = 0.1;       ///< when a factor is stuck
  static constexpr int most_shakes = 3;

  double reference(double value) const { return std::max(std::abs(value), norm_); }
  double allowed(double value) const { return options_.tol * reference(value); }
  static double promising(double gap, double size) { return 1e-6 * size * std::pow(1e3 * gap / size, 1.6); }
  MixingTerms<SparseRows> terms() const { return {A_, 1, h_, magnitude_}; }

  bool out_of_time() {
    if (answer_.sweeps >= options_.max_sweeps) return true;
    return interrupted_ = interrupted_ || stop_();
  }

  /// The whole rank, with noise that leaves any place where the columns were stuck.
  void shake() {
    const Matrix old = X_;
    Rng rng(0x5da);
    X_ = Matrix::NullaryExpr(MixingPrior::full_rank(h_.size()), old.cols(),
                             [&] { return shake_noise * rng.normal(); });
    X_.topRows(old.rows()) += old;
    X_.colwise().normalize();
  }

  template <class S>
  bool ascend() {
    int shakes = 0;
    double patience = first_patience;
    detail::Relaxation relaxation;
    detail::Rest rest;
    auto ascent = std::make_unique<SparseAscent<S>>(graph_, 1 / scale_, h_, X_);
    const auto take = [&] {
      X_ = ascent->X();
      X_.colwise().normalize();
    };
    for (int64_t sweep = 1; !out_of_time(); ++sweep) {
      ++answer_.sweeps;
      const SweepReport report = ascent->sweep(relaxation.omega);
      relaxation.learn(report.residual, most_omega);
      const double size = reference(report.value);
      const double noise = ascent->precision() * ascent->precision() * size;
      const bool stalled = rest.reached(report.residual, noise, sweep);
      if (report.residual > patience * promising(allowed(report.value), size) && !stalled) continue;
      take();
      if (attempt()) return true;
      patience /= 4;
      const bool hopeless =
          patience < first_patience / most_impatience && X_.rows() < MixingPrior::full_rank(h_.size());
      if (!stalled && !hopeless) continue;
      if (shakes++ == most_shakes) break;
      shake();
      ascent = std::make_unique<SparseAscent<S>>(graph_, 1 / scale_, h_, X_);
      patience = first_patience;
      relaxation.omega = 1;
    }
    take();
    return false;
  }

  bool attempt() {
    MixingCertificate<SparseRows> certificate(terms(), X_);
    certificate.settle(X_);
    ++answer_.certificates;
    const double gap = allowed(certificate.value());
    const bool proven = is_sparse_cheaper_ ? certificate.proves(gap, *sparse_)
                                           : certificate.proves(gap, space_, options_.definite);
    if (proven) answer_.take(X_, certificate.value(), certificate.value() + gap, true);
    return proven;
  }

  void give_up() {
    const MixingCertificate<SparseRows> certificate(terms(), X_);
    const double value = certificate.value();
    const double bound =
        interrupted_ ? std::numeric_limits<double>::quiet_NaN() : certificate.bound(allowed(value), *sparse_);
    answer_.take(X_, value, bound, bound - value <= allowed(value));
  }

  static constexpr double most_omega = 1.8;

  const CouplingGraph& graph_;
  const MixingOptions& options_;
  const std::function<bool()>& stop_;
  SparseRows A_;  ///< divided by scale_, as h_ is
  Vector h_;
  double scale_ = 1;
  double norm_ = 0;
  double magnitude_ = 0;
  SparseCholesky* sparse_ = nullptr;
  MixingSpace space_;
  bool is_sparse_cheaper_ = false;
  bool interrupted_ = false;
  Matrix X_;
  MixingAnswer answer_;
};

}  // namespace concord::kit
