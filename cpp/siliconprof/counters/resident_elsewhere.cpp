#if !defined(__linux__)

#include <utility>

#include "siliconprof/counters/resident.h"
#include "siliconprof/counters/resident_table.h"

namespace siliconprof {

ResidentSource::ResidentSource(std::string path) : path_(std::move(path)) {}
ResidentSource::~ResidentSource() = default;
void ResidentSource::open_for_this_process() {}
std::span<const CounterInfo> ResidentSource::counters() const { return kResidentCounters; }

Availability ResidentSource::availability() const {
  return {false, "resident memory is read on Linux only so far", "use peak_rss_bytes"};
}

bool ResidentSource::read(double*) { return false; }

}  // namespace siliconprof

#endif
