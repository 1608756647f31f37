#include "siliconprof/devices/size_memory.h"

#include <algorithm>

namespace siliconprof {

void SizeMemory::set_step(const StepFamily& family, const StepSummary& step) {
  memory_ = &family.memory();
  step_ = &step;
  bytes_ = memory_->block_bytes(size_);
  host_bytes_ = memory_->host_bytes(bytes_);
  places_.clear();
}

std::int64_t SizeMemory::peak_bytes(const Rates& rates) {
  const bool with_host = rates.shares_memory();
  if (!rates.allocator) return with_host ? step_->peak_bytes_shared : step_->peak_bytes;
  const Replay& found = replayed(*rates.allocator);
  if (!with_host || host_bytes_.empty()) return found.peak.allocated_bytes;
  std::int64_t peak = 0;
  for (std::size_t call = 0; call < host_bytes_.size(); ++call) {
    peak = std::max(peak, found.held[call].allocated_bytes + host_bytes_[call]);
  }
  return peak;
}

const Replay& SizeMemory::replayed(const AllocatorRules& rules) {
  const std::size_t place = unlimited(rules);
  const Unlimited& free = unlimited_[place];
  const bool is_free =
      is_refused_anyway(rules, free.most_asked_bytes) || is_within(rules, free.replay, free.bytes);
  if (is_free) return free.replay;
  const auto known = std::find_if(limited_.begin(), limited_.end(), [&](const Limited& each) {
    return each.place == place && each.rules == rules;
  });
  if (known != limited_.end()) return known->replay;
  limited_.push_back({rules, place, replay(*free.requests, free.bytes, rules)});
  return limited_.back().replay;
}

std::size_t SizeMemory::unlimited(const AllocatorRules& rules) {
  const AllocatorRules free = without_limit(rules);
  for (const std::size_t place : places_) {
    if (unlimited_[place].rules == free) return place;
  }
  const Requests& asked = memory_->requests(free);
  std::vector<std::int64_t> bytes = memory_->request_bytes(free, bytes_, *step_);
  const auto same = std::find_if(unlimited_.begin(), unlimited_.end(), [&](const Unlimited& each) {
    return each.rules == free && each.bytes == bytes && each.requests->are_timed_as(asked);
  });
  places_.push_back(std::size_t(same - unlimited_.begin()));
  if (same == unlimited_.end()) {
    Replay found = replay(asked, bytes, free);
    const std::int64_t most = most_asked_bytes(asked, bytes);
    unlimited_.push_back({free, &asked, std::move(bytes), std::move(found), most});
  }
  return places_.back();
}

}  // namespace siliconprof
