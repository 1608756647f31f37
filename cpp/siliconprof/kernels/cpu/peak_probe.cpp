#include "siliconprof/kernels/cpu/peak_probe.h"

#include <string>

#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/fma_chains.h"
#include "siliconprof/kernels/cpu/parallel.h"
#include "siliconprof/kernels/cpu/rate_sampling.h"

namespace siliconprof::cpu {
namespace {

constexpr std::int64_t kStepsPerRepeat = 1024;

}  // namespace

std::vector<double> measure_fma_peak(Dtype dtype, int threads, double seconds, Clock& clock,
                                     const Poll& poll) {
  const FmaChains& chains = find_fma_chains(dtype);
  if (threads < 1) {
    throw ArgumentError("[peak] threads is " + std::to_string(threads) + "; needed: at least 1");
  }
  const auto run_on = [&](int team, std::int64_t repeats) {
    parallel_shares(team, team, 1, [&](std::int64_t begin, std::int64_t end, int) {
      alignas(64) char sink[64];
      for (std::int64_t i = begin; i < end; ++i) chains.run(repeats * kStepsPerRepeat, sink);
    });
  };
  const std::int64_t repeats = enough_repeats([&](std::int64_t count) { run_on(1, count); }, clock);
  const auto run = [&](std::int64_t count) { run_on(threads, count); };
  const double flops = chains.flops_per_step * double(kStepsPerRepeat) * threads;
  return sample_rates(run, repeats, flops, seconds, clock, poll);
}

}  // namespace siliconprof::cpu
