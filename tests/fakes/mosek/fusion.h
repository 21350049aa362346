/* SPDX-License-Identifier: MIT
   A stand-in for the header of MOSEK Fusion: the few declarations that the worker of sdp-mosek uses, as the
   manual gives them. fusion.cpp is the runtime. */
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace monty {

struct Shape {
  std::vector<std::ptrdiff_t> sizes;
};
template <class... Sizes>
Shape shape(Sizes... sizes) {
  return {{static_cast<std::ptrdiff_t>(sizes)...}};
}

template <class T, int N>
class ndarray {
 public:
  explicit ndarray(const Shape& shape) : sizes_(shape.sizes) {
    std::ptrdiff_t count = 1;
    for (const std::ptrdiff_t size : sizes_) count *= size;
    data_.resize(static_cast<size_t>(count));
  }
  T& operator[](std::ptrdiff_t i) { return data_[static_cast<size_t>(i)]; }
  T& operator()(std::ptrdiff_t i, std::ptrdiff_t j) { return data_[static_cast<size_t>(i * sizes_[1] + j)]; }
  std::ptrdiff_t size(int i) const { return sizes_[static_cast<size_t>(i)]; }

 private:
  std::vector<std::ptrdiff_t> sizes_;
  std::vector<T> data_;
};

/* Fusion's reference-counted pointer, made from a plain one without a word. */
template <class T>
class rc_ptr : public std::shared_ptr<T> {
 public:
  rc_ptr() = default;
  rc_ptr(T* object) : std::shared_ptr<T>(object) {}
};

class finally {
 public:
  explicit finally(std::function<void()> last) : last_(std::move(last)) {}
  ~finally() { last_(); }
  finally(const finally&) = delete;

 private:
  std::function<void()> last_;
};

}  // namespace monty

namespace mosek::fusion {

using Array = std::shared_ptr<monty::ndarray<double, 1>>;
using Square = std::shared_ptr<monty::ndarray<double, 2>>;

enum class ObjectiveSense { Minimize, Maximize };
enum class AccSolutionStatus { Anything, Optimal };
enum class SolutionStatus { Undefined, Unknown, Optimal };

struct Expression {
  using t = monty::rc_ptr<Expression>;
};

struct Domain {
  using t = monty::rc_ptr<Domain>;
  int size = 0;
  double right = 0;
  static t inPSDCone(int size);
  static t equalsTo(double right);
};

struct Variable : Expression {
  using t = monty::rc_ptr<Variable>;
  int size = 0;
  Expression::t index(int i, int j);
  Array level();
};

struct Constraint {
  using t = monty::rc_ptr<Constraint>;
  Array dual();
};

struct Expr {
  static Expression::t dot(Square matrix, Variable::t variable);
};

class Model {
 public:
  using t = monty::rc_ptr<Model>;
  explicit Model(const std::string& name);
  void dispose();
  Variable::t variable(const std::string& name, Domain::t domain);
  void objective(ObjectiveSense sense, Expression::t expression);
  Constraint::t constraint(Expression::t expression, Domain::t domain);
  void setSolverParam(const std::string& name, int value);
  void setSolverParam(const std::string& name, double value);
  void acceptedSolutionStatus(AccSolutionStatus status);
  void setLogHandler(const std::function<void(const std::string&)>& handler);
  void solve();
  SolutionStatus getPrimalSolutionStatus();
  double primalObjValue();
  static std::string getVersion();

 private:
  std::function<void(const std::string&)> handler_;
};

}  // namespace mosek::fusion
