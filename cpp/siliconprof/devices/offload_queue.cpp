#include "siliconprof/devices/offload_queue.h"

#include <algorithm>

namespace siliconprof {
namespace {

bool is_update(Place place) { return place == Place::Host || place == Place::Beside; }

}  // namespace

OffloadQueue::OffloadQueue(std::span<const PlacedCall> calls, const HostPace& pace)
    : calls_(calls), clocks_(pace, calls.size()) {
  begins_s_.reserve(calls.size());
}

void OffloadQueue::run(double issue_s, double seconds) {
  begins_s_.push_back(clocks_.run(calls_[begins_s_.size()], issue_s, seconds));
}

// What of each update lies beyond all before it, and what they leave free up to the step's end.
void OffloadQueue::share_updates(std::vector<double>& shares, std::vector<Stretch>& free) const {
  double until = clocks_.device_s();
  for (std::size_t i = 0; i < begins_s_.size(); ++i) {
    if (!is_update(calls_[i].place)) continue;
    const double late = calls_[i].place == Place::Beside ? clocks_.late_s() : 0.0;
    const double end = clocks_.ends_s()[i] + late;
    if (end <= until) continue;
    const double begin = std::max(begins_s_[i], until);
    if (begin > until) free.push_back({until, begin});
    shares[i] = end - begin;
    until = end;
  }
  if (end_s() > until) free.push_back({until, end_s()});
}

// A free stretch goes to the transfers that end in it, up to the end of each; what none of them
// reaches is the next call's, which is being issued.
void OffloadQueue::share_link(std::vector<double>& shares, const std::vector<Stretch>& free) const {
  const std::vector<double>& ends_s = clocks_.ends_s();
  std::vector<std::size_t> by_end;
  for (std::size_t i = 0; i < begins_s_.size(); ++i) {
    const Place place = calls_[i].place;
    if (place == Place::ToHost || place == Place::ToDevice) by_end.push_back(i);
  }
  std::stable_sort(by_end.begin(), by_end.end(),
                   [&](std::size_t a, std::size_t b) { return ends_s[a] < ends_s[b]; });
  std::size_t next = 0;
  for (const Stretch& stretch : free) {
    double until = stretch.begin_s;
    while (until < stretch.end_s) {
      while (next < by_end.size() && ends_s[by_end[next]] <= until) ++next;
      const std::size_t taker = next < by_end.size() ? by_end[next] : begins_s_.size() - 1;
      const double end =
          next < by_end.size() ? std::min(ends_s[taker], stretch.end_s) : stretch.end_s;
      shares[taker] += end - until;
      until = end;
    }
  }
}

std::vector<double> OffloadQueue::shares_s() const {
  std::vector<double> shares(begins_s_.size(), 0.0);
  double until = 0.0;
  for (std::size_t i = 0; i < begins_s_.size(); ++i) {
    if (calls_[i].place != Place::Device) continue;
    shares[i] = clocks_.ends_s()[i] - until;
    until = clocks_.ends_s()[i];
  }
  std::vector<Stretch> free;
  share_updates(shares, free);
  share_link(shares, free);
  return shares;
}

}  // namespace siliconprof
