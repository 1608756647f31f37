#pragma once

// A number that counts what is done with it.

#include <cstdint>

namespace siliconprof::reference {

struct OperationCounts {
  std::int64_t additions = 0;
  std::int64_t multiplications = 0;
  std::int64_t total() const { return additions + multiplications; }
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
  friend CountingScalar operator*(const CountingScalar& a, const CountingScalar& b) {
    OperationCounts* counts = a.counts_ != nullptr ? a.counts_ : b.counts_;
    if (counts != nullptr) ++counts->multiplications;
    return {a.value_ * b.value_, counts};
  }

 private:
  double value_ = 0.0;
  OperationCounts* counts_ = nullptr;
};

}  // namespace siliconprof::reference
