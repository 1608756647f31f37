#include "siliconprof/kernels/cpu/bandwidth_probe.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <string>

#include "siliconprof/core/error.h"
#include "siliconprof/core/tensor.h"
#include "siliconprof/kernels/cpu/caches.h"
#include "siliconprof/kernels/cpu/cpu_features.h"
#include "siliconprof/kernels/cpu/parallel.h"
#include "siliconprof/kernels/cpu/rate_sampling.h"
#include "siliconprof/kernels/cpu/vector_kernels.h"

namespace siliconprof::cpu {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 7> kNames{"read", "write", "copy",  "scale",
                                                 "add",  "triad", "update"};
constexpr std::array<int, 7> kArrays{1, 1, 2, 2, 3, 3, 2};
constexpr double kAlpha = 3.0;
constexpr double kKept = 1.0;  // pass after pass
// Not zeros: there are CPUs whose memory takes lines of zeros three times as fast as any others.
constexpr auto kWritten = std::bit_cast<std::uint64_t>(kAlpha);
constexpr std::int64_t kGrain = 4096;

struct Arrays {
  const double* a;
  const double* b;
  double* c;
  bool stream;
};

/// One pass over elements [begin, end) on the calling thread. Returns what reading came to.
double pass(BandwidthPattern pattern, const Arrays& arrays, std::int64_t begin, std::int64_t end) {
  const VectorKernels& kernels = vector_kernels();
  const double* a = arrays.a + begin;
  const double* b = arrays.b + begin;
  double* c = arrays.c + begin;
  const std::int64_t n = end - begin;
  switch (pattern) {
    case BandwidthPattern::Read:
      return kernels.sum(a, n);
    case BandwidthPattern::Write:
      kernels.fill_unfenced(kWritten, c, n * std::int64_t{sizeof(double)}, arrays.stream);
      kernels.fence();
      break;
    case BandwidthPattern::Copy:
      kernels.copy(a, c, n * std::int64_t{sizeof(double)}, arrays.stream);
      break;
    case BandwidthPattern::Scale:
      kernels.float64.scale(a, kAlpha, c, n, arrays.stream);
      break;
    case BandwidthPattern::Add:
      kernels.float64.add(a, b, c, n, arrays.stream);
      break;
    case BandwidthPattern::Triad:
      kernels.float64.triad(a, b, kAlpha, c, n, arrays.stream);
      break;
    case BandwidthPattern::Update:
      kernels.float64.scale(c, kKept, c, n, false);
      break;
  }
  return 0.0;
}

}  // namespace

std::span<const std::string_view> bandwidth_pattern_names() { return kNames; }

BandwidthPattern parse_bandwidth_pattern(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<BandwidthPattern>(i);
  }
  throw_unknown_name("bandwidth", "pattern", text, kNames);
}

int arrays_moved(BandwidthPattern pattern) { return kArrays[static_cast<std::size_t>(pattern)]; }

std::vector<double> measure_bandwidth(BandwidthPattern pattern, int threads, std::int64_t bytes,
                                      double seconds, Clock& clock, const Poll& poll) {
  if (threads < 1) {
    throw ArgumentError("[bandwidth] threads is " + std::to_string(threads) +
                        "; needed: at least 1");
  }
  const std::int64_t n = bytes / std::int64_t{sizeof(double)};
  if (n < 1) {
    throw ArgumentError("[bandwidth] bytes is " + std::to_string(bytes) + "; needed: at least 8");
  }
  const Tensor a(Dtype::Float64, Shape{n});
  const Tensor b(Dtype::Float64, Shape{n});
  const Tensor c(Dtype::Float64, Shape{n});
  // Written by the threads that will use them: that is where the pages will lie.
  parallel_shares(threads, n, kGrain, [&](std::int64_t begin, std::int64_t end, int) {
    for (const Tensor* tensor : {&a, &b, &c}) {
      std::fill(tensor->view().as<double>() + begin, tensor->view().as<double>() + end, 1.0);
    }
  });
  const double total_bytes = double(n * std::int64_t{sizeof(double)}) * arrays_moved(pattern);
  const Arrays arrays{a.view().as<double>(), b.view().as<double>(), c.view().as<double>(),
                      total_bytes > double(last_level_cache_bytes())};
  std::atomic<double> sink{0.0};  // keeps the reads from being dropped
  const auto run_on = [&](int team, std::int64_t repeats) {
    parallel_shares(team, n, kGrain, [&](std::int64_t begin, std::int64_t end, int) {
      double total = 0.0;
      for (std::int64_t i = 0; i < repeats; ++i) total += pass(pattern, arrays, begin, end);
      sink.store(total, std::memory_order_relaxed);
    });
  };
  const std::int64_t repeats = enough_repeats([&](std::int64_t count) { run_on(1, count); }, clock);
  const auto run = [&](std::int64_t count) { run_on(threads, count); };
  return sample_rates(run, repeats, total_bytes, seconds, clock, poll);
}

}  // namespace siliconprof::cpu
