#include "siliconprof/counters/usage.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

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
    {"peak_rss_bytes", "bytes", "process, since its start",
     "getrusage(RUSAGE_SELF), /proc/self/status", "lags by per-CPU batches of pages",
     CounterKind::Level},
}};

// ru_maxrss counts KiB on Linux and bytes on macOS.
#if defined(__APPLE__)
constexpr double kMaxRssUnit_bytes = 1.0;
#else
constexpr double kMaxRssUnit_bytes = 1024.0;
#endif

// What the two ways of asking for one peak may differ by.
constexpr double kLag_bytes = 1 << 20;

double seconds(const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); }

double peak_bytes(const rusage& usage) { return double(usage.ru_maxrss) * kMaxRssUnit_bytes; }

// VmHWM of a status file; none where there is no such file, or line. Doesn't allocate.
std::optional<double> high_water_bytes(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::array<char, 4096> text{};
  const ssize_t length = ::read(file, text.data(), text.size() - 1);
  close(file);
  if (length <= 0) return std::nullopt;
  constexpr const char* kKey = "VmHWM:";
  const char* line = std::strstr(text.data(), kKey);
  if (line == nullptr) return std::nullopt;
  return double(std::strtoll(line + std::strlen(kKey), nullptr, 10)) * 1024.0;  // in kB
}

}  // namespace

UsageSource::UsageSource(std::string status) : status_(std::move(status)) {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return;
  const std::optional<double> own_bytes = high_water_bytes(status_.c_str());
  if (own_bytes && *own_bytes + kLag_bytes < peak_bytes(usage)) {
    inherited_bytes_ = peak_bytes(usage);
  }
}

std::span<const CounterInfo> UsageSource::counters() const { return kCounters; }

bool UsageSource::read(double* values) {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return false;
  values[0] = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  values[1] = double(usage.ru_minflt);
  values[2] = double(usage.ru_majflt);
  values[3] = double(usage.ru_nvcsw);
  values[4] = double(usage.ru_nivcsw);
  values[5] = peak_bytes(usage);
  if (inherited_bytes_ > 0.0 && values[5] <= inherited_bytes_ + kLag_bytes) {
    values[5] = high_water_bytes(status_.c_str()).value_or(values[5]);
  }
  return true;
}

}  // namespace siliconprof
