#include "siliconprof/counters/usage.h"

#include <sys/resource.h>

#include <array>

namespace siliconprof {
namespace {

constexpr std::string_view kSource = "getrusage(RUSAGE_SELF)";
constexpr std::array<CounterInfo, 6> kCounters{{
    {"cpu_s", "s", "process, all threads", kSource, "about 1 us", CounterKind::Delta},
    {"minor_faults", "count", "process, all threads", kSource,
     "exact; a huge page is one fault for all its pages", CounterKind::Delta},
    {"major_faults", "count", "process, all threads", kSource, "exact", CounterKind::Delta},
    {"voluntary_switches", "count", "process, all threads", kSource, "exact", CounterKind::Delta},
    {"involuntary_switches", "count", "process, all threads", kSource, "exact", CounterKind::Delta},
    {"peak_rss_bytes", "bytes", "process, since its start", kSource,
     "lags by per-CPU batches of pages", CounterKind::Level},
}};

// ru_maxrss counts KiB on Linux and bytes on macOS.
#if defined(__APPLE__)
constexpr double kMaxRssUnit_bytes = 1.0;
#else
constexpr double kMaxRssUnit_bytes = 1024.0;
#endif

double seconds(const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); }

}  // namespace

std::span<const CounterInfo> UsageSource::counters() const { return kCounters; }

bool UsageSource::read(double* values) {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return false;
  values[0] = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  values[1] = double(usage.ru_minflt);
  values[2] = double(usage.ru_majflt);
  values[3] = double(usage.ru_nvcsw);
  values[4] = double(usage.ru_nivcsw);
  values[5] = double(usage.ru_maxrss) * kMaxRssUnit_bytes;
  return true;
}

}  // namespace siliconprof
