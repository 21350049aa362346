// SPDX-License-Identifier: MIT
#pragma once
// The definitions of kit/spectral_family.hpp.
#include <concord/kit/spectral_family.hpp>

namespace concord::kit {

namespace detail {

/// The columns [c, D] of a family, rotated, with their sums and norms.
struct FamilyVectors {
  Eigen::Ref<const Eigen::MatrixXd> rotated;
  Eigen::Ref<const Eigen::VectorXd> sums;
  Eigen::Ref<const Eigen::VectorXd> norms;
};

/// The subproblems of one family that share an eigenbasis: those with a beta, or those without.
class FamilyGroup {
 public:
  FamilyGroup(const SpectralFactors& factors, const Eigenbasis& basis) : factors_(factors), basis_(basis) {
    const Index n = basis.E.cols();
    c_.resize(n);
    w_.resize(n);
    g_.resize(n);
  }

  /// Describes the given members of a family.
  void load(const SpectralFamily& family, std::span<const Index> members, const FamilyVectors& vectors) {
    const auto V = static_cast<double>(factors_.labels());
    const Index m = family.directions;
    const Index q = m + 2;
    members_ = members;
    const auto N = static_cast<Index>(members.size());
    x_.resize(q, N);
    base_.resize(N);
    R2_.resize(N);
    magnitude_.resize(N);
    for (Index j = 0; j < N; ++j) {
      const Index s = members[static_cast<size_t>(j)];
      const double beta = family.beta_of(s);
      const double a = std::isnan(beta) ? 0 : beta / V;
      auto x = x_.col(j);
      x[0] = 1;
      for (Index i = 0; i < m; ++i) x[1 + i] = family.coefficients[s * m + i];
      x[m + 1] = -2 * a;
      base_[j] = family.constants[s] + a * x.head(m + 1).dot(vectors.sums) - a * a * factors_.ones_A_ones();
      R2_[j] = V * (1 - a * a);
      magnitude_[j] = x.head(m + 1).cwiseAbs().dot(vectors.norms) + 2 * std::abs(a) * factors_.A1_norm();
    }
    scale_ = std::max(basis_.spectrum.unit, power_above(magnitude_.maxCoeff()));
    if (scale_ == 0) scale_ = 1;
    sigma_ = basis_.spectrum.unit / scale_;
    magnitude_ *= 1 / scale_;
    X_.resize(c_.size(), q);
    X_.leftCols(m + 1) = vectors.rotated * (1 / scale_);
    X_.col(m + 1) = basis_.r * (1 / scale_);
    products_.resize(N, q * (q + 1) / 2);
    S_.resize(products_.cols());
    for (Index i = 0, p = 0; i < q; ++i)
      for (Index k = 0; k <= i; ++k, ++p)
        products_.col(p) = (i == k ? 0.25 : 0.5) * x_.row(i).cwiseProduct(x_.row(k)).transpose();
    open_.setConstant(N, infinity);
    forms_.resize(N);
  }

  /// Solves until no member can win; when the leader changes, its w is written. Lowers answer.bounds, raises
  /// answer.bound and answer.solved.
  void solve(bool prune, FamilyLeader& leader, double* w, FamilyAnswer& answer) {
    const Spectrum& spectrum = basis_.spectrum;
    double mu = 0;
    const double widest = std::sqrt(R2_.maxCoeff());
    share_bound(std::max(1e-8, secular_start(spectrum, sigma_, X_.col(0).data(), widest)));
    for (;;) {
      Index j = 0;
      const double most = open_.maxCoeff(&j);
      if (most == -infinity || (prune && leader.excludes(most))) break;
      c_.noalias() = X_ * x_.col(j);
      const SecularSolution found =
          solve_secular(spectrum, sigma_, c_.data(), magnitude_[j], std::sqrt(R2_[j]), w_.data(), mu);
      const Index s = members_[static_cast<size_t>(j)];
      if (leader.offer(base_[j] + scale_ * found.value, s)) Eigen::Map<Eigen::VectorXd>(w, w_.size()) = w_;
      const double bound = base_[j] + scale_ * found.bound;
      answer.bound = std::max(answer.bound, bound);
      if (answer.bounds != nullptr) answer.bounds[s] = bound;
      ++answer.solved;
      open_[j] = -infinity;
      mu = found.mu;
      share_bound(found.hard ? 1e-8 : std::max(mu, 1e-100));
    }
    answer.bound = std::max(answer.bound, open_.maxCoeff());
    if (answer.bounds == nullptr) return;
    for (size_t j = 0; j < members_.size(); ++j)
      if (const double bound = open_[static_cast<Index>(j)]; bound > -infinity)
        answer.bounds[members_[j]] = bound;
  }

 private:
  /// Lowers every open bound to the dual at mu, where that is lower.
  void share_bound(double mu) {
    const Spectrum& spectrum = basis_.spectrum;
    g_ = (sigma_ * spectrum.d + mu).inverse();
    for (Index i = 0, p = 0; i < X_.cols(); ++i)
      for (Index k = 0; k <= i; ++k, ++p) {
        Lane sum = Lane::Zero();
        for (Index j = 0; j < g_.size(); j += lane)
          sum += lane_at(X_.col(i).data(), j) * lane_at(X_.col(k).data(), j) * lane_at(g_.data(), j);
        S_[p] = sum.sum();
      }
    forms_.noalias() = products_ * S_;
    open_ = open_.min(base_ + scale_ * (forms_.array() - (sigma_ * spectrum.lambda[0] - mu) * R2_));
  }

  const SpectralFactors& factors_;
  const Eigenbasis& basis_;
  std::span<const Index> members_;
  double scale_ = 1;
  double sigma_ = 0;
  Eigen::MatrixXd X_;    ///< n x q, divided by the scale
  Eigen::MatrixXd x_;    ///< q x members
  Eigen::ArrayXd base_;  ///< per member, as all that follow
  Eigen::ArrayXd R2_;
  Eigen::ArrayXd magnitude_;  ///< the norm of what c_s is computed from, divided by the scale
  Eigen::ArrayXd open_;       ///< the bound of an unsolved member, -infinity of a solved one
  Eigen::MatrixXd products_;  ///< members x pairs: x_s' S x_s / 4 is products_ * S_
  Eigen::VectorXd S_;
  Eigen::VectorXd forms_;
  Eigen::VectorXd c_;
  Eigen::VectorXd w_;
  Eigen::ArrayXd g_;
};

/// Solves chunks of families: all their vectors are rotated by one product, and all winners rotated back by
/// one.
class FamilyChunk {
 public:
  FamilyChunk(const SpectralFactors& factors, bool prune) : factors_(factors), prune_(prune) {}

  void solve(std::span<const SpectralFamily> families, std::span<FamilyAnswer> answers) {
    gather(families);
    split(families);
    leaders_.assign(families.size(), {});
    for (size_t i = 0; i < families.size(); ++i) solve_points(families[i], i, answers[i]);
    for (Side* side : {&restricted_, &whole_}) rotate(*side, families, answers);
    for (size_t i = 0; i < families.size(); ++i) {
      answers[i].value = leaders_[i].value;
      answers[i].subproblem = leaders_[i].subproblem;
      answers[i].pruned = families[i].subproblems - answers[i].solved;
      answers[i].bound = std::max(answers[i].bound, answers[i].value);
    }
  }

 private:
  struct Side {
    bool restricted;
    std::vector<std::vector<Index>> members;  ///< per family
    Eigen::MatrixXd rotated, W, U;
  };

  void gather(std::span<const SpectralFamily> families) {
    const Index V = factors_.labels();
    first_.assign(1, 0);
    for (const SpectralFamily& f : families) first_.push_back(first_.back() + 1 + f.directions);
    columns_.resize(V, first_.back());
    for (size_t i = 0; i < families.size(); ++i) {
      const SpectralFamily& f = families[i];
      columns_.col(first_[i]) = Eigen::Map<const Eigen::VectorXd>(f.c, V);
      columns_.middleCols(first_[i] + 1, f.directions) =
          Eigen::Map<const Eigen::MatrixXd>(f.D, V, f.directions);
    }
    sums_ = columns_.colwise().sum();
    norms_.resize(columns_.cols());
    for (Index j = 0; j < columns_.cols(); ++j) norms_[j] = safe_norm(columns_.col(j));
  }

  void split(std::span<const SpectralFamily> families) {
    for (Side* side : {&restricted_, &whole_}) side->members.assign(families.size(), {});
    for (size_t i = 0; i < families.size(); ++i)
      for (Index s = 0; s < families[i].subproblems; ++s) {
        const double beta = families[i].beta_of(s);
        if (std::abs(beta) > static_cast<double>(factors_.labels()))
          throw std::invalid_argument("no labelling has |1'u| > V");
        if (!is_point(factors_.labels(), beta))
          (std::isnan(beta) ? whole_ : restricted_).members[i].push_back(s);
      }
  }

  /// The subproblems that u = +1 or u = -1 alone can satisfy.
  void solve_points(const SpectralFamily& family, size_t i, FamilyAnswer& answer) {
    const Index m = family.directions;
    answer.bound = -infinity;
    answer.solved = 0;
    for (Index s = 0; s < family.subproblems; ++s) {
      if (!is_point(factors_.labels(), family.beta_of(s))) continue;
      const double a = family.beta_of(s) > 0 ? 1 : -1;
      double linear = sums_[first_[i]];
      for (Index d = 0; d < m; ++d) linear += family.coefficients[s * m + d] * sums_[first_[i] + 1 + d];
      const double value = family.constants[s] + a * linear - factors_.ones_A_ones();
      if (leaders_[i].offer(value, s))
        Eigen::Map<Eigen::VectorXd>(answer.u, factors_.labels()).setConstant(a);
      if (answer.bounds != nullptr) answer.bounds[s] = value;
      answer.bound = std::max(answer.bound, value);
      ++answer.solved;
    }
  }

  void rotate(Side& side, std::span<const SpectralFamily> families, std::span<FamilyAnswer> answers) {
    if (std::all_of(side.members.begin(), side.members.end(), [](const auto& m) { return m.empty(); }))
      return;
    const Eigenbasis& basis = side.restricted ? factors_.restricted() : factors_.whole();
    side.rotated.resize(basis.E.cols(), columns_.cols());
    factors_.algebra().product(basis.E, true, columns_, side.rotated);
    side.W.setZero(basis.E.cols(), static_cast<Index>(families.size()));
    FamilyGroup group(factors_, basis);
    std::vector<bool> improved(families.size());
    for (size_t i = 0; i < families.size(); ++i) {
      if (side.members[i].empty()) continue;
      const Index count = first_[i + 1] - first_[i];
      const Index before = leaders_[i].subproblem;
      group.load(families[i], side.members[i],
                 {side.rotated.middleCols(first_[i], count), sums_.segment(first_[i], count),
                  norms_.segment(first_[i], count)});
      group.solve(prune_, leaders_[i], side.W.col(static_cast<Index>(i)).data(), answers[i]);
      improved[i] = leaders_[i].subproblem != before;
    }
    side.U.resize(basis.E.rows(), side.W.cols());
    factors_.algebra().product(basis.E, false, side.W, side.U);
    for (size_t i = 0; i < families.size(); ++i) {
      if (!improved[i]) continue;
      const double beta = families[i].beta_of(leaders_[i].subproblem);
      const double a = side.restricted ? beta / static_cast<double>(factors_.labels()) : 0;
      Eigen::Map<Eigen::ArrayXd>(answers[i].u, factors_.labels()) =
          a + side.U.col(static_cast<Index>(i)).array();
    }
  }

  const SpectralFactors& factors_;
  bool prune_;
  std::vector<Index> first_;  ///< family i owns columns first_[i] .. first_[i+1]-1: c, then D
  Eigen::MatrixXd columns_;
  Eigen::VectorXd sums_;
  Eigen::VectorXd norms_;
  std::vector<FamilyLeader> leaders_;
  Side restricted_{true, {}, {}, {}, {}};
  Side whole_{false, {}, {}, {}, {}};
};

}  // namespace detail

CONCORD_KIT_INLINE void solve_spectral_families(const SpectralFactors& factors,
                                                std::span<const SpectralFamily> families,
                                                std::span<FamilyAnswer> answers, bool prune) {
  detail::FamilyChunk worker(factors, prune);
  for (size_t first = 0; first < families.size(); first += spectral_chunk) {
    const size_t count = std::min(spectral_chunk, families.size() - first);
    worker.solve(families.subspan(first, count), answers.subspan(first, count));
  }
}

}  // namespace concord::kit
