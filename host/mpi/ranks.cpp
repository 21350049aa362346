// SPDX-License-Identifier: MIT
// The ranks of an mpirun, in plain C MPI.
#include <algorithm>
#include <climits>
#include <mpi.h>
#include <numeric>

#include "join.hpp"

namespace concord {
namespace {

/// An error of MPI ends all ranks by itself, with its own sentence: MPI_ERRORS_ARE_FATAL is the default.
class MpiRanks : public Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED,
                    &provided);  // exchanges are made by the first thread
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
    MPI_Comm here = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &on_this_machine_);
    MPI_Comm_free(&here);
  }
  ~MpiRanks() override { MPI_Finalize(); }

  int rank() const override { return rank_; }
  int count() const override { return count_; }
  int on_this_machine() const override { return on_this_machine_; }

 private:
  std::vector<std::string> all_gather(const std::string& own) override {
    const auto size = static_cast<unsigned long long>(own.size());
    std::vector<unsigned long long> sizes(static_cast<size_t>(count_));
    MPI_Allgather(&size, 1, MPI_UNSIGNED_LONG_LONG, sizes.data(), 1, MPI_UNSIGNED_LONG_LONG, MPI_COMM_WORLD);
    std::vector<std::string> all;
    const auto total = std::accumulate(sizes.begin(), sizes.end(), 0ULL);
    if (total > INT_MAX) return gather_large(own, sizes);
    std::vector<int> counts(sizes.begin(), sizes.end()), starts(counts.size(), 0);
    std::partial_sum(counts.begin(), counts.end() - 1, starts.begin() + 1);
    std::string bytes(total, '\0');
    MPI_Allgatherv(own.data(), static_cast<int>(own.size()), MPI_BYTE, bytes.data(), counts.data(),
                   starts.data(), MPI_BYTE, MPI_COMM_WORLD);
    for (size_t r = 0; r < counts.size(); ++r)
      all.push_back(bytes.substr(static_cast<size_t>(starts[r]), static_cast<size_t>(counts[r])));
    return all;
  }

  /// MPI counts by int: what is larger goes in slices.
  std::vector<std::string> gather_large(const std::string& own,
                                        const std::vector<unsigned long long>& sizes) const {
    constexpr size_t kSlice = size_t{1} << 30;
    std::vector<std::string> all;
    for (int r = 0; r < count_; ++r) {
      std::string& bytes =
          all.emplace_back(r == rank_ ? own : std::string(sizes[static_cast<size_t>(r)], '\0'));
      for (size_t first = 0; first < bytes.size(); first += kSlice)
        MPI_Bcast(bytes.data() + first, static_cast<int>(std::min(kSlice, bytes.size() - first)), MPI_BYTE, r,
                  MPI_COMM_WORLD);
    }
    return all;
  }

  int rank_ = 0, count_ = 1, on_this_machine_ = 1;
};

}  // namespace

std::unique_ptr<Ranks> join_ranks() {
  return std::make_unique<MpiRanks>();
}

}  // namespace concord
