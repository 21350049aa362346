// SPDX-License-Identifier: MIT
#pragma once
// Is a symmetric matrix S positive definite? S = LL' + E, with L in single precision and a proven bound on E,
// answers in half of the time that double precision takes.
//
// L comes by block columns. Products are summed in single precision for `chunk` columns at a time; each sum
// is subtracted in double precision. The last columns, within the block column, are done by substitution. A
// sum or substitution of m terms, in any order, errs by at most gamma_m = m u/(1 - m u) times the sum of
// their absolute values (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1 and lemma 8.4).
// Each product l_ik l_jk is in one such sum, so
//   |E| <= c u |L||L|',  c = max(chunk, cols + 3) + 2.
// The 3 pays for rounding the rest to single precision and for multiplying by a reciprocal. The 2 is more
// than enough for m u in gamma, the subtractions in double precision and the sums of |L|.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include <concord/kit/conventions.hpp>
#include <concord/kit/packet.hpp>

namespace concord::kit {

class MixedCholesky {
 public:
  /// At most sum_ij |E_ij|, nothing if S has no factor. So S + D is positive semidefinite for a diagonal D of that trace,
  /// D = Diag(|E|1). Reads the lower triangle. requires entries far from the ends of the range of float
  std::optional<double> error(const Matrix& S) {
    const Index n = S.rows();
    order_ = rounded_up(n, cols);
    const Index most = rounded_up(order_, rows) + rows;  // the diagonal block may reach into one more panel
    left_.resize(static_cast<size_t>(most / rows * order_ * 2));
    right_.resize(static_cast<size_t>(rounded_up(most, group) * order_));
    sums_.assign(static_cast<size_t>(order_), Pack{});
    for (Index j = 0; j < order_; j += cols) {
      const Index first = j / rows * rows;
      std::array<Tile, 2> tiles;  // the panels that the diagonal block is in
      for (Index p = 0; p < 2; ++p) gather(S, first + p * rows, j, tiles[static_cast<size_t>(p)]);
      if (!factorise(tiles, j - first)) return std::nullopt;
      for (Index p = 0; p < 2; ++p) {
        Tile& tile = tiles[static_cast<size_t>(p)];
        const Index above = std::clamp(j + cols - (first + p * rows), Index{0}, rows);
        for (auto& column : tile) std::fill_n(column.begin(), above, 0.0);
        solve(tile, first + p * rows, j);
      }
      for (Index c = 0; c < cols; ++c)
        for (Index r = c; r < cols; ++r) put(j + r, j + c, block(r, c));
      Tile tile;
      for (Index i = first + 2 * rows; i < order_; i += rows) {
        gather(S, i, j, tile);
        solve(tile, i, j);
      }
    }
    double squares = 0;
    for (Index k = 0; k < n; ++k)
      squares += std::pow(static_cast<double>(sum_of<float>(sums_[static_cast<size_t>(k)])), 2);
    return unit * squares;
  }

  /// L of the last factorisation.
  float factor(Index i, Index k) { return k > i ? 0 : reinterpret_cast<const float*>(left(i, k))[i % rows]; }
  /// The c u of the bound on E.
  static constexpr double unit_error() { return unit; }

  /// What that will be, by experience; the sum of the absolute values of S is given.
  static double likely_error(Index n, double absolute) {
    return 0.25 * std::sqrt(static_cast<double>(n)) * unit * absolute;
  }

 private:
  using Pack = Packet<float>;
  static constexpr Index width = packet_width<float>;
  static constexpr Index rows = 2 * width;  ///< of a panel
  static constexpr Index cols = 3 * width;  ///< of a block column
  static constexpr Index group = packet_bytes == 64 ? 12 : 6;
  static constexpr Index chunk = 48;
  static constexpr double unit =
      static_cast<double>(std::max(chunk, cols + 3) + 2) * std::numeric_limits<float>::epsilon() / 2;
  using Tile = std::array<std::array<double, rows>, cols>;

  static Index rounded_up(Index n, Index to) { return (n + to - 1) / to * to; }

  // L twice, as the products read it: in panels of `rows` rows, and of `group`, each column after column.
  Pack* left(Index i, Index k) { return left_.data() + (i / rows * order_ + k) * 2; }
  float* right(Index i, Index k) { return right_.data() + (i / group * order_ + k) * group; }
  void put(Index i, Index k, float x) {
    reinterpret_cast<float*>(left(i, k))[i % rows] = x;
    right(i, k)[i % group] = x;
    sums_[static_cast<size_t>(k)][0] += std::abs(x);
  }
  float& block(Index r, Index c) { return block_[static_cast<size_t>(c * cols + r)]; }

  /// S less the products with the columns before j0; the identity where S has ended.
  void gather(const Matrix& S, Index i0, Index j0, Tile& tile) {
    const Index n = S.rows();
    for (Index c = 0; c < cols; ++c) {
      auto& column = tile[static_cast<size_t>(c)];
      const Index j = j0 + c;
      const Index count = j < n ? std::clamp(n - i0, Index{0}, rows) : 0;
      if (count > 0) std::copy_n(&S(i0, j), count, column.begin());
      std::fill(column.begin() + count, column.end(), 0.0);
      if (j >= n && j >= i0 && j < i0 + rows) column[static_cast<size_t>(j - i0)] = 1;
    }
    for (Index k = 0; k < j0; k += chunk)
      for (Index g = 0; g < cols; g += group)
        subtract(i0, j0 + g, k, std::min(chunk, j0 - k), &tile[static_cast<size_t>(g)]);
  }

  void subtract(Index i0, Index j0, Index k0, Index count, std::array<double, rows>* out) {
    Pack sum[group][2] = {};
    const Pack* x = left(i0, k0);
    const float* b = right(j0, k0);
    for (Index k = 0; k < count; ++k, x += 2, b += group)
      for (Index c = 0; c < group; ++c)
        for (int q = 0; q < 2; ++q) sum[c][q] += x[q] * b[c];
    for (Index c = 0; c < group; ++c) {
      float s[rows];
      std::memcpy(s, sum[c], sizeof s);
      for (Index r = 0; r < rows; ++r) out[c][static_cast<size_t>(r)] -= static_cast<double>(s[r]);
    }
  }

  /// The diagonal block, `shift` rows down in the two tiles.
  bool factorise(const std::array<Tile, 2>& tiles, Index shift) {
    std::array<double, cols> t;
    for (Index c = 0; c < cols; ++c) {
      for (Index r = c; r < cols; ++r)
        t[static_cast<size_t>(r)] = tiles[static_cast<size_t>((shift + r) / rows)][static_cast<size_t>(c)]
                                         [static_cast<size_t>((shift + r) % rows)];
      for (Index d = 0; d < c; ++d)
        for (Index r = c; r < cols; ++r)
          t[static_cast<size_t>(r)] -= static_cast<double>(block(r, d)) * static_cast<double>(block(c, d));
      const auto pivot = static_cast<float>(std::sqrt(t[static_cast<size_t>(c)]));  // NaN if it is negative
      if (!(pivot > 0 && std::isfinite(pivot))) return false;
      block(c, c) = pivot;
      for (Index r = c + 1; r < cols; ++r)
        block(r, c) = static_cast<float>(t[static_cast<size_t>(r)] / static_cast<double>(pivot));
    }
    return true;
  }

  /// The rows of L in a panel, from what is left of S.
  void solve(const Tile& tile, Index i0, Index j0) {
    Pack x[cols][2];
    for (Index c = 0; c < cols; ++c) {
      float s[rows];
      std::copy(tile[static_cast<size_t>(c)].begin(), tile[static_cast<size_t>(c)].end(), s);
      std::memcpy(x[c], s, sizeof s);
    }
    for (Index c = 0; c < cols; ++c) {
      const float reciprocal = 1 / block(c, c);
      for (Pack& half : x[c]) half *= reciprocal;
      for (Index d = c + 1; d < cols; ++d)
        for (int q = 0; q < 2; ++q) x[d][q] -= x[c][q] * block(d, c);
    }
    float s[cols][rows];
    std::memcpy(s, x, sizeof s);
    std::memcpy(left(i0, j0), x, sizeof x);
    for (Index r = 0; r < rows; ++r) {
      float* out = right(i0 + r, j0) + (i0 + r) % group;
      for (Index c = 0; c < cols; ++c) out[c * group] = s[c][r];
    }
    for (Index c = 0; c < cols; ++c)
      for (const Pack& half : x[c]) sums_[static_cast<size_t>(j0 + c)] += half < 0 ? -half : half;
  }

  Index order_ = 0;
  PacketArray<float> left_;
  std::vector<float> right_;
  PacketArray<float> sums_;  ///< |L|'1, by lanes
  std::array<float, cols * cols> block_;
};

}  // namespace concord::kit
