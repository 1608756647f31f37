#pragma once

// What several threads throw: nothing may leave one of a team.

#include <atomic>
#include <exception>

namespace siliconprof {

/// Keeps the first of what bodies throw, on any thread.
class Thrown {
 public:
  template <class Body>
  void keep_of(const Body& body) {
    try {
      body();
    } catch (...) {
      if (!any_.exchange(true)) first_ = std::current_exception();
    }
  }
  /// Whether there is any yet: a thread that sees it may stop.
  bool any() const { return any_.load(std::memory_order_relaxed); }
  /// Once the threads have ended.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::atomic<bool> any_{false};
  std::exception_ptr first_;
};

}  // namespace siliconprof
