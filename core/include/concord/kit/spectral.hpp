// SPDX-License-Identifier: MIT
#pragma once
// The spectral relaxation: maximise u'c - u'Au over u'u = V, optionally with 1'u = beta.
//
// A is decomposed once; then every c costs two products with the eigenvectors, done for whole chunks as one
// matrix product, and a secular equation. With 1'u = beta write u = a 1 + w, a = beta/V, 1'w = 0: the same
// problem on 1^perp with the linear term c - 2a A1, radius R^2 = V - beta^2/V and a constant
// a 1'c - a^2 1'A1.
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <concord/kit/secular.hpp>

namespace concord::kit {

/// The dense linear algebra that may be left to another library (kit/lapack.hpp). Eigen's own is the default.
struct DenseAlgebra {
  /// Replaces a symmetric matrix by its eigenvectors and fills the ascending eigenvalues.
  std::function<void(Eigen::MatrixXd& M, Eigen::VectorXd& values)> eigensolver;
  /// out = EX, or E'X if transposed.
  std::function<void(const Eigen::MatrixXd& E, bool transposed, const Eigen::Ref<const Eigen::MatrixXd>& X,
                     Eigen::Ref<Eigen::MatrixXd> out)>
      product;
};

inline void eigen_symmetric(Eigen::MatrixXd& M, Eigen::VectorXd& values) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(M);
  if (solver.info() != Eigen::Success) throw std::runtime_error("the symmetric eigensolver did not converge");
  M = solver.eigenvectors();
  values = solver.eigenvalues();
}

inline void eigen_product(const Eigen::MatrixXd& E, bool transposed,
                          const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::Ref<Eigen::MatrixXd> out) {
  if (transposed) {
    out.noalias() = E.transpose() * X;
  } else {
    out.noalias() = E * X;
  }
}

inline DenseAlgebra eigen_algebra() {
  return {eigen_symmetric, eigen_product};
}

/// P, an orthonormal basis of 1^perp: the last V-1 columns of the Householder reflection that sends 1/sqrt(V)
/// to -e_1. Never formed; each product is O(V) per column. requires V >= 2
class OnesComplement {
 public:
  explicit OnesComplement(Index V) : root_(std::sqrt(static_cast<double>(V))) {}

  /// P'AP for a symmetric A.
  Eigen::MatrixXd restrict(const Eigen::MatrixXd& A) const {
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

  /// P'x
  Eigen::VectorXd project(const Eigen::VectorXd& x) const {
    return x.tail(x.size() - 1).array() - (x[0] + x.sum() / root_) / (root_ + 1);
  }

  /// P W, V x columns.
  Eigen::MatrixXd expand(const Eigen::MatrixXd& W) const {
    const Eigen::RowVectorXd sums = W.colwise().sum() / root_;
    Eigen::MatrixXd out(W.rows() + 1, W.cols());
    out.row(0) = -sums;
    out.bottomRows(W.rows()) = W.rowwise() - sums / (root_ + 1);
    return out;
  }

 private:
  double root_;
};

/// A on a subspace: V x n orthonormal eigenvectors E (padded with zero columns) and their spectrum.
struct Eigenbasis {
  Spectrum spectrum;
  Eigen::MatrixXd E;
  Eigen::VectorXd r;  ///< E'A1
};

/// The decompositions of one A, each computed when it is first asked for; safe to ask for from many threads.
class SpectralFactors {
 public:
  explicit SpectralFactors(Eigen::MatrixXd A, DenseAlgebra algebra = eigen_algebra())
      : A_(std::move(A)), algebra_(std::move(algebra)) {
    A1_ = A_.rowwise().sum();
    A1_norm_ = safe_norm(A1_);
    ones_A_ones_ = A1_.sum();
  }

  Index labels() const { return A_.rows(); }
  double ones_A_ones() const { return ones_A_ones_; }
  double A1_norm() const { return A1_norm_; }
  const DenseAlgebra& algebra() const { return algebra_; }

  /// A itself.
  const Eigenbasis& whole() const {
    std::call_once(whole_once_, [this] {
      whole_ = decompose(
          A_, [](const Eigen::MatrixXd& Q) { return Q; }, Eigen::VectorXd::Constant(labels(), -1));
    });
    return whole_;
  }

  /// A on 1^perp: P'AP. requires V >= 2
  const Eigenbasis& restricted() const {
    std::call_once(restricted_once_, [this] {
      const OnesComplement P(labels());
      restricted_ = decompose(
          P.restrict(A_), [&](const Eigen::MatrixXd& Q) { return P.expand(Q); },
          Eigen::VectorXd::Unit(labels(), 0));
    });
    return restricted_;
  }

 private:
  template <class Expand>
  Eigenbasis decompose(Eigen::MatrixXd M, Expand&& expand, Eigen::VectorXd preferred) const {
    const double unit = power_above(A_.lpNorm<Eigen::Infinity>());
    if (unit > 0) M /= unit;
    Eigen::VectorXd values;
    algebra_.eigensolver(M, values);
    Eigenbasis basis;
    // P'AP may vanish by cancellation; ||A1||/sqrt(V) is what it leaves out of the norm of A.
    const double left_out = unit > 0 ? A1_norm_ / unit / std::sqrt(static_cast<double>(labels())) : 0;
    basis.spectrum = Spectrum::of(values, unit, left_out);
    basis.E = Eigen::MatrixXd::Zero(labels(), padded(M.cols()));
    basis.E.leftCols(M.cols()) = expand(M);
    basis.r = basis.E.transpose() * A1_;
    set_bottom_direction(basis, std::move(preferred));
    return basis;
  }

  /// The projection onto B of the preferred vector, or of the first e_1, e_2, ... that is not orthogonal to
  /// B: it does not depend on the basis that the eigensolver happened to choose in B.
  static void set_bottom_direction(Eigenbasis& basis, Eigen::VectorXd direction) {
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

  Eigen::MatrixXd A_;
  DenseAlgebra algebra_;
  Eigen::VectorXd A1_;
  double A1_norm_ = 0;
  double ones_A_ones_ = 0;
  mutable std::once_flag whole_once_;
  mutable std::once_flag restricted_once_;
  mutable Eigenbasis whole_;
  mutable Eigenbasis restricted_;
};

/// One problem: c (V numbers) and 1'u = beta, NaN for none. requires |beta| <= V
struct SpectralProblem {
  const double* c = nullptr;
  double beta = std::numeric_limits<double>::quiet_NaN();
};

struct SpectralAnswer {
  double* u = nullptr;  ///< in: room for V numbers
  double value = 0;     ///< u'c - u'Au
  double bound = 0;     ///< on the optimum over the sphere, hence over the labellings; never below value
};

/// Many instances at once are rotated together, this many at a time: enough for the speed of a matrix
/// product, and fixed, so that the chunks of a batch do not depend on anything but their order.
constexpr size_t spectral_chunk = 64;

namespace detail {

/// 1'u = +-V has one solution, u = +-1.
inline bool is_point(Index V, double beta) {
  return std::abs(beta) == static_cast<double>(V);
}

/// The radius of the sphere that is left of u'u = V by 1'u = beta (NaN: none).
inline double radius(Index V, double beta) {
  const double n = static_cast<double>(V);
  return std::sqrt(std::isnan(beta) ? n : n - beta * beta / n);
}

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
inline void solve_spectral(const SpectralFactors& factors, std::span<const SpectralProblem> problems,
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
