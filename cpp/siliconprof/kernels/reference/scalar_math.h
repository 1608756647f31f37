#pragma once

// A scalar as element_functions.inc and optimizer_functions.inc want it.

#include <cmath>

namespace siliconprof::reference {

/// Acc: float, double, or a class with its own exp, expm1, ... and comparisons.
template <class Acc>
struct ScalarMath {
  using Vec = Acc;
  static Acc fill(double value) { return Acc(value); }
  static Acc exp(const Acc& x) {
    using std::exp;
    return exp(x);
  }
  static Acc expm1(const Acc& x) {
    using std::expm1;
    return expm1(x);
  }
  static Acc log(const Acc& x) {
    using std::log;
    return log(x);
  }
  static Acc log1p(const Acc& x) {
    using std::log1p;
    return log1p(x);
  }
  static Acc log1p_exp(const Acc& x) { return log1p(exp(x)); }
  static Acc sqrt(const Acc& x) {
    using std::sqrt;
    return sqrt(x);
  }
  static Acc erf(const Acc& x) {
    using std::erf;
    return erf(x);
  }
  static Acc tanh(const Acc& x) {
    using std::tanh;
    return tanh(x);
  }
  static Acc if_above(const Acc& x, const Acc& y, const Acc& a, const Acc& b) {
    return x > y ? a : b;
  }
  static Acc if_at_most(const Acc& x, const Acc& y, const Acc& a, const Acc& b) {
    return x <= y ? a : b;
  }
};

}  // namespace siliconprof::reference
