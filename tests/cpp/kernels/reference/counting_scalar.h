#pragma once

// A number that counts what is done with it.

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace siliconprof::reference {

struct OperationCounts {
  std::int64_t additions = 0;  // and subtractions
  std::int64_t multiplications = 0;
  std::int64_t others = 0;  // comparisons, divisions and functions
  std::int64_t total() const { return additions + multiplications + others; }
};

/// Each arithmetic operator, each elementary function, and a comparison with its selection
/// (ScalarMath::if_above, if_at_most; max) counts as one operation; see ops/cost.h.
class CountingScalar {
 public:
  CountingScalar() = default;
  /// A constant: it counts where the other operand does.
  explicit CountingScalar(double value) : value_(value) {}
  CountingScalar(double value, OperationCounts* counts) : value_(value), counts_(counts) {}

  double value() const { return value_; }
  /// 0, which counts where this does.
  CountingScalar zero() const { return {0.0, counts_}; }

  friend CountingScalar operator+(const CountingScalar& a, const CountingScalar& b) {
    return counted(a, b, a.value_ + b.value_, &OperationCounts::additions);
  }
  friend CountingScalar operator-(const CountingScalar& a, const CountingScalar& b) {
    return counted(a, b, a.value_ - b.value_, &OperationCounts::additions);
  }
  friend CountingScalar operator*(const CountingScalar& a, const CountingScalar& b) {
    return counted(a, b, a.value_ * b.value_, &OperationCounts::multiplications);
  }
  friend CountingScalar operator/(const CountingScalar& a, const CountingScalar& b) {
    return counted(a, b, a.value_ / b.value_);
  }
  friend CountingScalar max(const CountingScalar& a, const CountingScalar& b) {
    return counted(a, b, std::max(a.value_, b.value_));
  }
  friend bool operator>(const CountingScalar& a, const CountingScalar& b) {
    return counted(a, b, a.value_ - b.value_).value_ > 0.0;
  }
  friend bool operator<=(const CountingScalar& a, const CountingScalar& b) {
    return counted(a, b, a.value_ - b.value_).value_ <= 0.0;
  }
  friend bool isnan(const CountingScalar& a) { return std::isnan(a.value_); }  // not counted
  friend CountingScalar exp(const CountingScalar& a) { return counted(a, a, std::exp(a.value_)); }
  friend CountingScalar expm1(const CountingScalar& a) {
    return counted(a, a, std::expm1(a.value_));
  }
  friend CountingScalar log(const CountingScalar& a) { return counted(a, a, std::log(a.value_)); }
  friend CountingScalar log1p(const CountingScalar& a) {
    return counted(a, a, std::log1p(a.value_));
  }
  friend CountingScalar sqrt(const CountingScalar& a) { return counted(a, a, std::sqrt(a.value_)); }
  friend CountingScalar erf(const CountingScalar& a) { return counted(a, a, std::erf(a.value_)); }
  friend CountingScalar tanh(const CountingScalar& a) { return counted(a, a, std::tanh(a.value_)); }

 private:
  static CountingScalar counted(const CountingScalar& a, const CountingScalar& b, double value,
                                std::int64_t OperationCounts::*kind = &OperationCounts::others) {
    OperationCounts* counts = a.counts_ != nullptr ? a.counts_ : b.counts_;
    if (counts != nullptr) ++(counts->*kind);
    return {value, counts};
  }

  double value_ = 0.0;
  OperationCounts* counts_ = nullptr;
};

}  // namespace siliconprof::reference
