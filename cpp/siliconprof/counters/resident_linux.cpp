#if defined(__linux__)

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "siliconprof/counters/resident.h"
#include "siliconprof/counters/resident_table.h"

namespace siliconprof {

ResidentSource::ResidentSource(std::string path)
    : path_(std::move(path)), page_bytes_(double(sysconf(_SC_PAGESIZE))) {
  open_for_this_process();
}

ResidentSource::~ResidentSource() {
  if (file_ >= 0 && process_ == getpid()) close(file_);
}

// A descriptor inherited through fork goes on reading the parent, so each process opens its own.
// The inherited one stays as it is: its number may be another file's by now.
void ResidentSource::open_for_this_process() {
  const std::lock_guard lock(opening_);
  if (process_ == getpid()) return;
  file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  process_ = getpid();  // last: who finds it finds the new file
}

std::span<const CounterInfo> ResidentSource::counters() const { return kResidentCounters; }

Availability ResidentSource::availability() const {
  if (file_ >= 0) return {};
  return {false, path_ + " can't be opened", "mount /proc in this container"};
}

bool ResidentSource::read(double* values) {
  if (process_ != getpid()) open_for_this_process();
  std::array<char, 64> text{};
  const ssize_t length = pread(file_, text.data(), text.size() - 1, 0);
  if (length <= 0) return false;
  char* resident = nullptr;
  std::strtoll(text.data(), &resident, 10);  // total program size, not wanted
  values[0] = values[1] = double(std::strtoll(resident, nullptr, 10)) * page_bytes_;
  return true;
}

}  // namespace siliconprof

#endif
