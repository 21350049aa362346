// SPDX-License-Identifier: MIT
#pragma once
// Vectors of the widest registers that this translation unit is compiled for, by the vector extension of g++
// and clang, for the few loops where an expression template stands in the way.
#include <Eigen/Core>
#include <cstring>
#include <vector>

namespace concord::kit {

#if defined(__AVX512F__)
constexpr int packet_bytes = 64;
#elif defined(__AVX__)
constexpr int packet_bytes = 32;
#else
constexpr int packet_bytes = 16;
#endif

template <class S, int Bytes = packet_bytes>
struct PacketOf {
  typedef S type __attribute__((vector_size(Bytes)));
};
template <class S>
using Packet = typename PacketOf<S>::type;
template <class S>
constexpr int packet_width = packet_bytes / static_cast<int>(sizeof(S));

/// Arrays that packets may be read from.
template <class S>
using PacketArray = std::vector<Packet<S>, Eigen::aligned_allocator<Packet<S>>>;

/// The sum of the entries, by halves.
template <class S, int Bytes = packet_bytes>
S sum_of(const typename PacketOf<S, Bytes>::type& x) {
  if constexpr (Bytes == sizeof(S)) {
    return x[0];
  } else {
    typename PacketOf<S, Bytes / 2>::type half[2];
    std::memcpy(half, &x, sizeof half);
    return sum_of<S, Bytes / 2>(half[0] + half[1]);
  }
}

}  // namespace concord::kit
