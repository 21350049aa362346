// SPDX-License-Identifier: MIT
#include <cstring>
#include <sys/mman.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "check/test.hpp"

namespace concord::check {

/// Plain numbers only: the reader is another process, and the writer may die at any time.
struct Recorder::Page {
  static constexpr int64_t most_labels = 128;

  char doing[64];
  int64_t labels;  ///< 0: no problem
  int64_t k;       ///< -1: no cardinality
  double c[most_labels];
  double A[most_labels * most_labels];
};

Recorder::Recorder() {
  void* memory = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail(Fault::io, "no memory to share with a child process");
  page_ = static_cast<Page*>(memory);
}

Recorder::~Recorder() {
  ::munmap(page_, sizeof(Page));
}

void Recorder::clear() {
  page_->doing[0] = '\0';
  page_->labels = 0;
}

void Recorder::note(const char* doing) {
  std::strncpy(page_->doing, doing, sizeof page_->doing - 1);
}

void Recorder::note_problem(const CanonicalProblem& problem) {
  page_->labels = 0;
  const int64_t V = problem.labels();
  if (V > Page::most_labels) return;
  Eigen::Map<Eigen::VectorXd>(page_->c, V) = problem.c;
  Eigen::Map<Eigen::MatrixXd>(page_->A, V, V) = problem.A.to_dense();
  page_->k = problem.k.value_or(-1);
  page_->labels = V;
}

std::string Recorder::doing() const {
  return one_line(clean({page_->doing, ::strnlen(page_->doing, sizeof page_->doing)}));
}

std::optional<CanonicalProblem> Recorder::problem() const {
  const int64_t V = page_->labels;
  if (V < 1 || V > Page::most_labels) return std::nullopt;
  CanonicalProblem problem;
  problem.c = Eigen::Map<const Eigen::VectorXd>(page_->c, V);
  problem.A = PriorMatrix(Eigen::MatrixXd(Eigen::Map<const Eigen::MatrixXd>(page_->A, V, V)));
  const int64_t k = page_->k;
  if (k >= 0) problem.k = k;
  // The plugin may have written here, too.
  const Eigen::MatrixXd& A = problem.A.dense();
  if (!problem.c.allFinite() || !A.allFinite() || A != A.transpose() || k > V) return std::nullopt;
  return problem;
}

}  // namespace concord::check
