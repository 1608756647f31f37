#pragma once

// What a step asks an allocator for, and when. How much that is depends on the step's sizes; the
// rest is the same for all steps of one program.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "siliconprof/devices/convolution_workspace.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Memory that is asked for while call number `first` begins and given back after `last`.
struct Request {
  enum class Of : std::uint8_t {
    Tensor,       // what tensor `number` takes, divided by `divisor`
    Workspace,    // of the products' library
    Convolution,  // of cuDNN, in call `number` (convolution_workspace.h)
  };
  Of of = Of::Tensor;
  std::int32_t number = 0;
  std::int32_t first = 0;
  std::int32_t last = 0;
  std::int32_t divisor = 1;
  bool lasting = false;  // asked for in the first step alone and never given back
  Role role = Role::Temporary;

  bool operator==(const Request&) const = default;
};

/// Requests of a step of so many calls, by when they are made; those of one call in their order.
class Requests {
 public:
  Requests() = default;
  Requests(std::vector<Request> requests, std::int32_t calls);

  std::size_t size() const { return requests_.size(); }
  const Request& operator[](std::size_t i) const { return requests_[i]; }
  std::int32_t calls() const { return std::int32_t(made_.size()) - 1; }
  /// Places of those that the call makes: from the first one to before the second.
  std::pair<std::int32_t, std::int32_t> made(std::int32_t call) const {
    return {made_[std::size_t(call)], made_[std::size_t(call) + 1]};
  }
  /// Places of those that are given back after the call.
  std::span<const std::int32_t> given_back(std::int32_t call) const {
    const auto begin = std::size_t(back_[std::size_t(call)]);
    return std::span(ended_).subspan(begin, std::size_t(back_[std::size_t(call) + 1]) - begin);
  }
  bool operator==(const Requests&) const = default;
  /// Whether each is made and given back when the other's is, whatever it is of: to an allocator
  /// they are the same where they take the same bytes.
  bool are_timed_as(const Requests& other) const;

 private:
  std::vector<Request> requests_;
  std::vector<std::int32_t> made_{0};  // for each call, how many are made before it
  std::vector<std::int32_t> ended_;    // places of those that don't last, by their last call
  std::vector<std::int32_t> back_{0};  // for each call, how many of them end before it
};

/// Follows a second step of them: change(i, 1) where a request is made, those that last before the
/// first call, change(i, -1) where it is given back; done(call) once the call has all of its own.
template <class Change, class Done>
void follow(const Requests& requests, Change change, Done done) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].lasting) change(i, 1);
  }
  for (std::int32_t call = 0; call < requests.calls(); ++call) {
    const auto [begin, end] = requests.made(call);
    for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
      if (!requests[i].lasting) change(i, 1);
    }
    done(call);
    for (const std::int32_t i : requests.given_back(call)) change(std::size_t(i), -1);
  }
}

/// What each takes where tensor `id` takes tensor_bytes(id) and call(i) is the i-th: 0 of those
/// that then aren't made.
template <class TensorBytes, class Call>
std::vector<std::int64_t> bytes_of(const Requests& requests, TensorBytes tensor_bytes, Call call,
                                   std::int64_t workspace_bytes) {
  std::vector<std::int64_t> bytes(requests.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const Request& request = requests[i];
    switch (request.of) {
      case Request::Of::Tensor:
        bytes[i] = tensor_bytes(request.number) / request.divisor;
        break;
      case Request::Of::Workspace:
        bytes[i] = workspace_bytes;
        break;
      case Request::Of::Convolution:
        bytes[i] = convolution_workspace_bytes(call(request.number));
        break;
    }
  }
  return bytes;
}

/// What the trace's own tensors on the device ask for, for as long as it needs them; behind
/// `others` of the same calls.
Requests tensor_requests(const Trace& trace, std::vector<Request> others = {});

}  // namespace siliconprof
