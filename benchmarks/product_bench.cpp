#include <cstdio>
#include <vector>

#include "benchmarks.h"
#include "siliconprof/core/clock.h"
#include "siliconprof/core/error.h"
#include "siliconprof/core/quantile.h"
#include "siliconprof/kernels/cpu/cpu_backend.h"
#include "siliconprof/kernels/cpu/openblas_library.h"
#include "siliconprof/profile/loop.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof::bench {
namespace {

constexpr std::int64_t kBatch = 8;
constexpr std::int64_t kSize = 2000;

// The same products by bare calls into the same library, which has no threads of its own.
double bare_s(const std::vector<Tensor>& tensors, Clock& clock) {
  constexpr std::int64_t kEach = kSize * kSize;
  const double begin_s = clock.now_s();
  for (std::int64_t i = 0; i < kBatch; ++i) {
    cpu::openblas().gemm(cpu::GemmCall<float>{false, false, kSize, kSize, kSize,
                                              tensors[0].view().as<float>() + i * kEach, kSize,
                                              tensors[1].view().as<float>() + i * kEach, kSize,
                                              tensors[2].view().as<float>() + i * kEach, kSize});
  }
  return clock.now_s() - begin_s;
}

}  // namespace

void product(int rounds) {
  const Trace trace =
      single_op("matmul", {{"batch", kBatch}, {"m", kSize}, {"k", kSize}, {"n", kSize}},
                Dtype::Float32, {}, false);
  SteadyClock clock;
  cpu::CpuBackend backend(cpu::find_engine("openblas"), 1, clock, {});
  std::vector<Tensor> tensors;
  for (const TensorInfo& info : trace.tensors()) {
    tensors.emplace_back(info.dtype, info.shape).fill_uniform(tensors.size());
  }
  bare_s(tensors, clock);  // warms the output's pages
  std::vector<double> ratios;
  std::vector<double> rates;
  for (int round = 0; round < rounds; ++round) {
    const double ours_s = profile(trace, backend, {}, Sampling::fixed(1, 1)).time_s();
    const double theirs_s = bare_s(tensors, clock);
    ratios.push_back(theirs_s / ours_s);
    rates.push_back(double(trace.cost().flops()) / ours_s);
  }
  std::printf(
      "{\"what\": \"matmul 8x2000x2000 float32, one thread, rate over bare cblas\", \"unit\": "
      "\"1\", "
      "\"median\": %.4f, \"q1\": %.4f, \"q3\": %.4f, \"flops_per_s\": %.4g, \"kernels\": \"%s\"}\n",
      median(ratios), quantile(ratios, 0.25), quantile(ratios, 0.75), median(rates),
      cpu::openblas().corename.c_str());
}

}  // namespace siliconprof::bench
