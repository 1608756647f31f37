#pragma once

// How a number of a step grows with its batch and length.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace siliconprof {

/// The two sizes of a workload that vary.
struct StepSize {
  std::int64_t batch = 1;
  std::int64_t length = 1;

  bool operator==(const StepSize&) const = default;
};

/// Linear in the batch and quadratic in the length, as b·h·t·t scores are: whole factors of
/// 1, t, t², b, b·t, b·t².
struct SizePolynomial {
  std::array<std::int64_t, 6> factors{};

  std::int64_t at(const StepSize& size) const {
    const auto& f = factors;
    const std::int64_t t = size.length;
    return f[0] + t * (f[1] + t * f[2]) + size.batch * (f[3] + t * (f[4] + t * f[5]));
  }
  bool is_constant() const;
  bool operator==(const SizePolynomial&) const = default;
};

/// Where polynomials over [least, most] are read off: up to two batches times three lengths.
class SizeProbes {
 public:
  /// Throws ArgumentError for a range without sizes.
  SizeProbes(const StepSize& least, const StepSize& most);

  /// Batch by batch.
  const std::vector<StepSize>& sizes() const { return sizes_; }
  /// A size within the range that is none of them; none where there is no other.
  std::optional<StepSize> other() const { return other_; }
  /// The polynomial of lowest degree through a value for each of sizes(); none where its factors
  /// aren't whole.
  std::optional<SizePolynomial> fit(const std::vector<std::int64_t>& values) const;

 private:
  std::vector<std::int64_t> batches_;
  std::vector<std::int64_t> lengths_;
  std::vector<StepSize> sizes_;
  std::optional<StepSize> other_;
};

}  // namespace siliconprof
