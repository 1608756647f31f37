#pragma once

// A number that counts what is done with it.

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace siliconprof::reference {

struct OperationCounts {
  std::int64_t additions = 0;
  std::int64_t multiplications = 0;
  std::int64_t others = 0;  // comparisons, divisions and functions
  std::int64_t total() const { return additions + multiplications + others; }
};

class CountingScalar {
 public:
  CountingScalar() = default;
  /// A constant: it counts where the other operand does.
  explicit CountingScalar(double value) : value_(value) {}
  CountingScalar(double value, OperationCounts* counts) : value_(value), counts_(counts) {}

  double value() const { return value_; }

  friend CountingScalar operator+(const CountingScalar& a, const CountingScalar& b) {
    OperationCounts* counts = a.counts_ != nullptr ? a.counts_ : b.counts_;
    if (counts != nullptr) ++counts->additions;
    return {a.value_ + b.value_, counts};
  }
  friend CountingScalar operator-(const CountingScalar& a, const CountingScalar& b) {
    OperationCounts* counts = a.counts_ != nullptr ? a.counts_ : b.counts_;
    if (counts != nullptr) ++counts->additions;
    return {a.value_ - b.value_, counts};
  }
  friend CountingScalar operator/(const CountingScalar& a, const CountingScalar& b) {
    return other(a.value_ / b.value_, a.counts_ != nullptr ? a.counts_ : b.counts_);
  }
  friend CountingScalar max(const CountingScalar& a, const CountingScalar& b) {
    return other(std::max(a.value_, b.value_), a.counts_ != nullptr ? a.counts_ : b.counts_);
  }
  friend CountingScalar exp(const CountingScalar& a) {
    return other(std::exp(a.value_), a.counts_);
  }
  friend CountingScalar log(const CountingScalar& a) {
    return other(std::log(a.value_), a.counts_);
  }
  friend CountingScalar sqrt(const CountingScalar& a) {
    return other(std::sqrt(a.value_), a.counts_);
  }
  friend CountingScalar operator*(const CountingScalar& a, const CountingScalar& b) {
    OperationCounts* counts = a.counts_ != nullptr ? a.counts_ : b.counts_;
    if (counts != nullptr) ++counts->multiplications;
    return {a.value_ * b.value_, counts};
  }

 private:
  static CountingScalar other(double value, OperationCounts* counts) {
    if (counts != nullptr) ++counts->others;
    return {value, counts};
  }

  double value_ = 0.0;
  OperationCounts* counts_ = nullptr;
};

}  // namespace siliconprof::reference
