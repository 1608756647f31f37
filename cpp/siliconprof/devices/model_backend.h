#pragma once

// A backend whose clock is arithmetic: what a device would take for a trace.

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "siliconprof/devices/framework_memory.h"
#include "siliconprof/devices/offload_walks.h"
#include "siliconprof/devices/queue.h"
#include "siliconprof/devices/rates.h"
#include "siliconprof/devices/step_summary.h"
#include "siliconprof/devices/work_seconds.h"
#include "siliconprof/ops/reuse.h"
#include "siliconprof/profile/backend.h"
#include "siliconprof/profile/span.h"

namespace siliconprof {

/// Of a kernel that works for `total_s`, by its terms.
inline WorkSeconds work_of(const Terms& terms, double total_s) {
  return {total_s, std::min(total_s, at(terms, Term::Bandwidth))};
}

/// What a kernel takes on the device once it is issued: terms but for the launch, seconds, and the
/// interval that the numbers' relative errors leave (90 %).
struct KernelTime {
  Terms terms{};
  double seconds = 0.0;
  double idle_s = 0.0;  // of them, before the kernel begins: a graph's gap, pages
  Interval interval_s;

  double work_s() const { return seconds - idle_s; }
  WorkSeconds work() const { return work_of(terms, work_s()); }
};

/// What the host takes to issue a call, and what the call takes where it runs.
struct CallTime {
  double issue_s = 0.0;
  KernelTime kernel;
};

/// The kernel waits for its pages.
void add_paging(KernelTime& kernel, const PagingRate& rate, double bytes);

/// A device under a framework, with its rates looked up once. Immutable; share it freely.
class Model {
 public:
  /// Throws DeviceError: a number is missing or impossible, or the framework doesn't run there.
  Model(Device device, Framework framework);

  const Device& device() const { return device_; }
  const Framework& framework() const { return framework_; }
  const Rates& rates() const { return rates_; }
  /// A note for each number that a user set in place of the file's.
  const std::vector<std::string>& settings() const { return settings_; }

  /// The same device and framework at other constants.
  Model with(Rates rates) const;
  /// True where the host goes on while the device works.
  bool is_asynchronous() const { return device_.vendor != "cpu"; }
  Host host() const {
    HostPace pace{is_asynchronous()};
    if (rates_.offload) {
      pace.beside_part = rates_.offload->host.beside_part;
      pace.arriving_part = rates_.offload->host.arriving_part;
    }
    const bool eager_on_cuda =
        rates_.allocator && std::holds_alternative<SegmentRules>(*rates_.allocator);
    return {pace, eager_on_cuda, rates_.is_own_host, paced(rates_.passes, rates_.host_pace)};
  }

  /// Seconds that the host takes to issue the call; a measured kernel's are within its time.
  double issue_s(const OpCall& call) const {
    return rates_.kernels.find(call) != nullptr ? 0.0 : rates_.issue_s(call);
  }

  /// The slower of arithmetic and traffic, products by product_time.h where the framework has its
  /// constants; kernels that were measured on the device by kernel_work.h, its launch within.
  /// Where the calls around aren't known, none of what is `moved` comes from beyond the cache.
  /// Throws DtypeError when the device lacks the dtype.
  KernelTime kernel_time(const OpCall& call, const Cost& cost,
                         const std::optional<CallTraffic>& moved = std::nullopt) const;

  /// A call wherever it runs: on the device, its link or its host. Throws DeviceError where
  /// nothing is known of a host that it needs.
  CallTime call_time(const OpCall& call, const Cost& cost, const PlacedCall& placed,
                     const std::optional<CallTraffic>& moved = std::nullopt) const;
  /// 90 % error of what the link and the host take, as a part.
  double offload_error(const PlacedCall& placed) const;

  /// For sums over kinds of calls: throws DeviceError where what a call takes depends on the calls
  /// around it, as on a device whose kernels were measured.
  void check_order_free(std::string_view place) const;

  /// The whole trace, through the one loop. Throws ArgumentError for an empty trace.
  Profile predict(const Trace& trace) const;
  /// The same but for spans of single calls, in a tenth of the time, where equal calls take the
  /// same: none where some of the step is on a host, or kernels were measured on the device.
  std::optional<Profile> totals(const Trace& trace) const;

  /// What the tensors take of the device's memory, call by call; with those that the step keeps
  /// on its host, where that is one memory.
  MemoryTimeline tensors(const Trace& trace) const;

  /// What the step holds of the device's memory at most: by its framework's allocator, or else what
  /// the tensors take.
  std::int64_t held_bytes(const Trace& trace) const;

  /// To say of a step that keeps some of it on a host, where nothing is known of this device's;
  /// none of other steps.
  std::optional<std::string> assumed_host(const std::vector<PlacedCall>& placed) const;

  /// What the framework takes for the trace; null where the framework has no constants of
  /// its allocator.
  std::shared_ptr<const FrameworkMemory> memory(const Trace& trace) const;
  /// Its equal calls once each.
  std::shared_ptr<const StepSummary> summary(const Trace& trace) const;

 private:
  /// But for what it waits for the kernel before in a graph.
  KernelTime own_time(const OpCall& call, const Cost& cost,
                      const std::optional<CallTraffic>& moved) const;

  /// Of the trace that was asked for last, what need not be found again. Holding its timeline keeps
  /// the address that it is known by.
  struct Last {
    std::mutex mutex;
    MemoryTimeline timeline;
    std::shared_ptr<const FrameworkMemory> memory;
    std::shared_ptr<const StepSummary> summary;

    /// What `find` finds of the trace, in its place here.
    template <class Found, class Find>
    std::shared_ptr<const Found> of(const Trace& trace, std::shared_ptr<const Found>& place,
                                    Find find) {
      const MemoryTimeline now = trace.memory();
      const std::lock_guard lock(mutex);
      if (&timeline.points() != &now.points()) {
        memory = nullptr;
        summary = nullptr;
        timeline = now;
      }
      if (!place) place = std::make_shared<const Found>(find());
      return place;
    }
  };

  Device device_;
  Framework framework_;
  std::vector<std::string> settings_;
  Rates rates_;
  std::shared_ptr<Last> last_ = std::make_shared<Last>();
};

/// The model's, for a step of so many calls. Null where it has none, or where a call is alone,
/// which errs by its own kernel's number.
const SumErrors* step_errors(const Model& model, std::size_t calls);

/// What the host takes in each lane, as a part of what is predicted; `errors` may be null.
Lanes paces(const Rates& rates, const SumErrors* errors);

/// Of a call, by what the model's numbers, or sums, are off by.
LaneTimes lane_times(const Model& model, const SumErrors* errors, const OpCall& call,
                     const PlacedCall& placed, const CallTime& time);

/// Adds the error of calls like this one that take `seconds` together, of a model with errors of
/// sums.
void add_off(KindSeconds& off_s, const Model& model, const OpCall& call, const PlacedCall& placed,
             double seconds);

/// Runs calls through a queue (queue.h): what a launch costs is what the device waits for it. A
/// step with some of it on a host goes through that of offload_queue.h.
class ModelBackend final : public Backend {
 public:
  explicit ModelBackend(const Model& model);

  Origin origin() const override { return Origin::Predicted; }
  const std::string& device() const override { return model_.device().id; }
  const std::string& framework() const override { return model_.framework().id; }
  /// Finds where the host waits for the device, and whether the step pages.
  void prepare(const Trace& trace) override;
  void execute(const OpCall& call, Span& span) override;
  double now_s() override { return now_s_; }
  /// What the step takes with a faster and with a slower host, by its error.
  Interval host_s() const { return host_s_; }
  /// And with faster and with slower kernels, by the errors of their sums.
  Interval kernels_s() const { return kernels_s_; }
  /// None where the step pages nothing.
  const std::optional<PagingRate>& paging() const { return paging_; }
  /// Of each call of a step that keeps some of it on a host; empty for another.
  const std::vector<PlacedCall>& placed() const { return placed_; }
  /// Of each call of such a step, what it takes where it runs, also where that hides behind others.
  const std::vector<KernelTime>& kernels() const { return kernels_; }

 private:
  void walk(const Trace& trace);
  void execute_placed(std::size_t place, Span& span);

  const Model& model_;
  std::vector<PlacedCall> placed_;
  std::vector<KernelTime> kernels_;              // of each call of such a step
  std::array<std::vector<double>, 3> shares_s_;  // and its share of it, by lane
  Queue queue_;
  Queue shortest_;  // with every number at the good end of its interval
  Queue longest_;   // and at the bad end
  const Trace* trace_ = nullptr;
  std::optional<PagingRate> paging_;
  std::vector<CallTraffic> traffic_;  // by call; empty where nothing was measured on the device
  std::optional<CallTraffic> traffic_of(std::size_t place) const {
    return traffic_.empty() ? std::nullopt : std::optional(traffic_[place]);
  }
  Queue fast_kernels_;  // with the kernels alone at the good end of their sums' errors
  Queue slow_kernels_;
  Queue fast_host_;  // with the host alone at the good end
  Queue slow_host_;
  Interval host_s_{};
  Interval kernels_s_{};
  PassHost passes_;
  std::vector<std::int32_t> waits_;  // calls before which the host waits, in order
  double now_s_ = 0.0;
};

}  // namespace siliconprof
