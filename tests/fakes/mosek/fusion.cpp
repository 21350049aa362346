// SPDX-License-Identifier: MIT
// The runtime of the stand-in: it has a licence if MOSEKLM_LICENSE_FILE names a file, and answers Z = I, y = 0.
#include "fusion.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace mosek::fusion {

Domain::t Domain::inPSDCone(int size) {
  return new Domain{size, 0};
}
Domain::t Domain::equalsTo(double right) {
  return new Domain{0, right};
}
Expression::t Variable::index(int, int) {
  return new Expression;
}
Array Variable::level() {
  auto out = std::make_shared<monty::ndarray<double, 1>>(monty::shape(size * size));
  for (int i = 0; i < size; ++i) (*out)[i * size + i] = 1;
  return out;
}
Array Constraint::dual() {
  return std::make_shared<monty::ndarray<double, 1>>(monty::shape(1));
}
// NOLINTBEGIN(performance-unnecessary-value-param): the signatures are those of MOSEK
Expression::t Expr::dot(Square, Variable::t) {
  return new Expression;
}

Model::Model(const std::string&) {}
void Model::dispose() {}
Variable::t Model::variable(const std::string&, Domain::t domain) {
  Variable* made = new Variable;
  made->size = domain->size;
  return made;
}
void Model::objective(ObjectiveSense, Expression::t) {}
Constraint::t Model::constraint(Expression::t, Domain::t) {
  return new Constraint;
}
// NOLINTEND(performance-unnecessary-value-param)
void Model::setSolverParam(const std::string&, int) {}
void Model::setSolverParam(const std::string&, double) {}
void Model::acceptedSolutionStatus(AccSolutionStatus) {}
void Model::setLogHandler(const std::function<void(const std::string&)>& handler) {
  handler_ = handler;
}
SolutionStatus Model::getPrimalSolutionStatus() {
  return SolutionStatus::Optimal;
}
std::string Model::getVersion() {
  return "0.0 (a stand-in)";
}
void Model::solve() {
  if (handler_) handler_("iteration 0");
  const char* file = std::getenv("MOSEKLM_LICENSE_FILE");
  if (file == nullptr || !std::filesystem::exists(file))
    throw std::runtime_error("License file(s) not found.");
}
double Model::primalObjValue() {
  return 0;
}

}  // namespace mosek::fusion
