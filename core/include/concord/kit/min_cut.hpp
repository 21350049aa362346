// SPDX-License-Identifier: MIT
#pragma once
// Minimum cuts for attractive priors. With z = (u + 1)/2, w_ij = 4|A_ij| and g = 2c
//   u'Au - u'c = 1'A1 + 1'c + sum_{i<j} w_ij |z_i - z_j| - g'z,
// so the best labelling is a minimum cut. Capacities are 64-bit integers: multiples of a power of two that
// depends on the prior only, so that small integers and other short numbers are exact, and so are their ties.
//
// Precision. The quantum is at most 2^-58 of the sum of all couplings, T = sum_ij w_ij = 4 sum |A_ij|. A cut
// has at most V^2/4 + V arcs, each off by half a quantum at most, so the labelling returned is optimal up to
// (V^2/4 + V) quanta: at V = 1000 less than 1e-12 sum |A|.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <concord/kit/conventions.hpp>
#include <concord/kit/max_flow.hpp>

namespace concord::kit {

/// How the numbers of a problem become integers: x becomes factor x / 2^exponent, and a weight of the graph
/// (W >> shift) factor, with the same meaning.
struct CutScale {
  int exponent = 0;
  int shift = 0;
  int64_t factor = 1;

  int64_t weight(int64_t W) const { return (W >> shift) * factor; }
  /// Rounded away from zero, so that the sign of a small number survives; cut off at +-most.
  /// requires most <= 2^62
  int64_t integer(double x, int64_t most) const {
    const double size = std::ceil(std::ldexp(std::abs(x), -exponent));
    const int64_t integer = size < 0x1p62 ? std::min(static_cast<int64_t>(size), most) : most;
    return x < 0 ? -integer : integer;
  }
};

/// The couplings of a graph add up to less than two to this many quanta.
inline constexpr int cut_sum_bits = 59;

/// For couplings that add up to `total`, sum_ij 4 |A_ij|: less than 2^59 quanta, of a size such that 4/2^exponent is finite.
/// Without couplings every number but 0 is above the quantum.
inline CutScale cut_scale(double total) {
  constexpr int smallest_exponent = -1020;
  if (!(total > 0)) return {-1080, 0, 1};
  int e = 0;
  std::frexp(total, &e);  // total < 2^e
  return {std::max(e - cut_sum_bits, smallest_exponent), 0, 1};
}

/// The couplings of a prior as integers, made once.
class CutGraph {
 public:
  /// requires A symmetric, A_ij <= 0 off the diagonal; the diagonal is not read
  explicit CutGraph(const Eigen::Ref<const Matrix>& A)
      : V_(static_cast<size_t>(A.rows())), W_(V_ * V_), sums_(V_), everything_(V_) {
    std::iota(everything_.begin(), everything_.end(), size_t{0});
    const double total = 4 * (A.diagonal().sum() - A.sum());
    if (!std::isfinite(total)) throw std::invalid_argument("the sum of all couplings is not finite");
    exponent_ = cut_scale(total).exponent;
    if (!(total > 0)) return;
    const double scale = std::ldexp(4.0, -exponent_);
    for (size_t v = 0; v < V_; ++v) {
      const double* column = A.col(static_cast<Index>(v)).data();
      for (size_t j = 0; j < V_; ++j) W_[v * V_ + j] = std::llrint(-column[j] * scale);
      W_[v * V_ + v] = 0;
      sums_[v] = std::accumulate(row(v), row(v) + V_, int64_t{0});
    }
  }

  size_t labels() const { return V_; }
  const int64_t* row(size_t v) const { return W_.data() + v * V_; }
  /// sum_j W_vj; all of them add up to less than 2^60.
  int64_t sum(size_t v) const { return sums_[v]; }
  std::span<const int64_t> sums() const { return sums_; }
  std::span<const size_t> everything() const { return everything_; }
  int exponent() const { return exponent_; }
  CutScale scale() const { return {exponent_, 0, 1}; }

  /// g = 2c. Beyond its couplings the size of g_v does not matter, so all sums stay below 2^62.
  void terminals(const VectorRef& c, std::vector<int64_t>& g) const {
    g.resize(V_);
    for (size_t v = 0; v < V_; ++v) g[v] = scale().integer(2 * c[static_cast<Index>(v)], sums_[v] + 1);
  }

 private:
  size_t V_;
  int exponent_ = 0;
  std::vector<int64_t> W_;
  std::vector<int64_t> sums_;
  std::vector<size_t> everything_;
};

/// Cuts in a graph or in a part of it. Holds the memory of the flow, so keep it for the next cut; one for
/// each thread.
class MinCut {
 public:
  /// The minimal minimiser of sum_{i<j in labels} w_ij |z_i - z_j| - g'z; z_i belongs to labels[i].
  /// sums[i] is at least sum_j w_ij over the part. stop() as in DenseMaxFlow; false: stopped.
  /// requires |g_i| + 2 sums[i] < 2^63
  template <class Stop>
  bool solve(const CutGraph& graph, const CutScale& scale, std::span<const size_t> labels,
             std::span<const int64_t> g, std::span<const int64_t> sums, std::vector<uint8_t>& z,
             Stop&& stop) {
    z.resize(labels.size());
    g_.assign(g.begin(), g.end());
    sums_.assign(sums.begin(), sums.end());
    peel(graph, scale, labels, z);
    if (open_.empty()) return true;
    part_.clear();
    rest_.clear();
    for (const size_t i : open_) {
      part_.push_back(static_cast<uint32_t>(labels[i]));
      rest_.push_back(g_[i]);
    }
    const auto weight = [scale, V = graph.labels(), W = graph.row(0), part = part_.data()](
                            size_t i, size_t j) { return scale.weight(W[part[i] * V + part[j]]); };
    if (!flow_.solve(rest_, weight, stop)) return false;
    for (size_t i = 0; i < open_.size(); ++i) z[open_[i]] = flow_.inside(i) ? 1 : 0;
    return true;
  }

  /// The whole graph with g = 2c.
  template <class Stop>
  bool solve(const CutGraph& graph, const VectorRef& c, std::vector<uint8_t>& z, Stop&& stop) {
    graph.terminals(c, terminals_);
    return solve(graph, graph.scale(), graph.everything(), terminals_, graph.sums(), z, stop);
  }

 private:
  /// Decides labels whose own g outweighs all their couplings: z = 1 if g > sum w, z = 0 if g <= -sum w (the
  /// minimal set does without such a label). The couplings of a decided label become terms of its neighbours.
  /// Those terms may decide the neighbours, and so on. open_ are the labels that remain.
  void peel(const CutGraph& graph, const CutScale& scale, std::span<const size_t> labels,
            std::vector<uint8_t>& z) {
    open_.resize(labels.size());
    std::iota(open_.begin(), open_.end(), size_t{0});
    for (;;) {
      raised_.clear();
      lowered_.clear();
      size_t kept = 0;
      for (const size_t i : open_) {
        if (g_[i] > sums_[i]) {
          z[i] = 1;
          raised_.push_back(labels[i]);
        } else if (g_[i] <= -sums_[i]) {
          z[i] = 0;
          lowered_.push_back(labels[i]);
        } else {
          open_[kept++] = i;
        }
      }
      if (kept == open_.size()) return;
      open_.resize(kept);
      for (const size_t i : open_) {
        const int64_t* W = graph.row(labels[i]);
        int64_t up = 0;
        int64_t down = 0;
        for (const size_t j : raised_) up += scale.weight(W[j]);
        for (const size_t j : lowered_) down += scale.weight(W[j]);
        g_[i] += up - down;
        sums_[i] -= up + down;
      }
    }
  }

  DenseMaxFlow flow_;
  std::vector<size_t> open_, raised_, lowered_;
  std::vector<uint32_t> part_;
  std::vector<int64_t> g_, sums_, rest_, terminals_;
};

/// u'c - u'Au of labellings, in double: with S the smaller of the two sides,
/// u'Au = 1'A1 - 4 sum_{i in S, j not in S} A_ij, so only the rows of S are read.
class CutObjective {
 public:
  explicit CutObjective(Matrix A) : A_(std::move(A)), total_(A_.sum()) {}
  const Matrix& A() const { return A_; }
  double operator()(const VectorRef& c, const VectorRef& u) const {
    const double side = 2 * (u.array() > 0).count() <= u.size() ? 1 : -1;
    const Vector outside = (u.array() == side).select(Vector::Zero(u.size()), 1);
    double cut = 0;
    for (Index v = 0; v < u.size(); ++v)
      if (u[v] == side) cut += A_.col(v).dot(outside);
    const double value = u.dot(c) - total_ + 4 * cut;
    if (!std::isfinite(value)) throw std::invalid_argument("the objective is not finite");
    return value;
  }

  /// values[i] of the first sizes[i] labels in the given order; the sizes grow. A label that joins changes the
  /// cut by -sum_j A_vj u_j.
  void of_nested(const VectorRef& c, std::span<const size_t> order, std::span<const size_t> sizes,
                 std::vector<double>& values) const {
    Vector u = Vector::Constant(c.size(), -1);
    double cut = 0;
    double linear = -c.sum();
    size_t done = 0;
    values.clear();
    for (const size_t size : sizes) {
      for (; done < size; ++done) {
        const auto v = static_cast<Index>(order[done]);
        cut -= A_.col(v).dot(u) + A_(v, v);
        linear += 2 * c[v];
        u[v] = 1;
      }
      values.push_back(linear - total_ + 4 * cut);
    }
  }

 private:
  Matrix A_;
  double total_;
};

}  // namespace concord::kit
