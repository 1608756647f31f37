#include "siliconprof/devices/requests.h"

#include <algorithm>

#include "siliconprof/ops/liveness.h"

namespace siliconprof {
namespace {

/// From how many things each call has to how many there are before it.
void add_up(std::vector<std::int32_t>& counts) {
  std::int32_t before = 0;
  for (std::int32_t& count : counts) before += std::exchange(count, before);
}

}  // namespace

Requests::Requests(std::vector<Request> requests, std::int32_t calls)
    : requests_(std::move(requests)), made_(std::size_t(calls) + 1), back_(std::size_t(calls) + 1) {
  std::stable_sort(requests_.begin(), requests_.end(),
                   [](const Request& a, const Request& b) { return a.first < b.first; });
  for (const Request& request : requests_) {
    made_[std::size_t(request.first)] += 1;
    if (!request.lasting) back_[std::size_t(request.last)] += 1;
  }
  add_up(made_);
  add_up(back_);
  ended_.resize(std::size_t(back_.back()));
  std::vector<std::int32_t> next = back_;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i].lasting) continue;
    ended_[std::size_t(next[std::size_t(requests_[i].last)]++)] = std::int32_t(i);
  }
}

bool Requests::are_timed_as(const Requests& other) const {
  return made_ == other.made_ && back_ == other.back_ && ended_ == other.ended_ &&
         std::ranges::equal(requests_, other.requests_, {}, &Request::lasting, &Request::lasting);
}

Requests tensor_requests(const Trace& trace, std::vector<Request> others) {
  std::vector<Request> found = std::move(others);
  const std::vector<Lifetime> lives = lifetimes_in_memory(trace);
  for (std::size_t id = 0; id < lives.size(); ++id) {
    const TensorInfo& tensor = trace.tensors()[id];
    if (tensor.is_view() || tensor.on_host || lives[id].first < 0) continue;
    found.push_back({.number = std::int32_t(id),
                     .first = lives[id].first,
                     .last = lives[id].last,
                     .lasting = is_persistent(tensor.role),
                     .role = tensor.role});
  }
  return {std::move(found), std::int32_t(trace.calls().size())};
}

}  // namespace siliconprof
