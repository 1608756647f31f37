#pragma once

// Holds all outputs of a kernel to the definition in float64: each element may be off by a number
// of roundings of its size, which a test derives from what was added up.

#include "engine_agreement.h"
#include "siliconprof/kernels/cpu/eigen_engine.h"

namespace siliconprof::cpu {

/// An example with its definition's results, and the sizes of what their elements are sums of.
struct Expected {
  std::vector<Values> in;
  std::vector<Values> exact;
  std::vector<Values> sizes;
  double roundings;

  Expected(const Example& example, double count) : roundings(count) {
    for (const Tensor& tensor : example.inputs) in.push_back(to_values(tensor.view()));
    exact = define_all(example.call, in);
    sizes = exact;
    for (Values& size : sizes) {
      for (double& value : size) value = std::abs(value);
    }
  }
};

/// Terms that one accumulator of the narrowest lanes adds before float64 takes over.
inline double lane_terms(std::int64_t n) { return double(std::min<std::int64_t>(n, 2048)) / 8; }

/// Each output within its roundings, and one more of its own format; `terms` are what the
/// definition itself adds up, which counts in float64.
inline void expect_rounded(const Example& example, const Expected& expected, double terms,
                           int threads) {
  const OpCall& call = example.call;
  SCOPED_TRACE(to_string(call) + " threads " + std::to_string(threads));
  const bool is_double = call.dtype == Dtype::Float64;
  const double u_sum = is_double ? 0x1p-53 : 0x1p-24;
  const double count = is_double ? 2 * (expected.roundings + terms) : expected.roundings;
  const std::vector<Tensor> found = run_all(kEigenEngine, example, threads);
  for (std::size_t which = 0; which < found.size(); ++which) {
    const Dtype dtype = found[which].view().dtype;
    const Values values = to_values(found[which].view());
    ASSERT_EQ(values.size(), expected.exact[which].size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double exact = expected.exact[which][i];
      if (!std::isfinite(exact)) {
        ASSERT_EQ(std::isnan(values[i]), std::isnan(exact));
        ASSERT_TRUE(std::isnan(exact) || values[i] == exact) << values[i];
        continue;
      }
      const double error = count * u_sum * expected.sizes[which][i];
      const double bound =
          error + 1.01 * unit_roundoff(dtype) * (std::abs(exact) + error) + underflow(dtype);
      ASSERT_LE(std::abs(values[i] - exact), bound)
          << "output " << which << " [" << i << "] exact " << exact << " found " << values[i];
    }
  }
}

/// The same bits for 1, 2, 3 and 5 threads.
inline void expect_same_for_any_thread_count(const Example& example) {
  const std::vector<Tensor> one = run_all(kEigenEngine, example, 1);
  for (const int threads : {2, 3, 5}) {
    const std::vector<Tensor> more = run_all(kEigenEngine, example, threads);
    for (std::size_t i = 0; i < one.size(); ++i) {
      ASSERT_EQ(
          std::memcmp(one[i].view().data, more[i].view().data, std::size_t(one[i].view().bytes())),
          0)
          << to_string(example.call) << " output " << i << " threads " << threads;
    }
  }
}

}  // namespace siliconprof::cpu
