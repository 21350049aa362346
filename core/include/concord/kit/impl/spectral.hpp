// SPDX-License-Identifier: MIT
#pragma once
// The definitions of kit/spectral.hpp.
#include <concord/kit/spectral.hpp>

namespace concord::kit {

CONCORD_KIT_INLINE void eigen_symmetric(Eigen::MatrixXd& M, Eigen::VectorXd& values) {
  if (!symmetric_eigen(M, values, &M)) throw std::runtime_error("the symmetric eigensolver did not converge");
}

CONCORD_KIT_INLINE DenseAlgebra eigen_algebra() {
  return {[](Eigen::MatrixXd& M, Eigen::VectorXd& values, const InPieces&) { eigen_symmetric(M, values); },
          eigen_product};
}

CONCORD_KIT_INLINE Eigen::MatrixXd OnesComplement::restrict(const Eigen::MatrixXd& A) const {
  const Index V = A.rows();
  // H = I - f vv' with v = 1/sqrt(V) + e_1 gives HAH = A - vy' - yv', y = f Av - f^2/2 (v'Av) v.
  Eigen::VectorXd v = Eigen::VectorXd::Constant(V, 1 / root_);
  v[0] += 1;
  const double f = 1 / (1 + 1 / root_);
  Eigen::VectorXd y = f * (A * v);
  y -= (0.5 * f * v.dot(y)) * v;
  const auto v1 = v.tail(V - 1);
  const auto y1 = y.tail(V - 1);
  return A.bottomRightCorner(V - 1, V - 1) - v1 * y1.transpose() - y1 * v1.transpose();
}

CONCORD_KIT_INLINE Eigen::VectorXd OnesComplement::project(const Eigen::VectorXd& x) const {
  return x.tail(x.size() - 1).array() - (x[0] + x.sum() / root_) / (root_ + 1);
}

CONCORD_KIT_INLINE Eigen::MatrixXd OnesComplement::expand(const Eigen::MatrixXd& W) const {
  const Eigen::RowVectorXd sums = W.colwise().sum() / root_;
  Eigen::MatrixXd out(W.rows() + 1, W.cols());
  out.row(0) = -sums;
  out.bottomRows(W.rows()) = W.rowwise() - sums / (root_ + 1);
  return out;
}

namespace detail {

/// The projection onto B of the preferred vector, or of the first e_1, e_2, ... that is not orthogonal to
/// B: it does not depend on the basis that the eigensolver happened to choose in B.
CONCORD_KIT_INLINE void set_bottom_direction(Eigenbasis& basis, Eigen::VectorXd direction) {
  const auto B = basis.E.leftCols(basis.spectrum.bottom);
  for (Index next = 0;; ++next) {
    const Eigen::VectorXd on_B = B.transpose() * direction;
    if (on_B.norm() > 1e-8 * direction.norm()) {
      basis.spectrum.bottom_direction = on_B.normalized();
      return;
    }
    if (next == B.rows()) throw std::logic_error("the eigenvectors are not orthonormal");
    direction = Eigen::VectorXd::Unit(B.rows(), next);
  }
}

}  // namespace detail

CONCORD_KIT_INLINE SpectralFactors::SpectralFactors(Eigen::MatrixXd A, DenseAlgebra algebra)
    : A_(std::move(A)), algebra_(std::move(algebra)) {
  A1_ = A_.rowwise().sum();
  A1_norm_ = safe_norm(A1_);
  ones_A_ones_ = A1_.sum();
}

CONCORD_KIT_INLINE const Eigenbasis& SpectralFactors::whole(const InPieces& run) const {
  std::call_once(whole_once_,
                 [&] { whole_ = decompose(A_, false, Eigen::VectorXd::Constant(labels(), -1), run); });
  return whole_;
}

CONCORD_KIT_INLINE const Eigenbasis& SpectralFactors::restricted(const InPieces& run) const {
  std::call_once(restricted_once_, [&] {
    restricted_ =
        decompose(OnesComplement(labels()).restrict(A_), true, Eigen::VectorXd::Unit(labels(), 0), run);
  });
  return restricted_;
}

CONCORD_KIT_INLINE void SpectralFactors::decompose_as(const SpectralFactors& before,
                                                      const InPieces& run) const {
  if (before.whole_.E.size() > 0) whole(run);
  if (before.restricted_.E.size() > 0 && labels() >= 2) restricted(run);
}

CONCORD_KIT_INLINE Eigenbasis SpectralFactors::decompose(Eigen::MatrixXd M, bool restricted,
                                                         Eigen::VectorXd preferred,
                                                         const InPieces& run) const {
  const double unit = power_above(A_.lpNorm<Eigen::Infinity>());
  if (unit > 0) M /= unit;
  Eigen::VectorXd values;
  algebra_.eigensolver(M, values, run);
  Eigenbasis basis;
  // P'AP may vanish by cancellation; ||A1||/sqrt(V) is what it leaves out of the norm of A.
  const double left_out = unit > 0 ? A1_norm_ / unit / std::sqrt(static_cast<double>(labels())) : 0;
  basis.spectrum = Spectrum::of(values, unit, left_out);
  basis.E = Eigen::MatrixXd::Zero(labels(), padded(M.cols()));
  basis.E.leftCols(M.cols()) = restricted ? OnesComplement(labels()).expand(M) : M;
  basis.r = basis.E.transpose() * A1_;
  detail::set_bottom_direction(basis, std::move(preferred));
  return basis;
}

namespace detail {

/// Solves problems[i] for the i in `chunk`, which all have a beta or all have none.
class SpectralChunk {
 public:
  SpectralChunk(const SpectralFactors& factors, bool restricted, size_t most)
      : factors_(factors),
        restricted_(restricted),
        basis_(restricted ? factors.restricted() : factors.whole()) {
    const Index n = basis_.E.cols();
    const auto columns = static_cast<Index>(most);
    C_.resize(factors.labels(), columns);
    rotated_.resize(n, columns);
    W_.resize(n, columns);
  }

  void solve(std::span<const size_t> chunk, std::span<const SpectralProblem> problems,
             std::span<SpectralAnswer> answers) {
    const Index V = factors_.labels();
    const auto columns = static_cast<Index>(chunk.size());
    for (Index j = 0; j < columns; ++j)
      C_.col(j) = Eigen::Map<const Eigen::VectorXd>(problems[chunk[j]].c, V);
    factors_.algebra().product(basis_.E, true, C_.leftCols(columns), rotated_.leftCols(columns));
    for (Index j = 0; j < columns; ++j) {
      const double beta = problems[chunk[j]].beta;
      double magnitude = safe_norm(C_.col(j));
      double constant = 0;
      if (restricted_) {
        const double a = beta / static_cast<double>(V);
        rotated_.col(j) -= 2 * a * basis_.r;
        magnitude += 2 * std::abs(a) * factors_.A1_norm();
        constant = a * C_.col(j).sum() - a * a * factors_.ones_A_ones();
      }
      const SecularSolution found = solve_secular_scaled(basis_.spectrum, rotated_.col(j).data(), magnitude,
                                                         radius(V, beta), W_.col(j).data());
      answers[chunk[j]].value = constant + found.value;
      answers[chunk[j]].bound = constant + found.bound;
    }
    factors_.algebra().product(basis_.E, false, W_.leftCols(columns), C_.leftCols(columns));
    for (Index j = 0; j < columns; ++j) {
      const double a = restricted_ ? problems[chunk[j]].beta / static_cast<double>(V) : 0;
      Eigen::Map<Eigen::ArrayXd>(answers[chunk[j]].u, V) = a + C_.col(j).array();
    }
  }

 private:
  const SpectralFactors& factors_;
  bool restricted_;
  const Eigenbasis& basis_;
  Eigen::MatrixXd C_;        ///< V x chunk: the linear terms, then the solutions
  Eigen::MatrixXd rotated_;  ///< n x chunk
  Eigen::MatrixXd W_;        ///< n x chunk
};

}  // namespace detail

/// Solves all problems for one A; answers[i] belongs to problems[i].
CONCORD_KIT_INLINE void solve_spectral(const SpectralFactors& factors,
                                       std::span<const SpectralProblem> problems,
                                       std::span<SpectralAnswer> answers) {
  const Index V = factors.labels();
  std::vector<size_t> groups[2];  // without and with a beta
  for (size_t i = 0; i < problems.size(); ++i) {
    const double beta = problems[i].beta;
    if (std::abs(beta) > static_cast<double>(V)) throw std::invalid_argument("no labelling has |1'u| > V");
    if (detail::is_point(V, beta)) {
      const double a = beta > 0 ? 1 : -1;
      const Eigen::Map<const Eigen::VectorXd> c(problems[i].c, V);
      Eigen::Map<Eigen::VectorXd>(answers[i].u, V).setConstant(a);
      answers[i].value = answers[i].bound = a * c.sum() - factors.ones_A_ones();
    } else {
      groups[std::isnan(beta) ? 0 : 1].push_back(i);
    }
  }
  for (const bool restricted : {false, true}) {
    const std::span<const size_t> group = groups[restricted ? 1 : 0];
    if (group.empty()) continue;
    detail::SpectralChunk worker(factors, restricted, std::min(spectral_chunk, group.size()));
    for (size_t first = 0; first < group.size(); first += spectral_chunk)
      worker.solve(group.subspan(first, std::min(spectral_chunk, group.size() - first)), problems, answers);
  }
}

}  // namespace concord::kit
