#pragma once

// Holds kernels that move or choose values to the reference engine: every output, element by
// element, whatever the thread count.

#include <cmath>

#include "engine_agreement.h"
#include "siliconprof/kernels/cpu/eigen_engine.h"
#include "siliconprof/kernels/cpu/reference_engine.h"

namespace siliconprof::cpu {

/// Equal numbers with equal signs, a NaN for a NaN.
inline bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

inline void expect_exact_agreement(const Example& example,
                                   const std::vector<int>& thread_counts = {1, 2, 3}) {
  const std::vector<Tensor> wanted = run_all(kReferenceEngine, example, 1);
  for (const int threads : thread_counts) {
    SCOPED_TRACE(to_string(example.call) + " threads " + std::to_string(threads));
    const std::vector<Tensor> found = run_all(kEigenEngine, example, threads);
    for (std::size_t o = 0; o < wanted.size(); ++o) {
      // Most often the very bytes.
      if (std::memcmp(wanted[o].view().data, found[o].view().data,
                      std::size_t(wanted[o].view().bytes())) == 0) {
        continue;
      }
      const Values want = to_values(wanted[o].view());
      const Values got = to_values(found[o].view());
      for (std::size_t i = 0; i < want.size(); ++i) {
        ASSERT_TRUE(same(got[i], want[i]))
            << "output " << o << " [" << i << "] is " << got[i] << ", not " << want[i];
      }
    }
  }
}

inline void expect_exact_agreement(std::string_view op, const std::vector<std::int64_t>& dims,
                                   const std::vector<double>& attributes = {}) {
  for (const Dtype dtype : kCpuDtypes) {
    expect_exact_agreement(Example(op, dims, dtype, attributes, 17));
  }
}

/// Few different values, zeros of both signs, infinities and NaNs: ties and all that is special.
inline void make_special(const Example& example, std::size_t input = 0) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::array<double, 8> special{0.0, -0.0, 1.0, -1.0, inf, -inf, std::nan(""), 2.5};
  const Tensor& x = example.inputs[input];
  for (std::int64_t i = 0; i < x.view().elements(); ++i) {
    set(x, i, special[std::size_t(i * i + i / 3 + i / 11) % special.size()]);
  }
}

}  // namespace siliconprof::cpu
