// SPDX-License-Identifier: MIT
#pragma once
// Random numbers that are the same everywhere: <random>'s distributions differ between standard libraries.
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace concord::kit {

/// One step of splitmix64 (Steele, Lea, Flood 2014): advances the state and returns its hash.
inline uint64_t splitmix64(uint64_t& state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// The seed of instance `index` of a run. The seed is hashed before the index is added, so that runs with
/// neighbouring seeds do not share instances.
inline uint64_t derive(uint64_t seed, uint64_t index) {
  uint64_t state = splitmix64(seed) + index;
  return splitmix64(state);
}

/// xoshiro256** 1.0 (Blackman, Vigna 2018), period 2^256 - 1.
class Rng {
 public:
  explicit Rng(uint64_t seed) {
    for (uint64_t& word : s_) word = splitmix64(seed);
  }
  /// From a full state, which must not be all zero.
  Rng(uint64_t s0, uint64_t s1, uint64_t s2, uint64_t s3) : s_{s0, s1, s2, s3} {}

  uint64_t next() {
    const uint64_t result = std::rotl(s_[1] * 5, 7) * 9;
    const uint64_t t = s_[1] << 17;
    s_[2] ^= s_[0];
    s_[3] ^= s_[1];
    s_[1] ^= s_[2];
    s_[0] ^= s_[3];
    s_[2] ^= t;
    s_[3] = std::rotl(s_[3], 45);
    return result;
  }

  /// Uniform on [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  /// Uniform on {0, ..., n-1}. Draws below 2^64 mod n are rejected, so that every remainder is equally
  /// likely.
  uint64_t below(uint64_t n) {
    if (n == 0) throw std::invalid_argument("below: n must be positive");
    const uint64_t reject = (0 - n) % n;
    uint64_t x = next();
    while (x < reject) x = next();
    return x % n;
  }

  /// Standard normal by Marsaglia's polar method, which makes two at a time.
  double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    double x = 0;
    double y = 0;
    double square = 0;
    do {
      x = 2 * uniform() - 1;
      y = 2 * uniform() - 1;
      square = x * x + y * y;
    } while (square >= 1 || square == 0);
    const double factor = std::sqrt(-2 * std::log(square) / square);
    spare_ = y * factor;
    has_spare_ = true;
    return x * factor;
  }

 private:
  uint64_t s_[4];
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace concord::kit
