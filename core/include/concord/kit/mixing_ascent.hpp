// SPDX-License-Identifier: MIT
#pragma once
// Blocked coordinate ascent on the factor X of M = X'X (unit columns x_1 ... x_V and x_n, n = V + 1):
//   maximise  <C, X'X> - 2 z'Xa - rho |Xa|^2,
// the part with a = (1; -beta) only for a lifted cardinality, and a like one for other constraints (kit/mixing_policy.hpp).
// One column maximises exactly at g/|g|,
//   g_i = sum_{j != i} C_ij x_j - a_i (z + rho (Xa - a_i x_i)),
// and x <- normalise(x + omega (g/|g| - x)) is still ascent for 1 <= omega <= 2. The sums over j are formed for
// twelve columns at once, at the speed of a matrix product, and corrected within the block for the columns that
// have moved: the iterates are those of one column after the other.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <concord/kit/conventions.hpp>
#include <concord/kit/packet.hpp>

namespace concord::kit {

constexpr Index mixing_block = 12;

/// level ww' - A off the diagonal, in panels of twelve columns, each row-major, as the products read them. Shared by
/// all problems.
template <class S>
class MixingPanels {
 public:
  MixingPanels(const Matrix& A, double level, const Vector& w)
      : V_(A.rows()), entries_(static_cast<size_t>(blocks() * V_ * mixing_block)) {
    S* out = entries_.data();
    for (Index b = 0; b < blocks(); ++b)
      for (Index j = 0; j < V_; ++j)
        for (Index i = b * mixing_block; i < (b + 1) * mixing_block; ++i)
          *out++ = i < V_ && i != j ? static_cast<S>((level > 0 ? level * w[i] * w[j] : 0) - A(i, j)) : S{0};
  }
  Index labels() const { return V_; }
  Index blocks() const { return (V_ + mixing_block - 1) / mixing_block; }
  const S* block(Index b) const { return entries_.data() + b * V_ * mixing_block; }

 private:
  Index V_;
  std::vector<S, Eigen::aligned_allocator<S>> entries_;
};

/// Of one sweep, each column as it was before its move.
struct SweepReport {
  double residual = 0;  ///< about sum_i (|g_i| - x_i'g_i), zero at a stationary point
  double value = 0;     ///< sum_i x_i'g_i, about <C, X'X>
};

/// Moves a column x of `packets` packets towards g/|g|; g becomes the step.
template <class S>
void move_column(Packet<S>* x, Packet<S>* g, Index packets, S omega, SweepReport& report) {
  Packet<S> squares{};
  Packet<S> products{};
  for (Index k = 0; k < packets; ++k) {
    squares += g[k] * g[k];
    products += x[k] * g[k];
  }
  const S norm = std::sqrt(sum_of<S>(squares));
  if (!(norm > 0)) {  // every direction is as good
    std::fill(g, g + packets, Packet<S>{});
    return;
  }
  const S along = sum_of<S>(products);
  report.value += static_cast<double>(along);
  const S keep = 1 - omega;
  const S cosine = std::clamp(along / norm, S{-1}, S{1});
  const S length = std::sqrt(keep * keep + omega * omega + 2 * omega * keep * cosine);  // >= 1
  const S a = keep / length;
  const S b = omega / (length * norm);
  Packet<S> step{};
  for (Index k = 0; k < packets; ++k) {
    const Packet<S> next = a * x[k] + b * g[k];
    g[k] = next - x[k];
    x[k] = next;
    step += g[k] * g[k];
  }
  // |g| - x'g = |g| |g/|g| - x|^2/2, and the step is about omega times that difference: no cancellation.
  report.residual += static_cast<double>(norm * sum_of<S>(step) / (2 * omega * omega));
}

/// The ascent as its caller sees it, whatever the precision of its numbers.
class MixingAscent {
 public:
  virtual ~MixingAscent() = default;

  virtual Matrix X() const = 0;
  /// A few units of rounding of its numbers.
  virtual double precision() const = 0;

  /// Lets every column move once.
  virtual SweepReport sweep(double omega) = 0;

  /// The same with -w_i (p - own w_i x_i) in each g_i, where p = z + rho Xw is kept up to date: own = rho if x_i is not
  /// to feel itself in p, and more of it is still ascent. x_n stays.
  virtual SweepReport sweep_pulled(double omega, const Vector& p, double rho, double own,
                                   const Vector& w) = 0;

  /// A sweep that holds the first component of Xa to zero, by the first component of p; the others of p are
  /// zero. For x_n = e_1 that component is sum_v u_v - beta. The term -rho x_1^2 of a unit column is convex
  /// in the other components of the column. Its tangent bounds it from below, so the sweep is still ascent.
  virtual SweepReport sweep_row(double omega, const Vector& p, double rho) = 0;

  /// Moves x_n, which sees the others through h.
  virtual SweepReport move_last(double omega) = 0;

  virtual Vector off_balance(double beta) const = 0;       ///< Xa = sum_v x_v - beta x_n
  virtual Vector weighted_sum(const Vector& w) const = 0;  ///< sum_v w_v x_v
};

/// In the numbers S.
template <class S>
class MixingAscentIn final : public MixingAscent {
 public:
  static constexpr Index width = packet_width<S>;

  /// Starts at X. C = alpha * panels, with the linear term h = c/2 in the units of alpha. requires X.rows() % width == 0
  MixingAscentIn(const MixingPanels<S>& panels, double alpha, const Vector& h, const Matrix& X)
      : panels_(panels),
        alpha_(static_cast<S>(alpha)),
        V_(panels.labels()),
        R_(X.rows() / width),
        X_(static_cast<size_t>((V_ + 1) * R_)),
        G_(static_cast<size_t>(mixing_block * R_)),
        p_(static_cast<size_t>(R_)),
        h_(static_cast<size_t>(V_)) {
    std::transform(h.begin(), h.end(), h_.begin(), [](double x) { return static_cast<S>(x); });
    Eigen::Map<Factor, Eigen::Aligned16>(reinterpret_cast<S*>(X_.data()), rank(), V_ + 1) =
        X.template cast<S>();
  }

  Matrix X() const override { return factor().template cast<double>(); }
  double precision() const override { return 4 * static_cast<double>(std::numeric_limits<S>::epsilon()); }

  SweepReport sweep(double omega) override {
    sweep_labels(
        omega, [](Pack*, const Pack*, Index) {}, [](const Pack*, Index) {});
    return move_last(omega);
  }

  SweepReport sweep_pulled(double omega, const Vector& p, double rho, double own, const Vector& w) override {
    set_pull(p);
    const S r = static_cast<S>(rho);
    const S o = static_cast<S>(own);
    return sweep_labels(
        omega,
        [&](Pack* g, const Pack* xi, Index i) {
          const S weight = static_cast<S>(w[i]);
          for (Index k = 0; k < R_; ++k) g[k] += weight * (o * weight * xi[k] - p_[static_cast<size_t>(k)]);
        },
        [&](const Pack* step, Index i) {
          const S weight = r * static_cast<S>(w[i]);
          for (Index k = 0; k < R_; ++k) p_[static_cast<size_t>(k)] += weight * step[k];
        });
  }

  SweepReport sweep_row(double omega, const Vector& p, double rho) override {
    set_pull(p);
    const S r = static_cast<S>(rho);
    return sweep_labels(
        omega,
        [&](Pack* g, const Pack* xi, Index) {
          g[0] -= p_[0];
          for (Index k = 0; k < R_; ++k) g[k] += r * xi[k];
        },
        [&](const Pack* step, Index) { p_[0][0] += r * step[0][0]; });
  }

  SweepReport move_last(double omega) override {
    Pack* g = G_.data();
    std::fill(g, g + R_, Pack{});
    for (Index i = 0; i < V_; ++i)
      for (Index k = 0; k < R_; ++k) g[k] += h_[static_cast<size_t>(i)] * x(i)[k];
    move_column<S>(x(V_), g, R_, static_cast<S>(omega), report_);
    return report_;
  }

  Vector off_balance(double beta) const override {
    return factor().leftCols(V_).template cast<double>().rowwise().sum() -
           beta * factor().col(V_).template cast<double>();
  }
  Vector weighted_sum(const Vector& w) const override {
    return factor().leftCols(V_).template cast<double>() * w;
  }

 private:
  using Pack = Packet<S>;
  using Factor = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;

  Index rank() const { return R_ * width; }
  Eigen::Map<const Factor, Eigen::Aligned16> factor() const {
    return {reinterpret_cast<const S*>(X_.data()), rank(), V_ + 1};
  }

  void set_pull(const Vector& p) {
    S* out = reinterpret_cast<S*>(p_.data());
    for (Index k = 0; k < rank(); ++k) out[k] = static_cast<S>(p[k]);
  }
  template <class Extra, class Moved>
  SweepReport sweep_labels(double omega, Extra&& extra, Moved&& moved) {
    report_ = {};
    for (Index b = 0; b < panels_.blocks(); ++b) sweep_block(b, static_cast<S>(omega), extra, moved);
    return report_;
  }

  Pack* x(Index i) { return X_.data() + i * R_; }

  /// N packets of the rows of G = X Q for one panel Q, as many columns at a time as there are registers for their
  /// sums: 12 of 16, or 24 of 32.
  template <int N>
  void product(const S* panel, Index first) {
    constexpr Index tile = packet_bytes == 64 || N == 1 ? 12 : 6;
    for (Index t0 = 0; t0 < mixing_block; t0 += tile) {
      Pack sum[tile][N] = {};
      const Pack* xj = X_.data() + first;
      const S* q = panel + t0;
      for (Index j = 0; j < V_; ++j, xj += R_, q += mixing_block)
        for (Index t = 0; t < tile; ++t)
          for (int k = 0; k < N; ++k) sum[t][k] += xj[k] * q[t];
      for (Index t = 0; t < tile; ++t)
        for (int k = 0; k < N; ++k) G_[static_cast<size_t>((t0 + t) * R_ + first + k)] = sum[t][k];
    }
  }
  void products(const S* panel) {
    Index first = 0;
    for (; R_ - first >= 2; first += 2) product<2>(panel, first);
    if (first < R_) product<1>(panel, first);
  }

  template <class Extra, class Moved>
  void sweep_block(Index b, S omega, Extra&& extra, Moved&& moved) {
    const Index i0 = b * mixing_block;
    products(panels_.block(b));
    const S* within = panels_.block(b) + i0 * mixing_block;  // the couplings inside the block
    const Pack* xn = x(V_);
    for (Index t = 0; t < std::min(mixing_block, V_ - i0); ++t) {
      Pack* g = G_.data() + t * R_;
      for (Index s = 0; s < t; ++s) {
        const S q = within[t * mixing_block + s];
        const Pack* step = G_.data() + s * R_;
        for (Index k = 0; k < R_; ++k) g[k] += q * step[k];
      }
      const S h = h_[static_cast<size_t>(i0 + t)];
      for (Index k = 0; k < R_; ++k) g[k] = alpha_ * g[k] + h * xn[k];
      extra(g, x(i0 + t), i0 + t);
      move_column<S>(x(i0 + t), g, R_, omega, report_);
      moved(g, i0 + t);
    }
  }

  const MixingPanels<S>& panels_;
  S alpha_;
  Index V_;
  Index R_;  ///< packets in a column
  PacketArray<S> X_;
  PacketArray<S> G_;  ///< the g of a block, then its steps
  PacketArray<S> p_;  ///< z + rho Xa
  std::vector<S> h_;
  SweepReport report_;
};

}  // namespace concord::kit
