// SPDX-License-Identifier: MIT
// An SDP backend that errs as its option says.
#include <cstring>
#include <limits>

#include <concord/kit/rng.hpp>
#include <concord/kit/sdp_backend.hpp>

namespace {

using namespace concord;

class Fake {
 public:
  struct Options : kit::SdpOptions {
    std::string fault;
  };
  static auto options() {
    return OptionList<Options>{opt("fault", &Options::fault, "").help("what to do wrong")};
  }
  explicit Fake(const Options& options) : fault_(options.fault) {}

  /// Without a fault: the labels of c alone, a feasible point and a valid y, far from optimal.
  kit::SdpAnswer solve(const kit::SdpProblem& problem, double, const Env&) const {
    const Eigen::Index V = problem.labels(), n = problem.order();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto k = kit::k_of(V, problem.beta);
    Vector x(n);
    x << kit::labels_of(problem.c, k), 1;
    kit::SdpAnswer answer;
    answer.M = x * x.transpose();
    answer.y = problem.cost().cwiseAbs().rowwise().sum();
    if (fault_ == "empty") return {};
    if (fault_ == "throws") throw std::runtime_error("the licence server is away");
    if (fault_ == "shape") answer.M = Matrix::Identity(V, V);
    if (fault_ == "columns") {
      answer.X = Matrix::Ones(1, V);
      answer.M.resize(0, 0);
    }
    if (fault_ == "dual-size") answer.y = Vector::Zero(V);
    if (fault_ == "nan") answer.M(0, 1) = answer.M(1, 0) = nan;
    if (fault_ == "dual-nan") answer.y[0] = nan;
    if (fault_ == "asymmetric") answer.M(0, 1) += 1e-3;
    if (fault_ == "diagonal") answer.M(2, 2) = 0.9;
    if (fault_ == "cardinality") answer.M = Matrix::Identity(n, n);
    if (fault_ == "lifted") {  // the right sum of u, but U1 is not beta u
      answer.M.setIdentity();
      answer.M.col(V).head(V).setConstant(problem.beta / static_cast<double>(V));
      answer.M.row(V) = answer.M.col(V).transpose();
    }
    if (fault_ == "indefinite") answer.M(0, 1) = answer.M(1, 0) = 3;
    if (fault_ == "objective") answer.objective = 1000;
    if (fault_ == "dual-alone" || fault_ == "cut") {  // any y, at every size
      uint64_t seed = 0;
      const double first = problem.c[0];
      std::memcpy(&seed, &first, sizeof seed);
      kit::Rng rng(seed);
      const double scale = std::pow(10, 8 * rng.uniform() - 4);
      answer.y = scale * Vector::NullaryExpr(n, [&] { return rng.normal(); });
      answer.mu = scale * rng.normal();
      answer.M = fault_ == "cut" ? Matrix(2 * answer.M) : Matrix();
      answer.cut = fault_ == "cut";
      answer.remark = "out of iterations";
    }
    if (fault_ == "rounding") {
      answer.M *= 1 + 1e-7;
      answer.M(0, 1) += 1e-7;
      answer.M -= 1e-7 * Matrix::Identity(n, n);
    }
    if (fault_ == "factor") {  // more rows than columns, M = X'X as before
      answer.X = Matrix::Zero(n + 3, n);
      answer.X.row(n) = x.transpose();
      answer.M.resize(0, 0);
    }
    return answer;
  }

 private:
  std::string fault_;
};

}  // namespace

CONCORD_EXPORT_DECODER(kit::SdpDecoder<Fake>, FAKE_NAME, "errs on demand")
