// SPDX-License-Identifier: MIT
// Runs MOSEK Fusion for the decoder sdp-mosek. Written from its manual, and never run with the real library.
#include <algorithm>
#include <fusion.h>
#include <memory>
#include <string>
#include <vector>

#include <concord/kit/sdp_worker.hpp>

namespace {

using namespace concord::kit;
namespace fusion = mosek::fusion;

using Array = std::shared_ptr<monty::ndarray<double, 2>>;

Array array_of(const Matrix& from) {
  const auto n = static_cast<int>(from.rows());
  Array out = std::make_shared<monty::ndarray<double, 2>>(monty::shape(n, n));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) (*out)(i, j) = from(i, j);
  return out;
}

SdpAnswer solve(const SdpProblem& problem, SdpWork& work) {
  const SdpReduced reduced(problem);
  const Index n = problem.order(), m = reduced.order();
  const fusion::Model::t model = new fusion::Model("concord");
  const auto dispose = monty::finally([&] { model->dispose(); });
  const fusion::Variable::t Z = model->variable("Z", fusion::Domain::inPSDCone(static_cast<int>(m)));
  model->objective(fusion::ObjectiveSense::Maximize, fusion::Expr::dot(array_of(reduced.cost()), Z));

  std::vector<fusion::Constraint::t> constraints;
  for (Index i = 0; i < reduced.constraints(); ++i) {
    const auto place = static_cast<int>(reduced.unit_row(i));
    const bool sparse = i < n && reduced.dense_row(i) == nullptr;
    constraints.push_back(model->constraint(
        sparse ? Z->index(place, place) : fusion::Expr::dot(array_of(reduced.constraint(i)), Z),
        fusion::Domain::equalsTo(reduced.right_side(i))));
  }
  model->setSolverParam("numThreads", work.threads);
  model->setSolverParam("intpntCoTolRelGap", work.tol);
  model->setSolverParam("optimizerMaxTime", std::clamp(work.seconds_left(), 0.0, 1e6));
  model->setLogHandler([&](const std::string& text) { work.log(CONCORD_LOG_DEBUG, text); });
  model->acceptedSolutionStatus(fusion::AccSolutionStatus::Anything);  // the decoder judges it
  model->solve();

  SdpAnswer answer;
  const auto level = Z->level();
  Matrix found(m, m);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < m; ++j) found(i, j) = (*level)[static_cast<ptrdiff_t>(i * m + j)];
  answer.M = reduced.expand(found);
  answer.y.resize(n);
  for (Index i = 0; i < n; ++i) answer.y[i] = (*constraints[static_cast<size_t>(i)]->dual())[0];
  if (problem.is_row()) answer.mu = (*constraints.back()->dual())[0];
  answer.objective = model->primalObjValue();
  answer.cut = model->getPrimalSolutionStatus() != fusion::SolutionStatus::Optimal;
  return answer;
}

SdpAnswer solve_or_say_why(const SdpProblem& problem, SdpWork& work) {
  try {
    return solve(problem, work);
  } catch (const std::exception& e) {
    const std::string why = e.what();
    const bool licence = why.find("icense") != std::string::npos || why.find("LICENSE") != std::string::npos;
    throw std::runtime_error((licence ? "MOSEK has no licence: " : "MOSEK failed: ") + why);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return sdp_worker(argc, argv, solve_or_say_why, "MOSEK " + fusion::Model::getVersion());
}
