#include "siliconprof/devices/offload_queue.h"

#include <algorithm>

namespace siliconprof {
namespace {

bool is_update(Place place) { return place == Place::Host || place == Place::Beside; }

}  // namespace

OffloadQueue::OffloadQueue(std::span<const PlacedCall> calls, const HostPace& pace)
    : calls_(calls), pace_(pace) {
  ran_.reserve(calls.size());
}

void OffloadQueue::hold_up(double seconds) {
  late_s_ += seconds;
  clock(Place::Beside) += seconds;
}

// Two threads of the host slow each other for as long as both work.
void OffloadQueue::issue(double seconds) {
  double& host_s = clock(Place::Host);
  if (host_s < clock(Place::Beside)) {
    hold_up(seconds * pace_.beside_part);
    seconds *= 1.0 + pace_.beside_part;
  }
  host_s += seconds;
}

double OffloadQueue::ready_s(const PlacedCall& call) const {
  double ready = 0.0;
  for (std::size_t p = 0; p < kPlaces; ++p) {
    if (call.after[p] < 0) continue;
    const double late = p == static_cast<std::size_t>(Place::Beside) ? late_s_ : 0.0;
    ready = std::max(ready, ran_[std::size_t(call.after[p])].end_s + late);
  }
  return ready;
}

void OffloadQueue::run(double issue_s, double seconds) {
  const PlacedCall& call = calls_[ran_.size()];
  double begin = ready_s(call);
  if (!is_update(call.place)) {
    if (!pace_.is_asynchronous) wait();
    if (call.after[static_cast<std::size_t>(Place::Beside)] >= 0) join();
    issue(issue_s);
    begin = std::max(begin, clock(Place::Host));
    // A transfer without a stream of its own comes after the kernels.
    if (!call.is_early) begin = std::max(begin, clock(Place::Device));
  }
  double& own = clock(call.place);
  begin = std::max(begin, own);
  // Both want the host's memory.
  const bool arrives = call.place == Place::ToHost && begin < clock(Place::Beside);
  if (arrives) hold_up(seconds * pace_.arriving_part);
  own = begin + seconds;
  ran_.push_back({begin, own});
  if (call.pageable) clock(Place::Host) = std::max(clock(Place::Host), own);
}

// One thread learns what another has done once that is over.
void OffloadQueue::join() {
  clock(Place::Host) = std::max(clock(Place::Host), clock(Place::Beside));
}

void OffloadQueue::wait() {
  clock(Place::Host) = std::max(clock(Place::Host), clock(Place::Device));
}

double OffloadQueue::end_s() const {
  double end = 0.0;
  for (const Stretch& one : ran_) end = std::max(end, one.end_s);
  return std::max(end, clock(Place::Beside));
}

// What of each update lies beyond all before it, and what they leave free up to the step's end.
void OffloadQueue::share_updates(std::vector<double>& shares, std::vector<Stretch>& free) const {
  double until = clock(Place::Device);
  for (std::size_t i = 0; i < ran_.size(); ++i) {
    if (!is_update(calls_[i].place)) continue;
    const double late = calls_[i].place == Place::Beside ? late_s_ : 0.0;
    const double end = ran_[i].end_s + late;
    if (end <= until) continue;
    const double begin = std::max(ran_[i].begin_s, until);
    if (begin > until) free.push_back({until, begin});
    shares[i] = end - begin;
    until = end;
  }
  if (end_s() > until) free.push_back({until, end_s()});
}

// A free stretch goes to the transfers that end in it, up to the end of each; what none of them
// reaches is the next call's, which is being issued.
void OffloadQueue::share_link(std::vector<double>& shares, const std::vector<Stretch>& free) const {
  std::vector<std::size_t> by_end;
  for (std::size_t i = 0; i < ran_.size(); ++i) {
    const Place place = calls_[i].place;
    if (place == Place::ToHost || place == Place::ToDevice) by_end.push_back(i);
  }
  std::stable_sort(by_end.begin(), by_end.end(),
                   [&](std::size_t a, std::size_t b) { return ran_[a].end_s < ran_[b].end_s; });
  std::size_t next = 0;
  for (const Stretch& stretch : free) {
    double until = stretch.begin_s;
    while (until < stretch.end_s) {
      while (next < by_end.size() && ran_[by_end[next]].end_s <= until) ++next;
      const std::size_t taker = next < by_end.size() ? by_end[next] : ran_.size() - 1;
      const double end =
          next < by_end.size() ? std::min(ran_[taker].end_s, stretch.end_s) : stretch.end_s;
      shares[taker] += end - until;
      until = end;
    }
  }
}

std::vector<double> OffloadQueue::shares_s() const {
  std::vector<double> shares(ran_.size(), 0.0);
  double until = 0.0;
  for (std::size_t i = 0; i < ran_.size(); ++i) {
    if (calls_[i].place != Place::Device) continue;
    shares[i] = ran_[i].end_s - until;
    until = ran_[i].end_s;
  }
  std::vector<Stretch> free;
  share_updates(shares, free);
  share_link(shares, free);
  return shares;
}

}  // namespace siliconprof
