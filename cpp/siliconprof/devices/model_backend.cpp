#include "siliconprof/devices/model_backend.h"
#include "siliconprof/devices/lacking.h"

#include <algorithm>
#include <array>
#include <utility>

#include "siliconprof/core/error.h"
#include "siliconprof/core/number_text.h"
#include "siliconprof/devices/host_waits.h"
#include "siliconprof/devices/own_kernel.h"
#include "siliconprof/devices/walk.h"
#include "siliconprof/profile/loop.h"

namespace siliconprof {
namespace {

[[noreturn]] void throw_missing_dtype(const Device& device, const ClassRates& rates, Dtype dtype) {
  std::string listed;
  for (int i = 0; i < kDtypeCount; ++i) {
    if (!rates.matrix[std::size_t(i)]) continue;
    listed += (listed.empty() ? "" : ", ") + std::string(name(static_cast<Dtype>(i)));
  }
  throw DtypeError("[predict] " + device.id + " has no peak rate for " + std::string(name(dtype)) +
                   "; it has " + listed);
}

KernelTime measured_kernel(const OpCall& call, const Cost& cost, const CallTraffic& traffic,
                           const KernelRate& rate) {
  const Term arithmetic = arithmetic_of(cost);
  const std::array<Term, kWorkCount> terms{Term::Launch,    arithmetic,     Term::Matrix,
                                           Term::Matrix,    Term::Matrix,   Term::Bandwidth,
                                           Term::Bandwidth, Term::Bandwidth};
  CallTraffic known = traffic;
  if (!rate.knows_large()) {
    known.large_bytes = known.large_far_bytes = 0.0;
  } else if (!rate.knows_near()) {
    known.large_bytes = known.bytes;
    known.large_far_bytes = known.far_bytes;
  }
  const auto times_s = rate.times_s(work_amounts(rate.kernel, call, cost, known));
  KernelTime time;
  for (std::size_t i = 0; i < kWorkCount; ++i) {
    at(time.terms, terms[i]) += times_s[i];
    time.seconds += times_s[i];
    if (terms[i] == Term::Launch) time.idle_s += times_s[i];
  }
  time.interval_s = bounds(time.seconds, rate.relative_error);
  return time;
}

/// What a kernel takes before its work, at the ends of what its parts are off by; `own_s`: its own.
Interval begun_s(const Walk& walk, const Interval& own_s) {
  const Interval further_s = bounds(walk.start_s, walk.start_error);
  return {walk.again_s + further_s.lo + own_s.lo, walk.again_s + further_s.hi + own_s.hi};
}

/// How the source of such a number begins (python/siliconprof/what_if.py).
constexpr std::string_view kSetByUser = "set by the user";

}  // namespace

Model::Model(Device device, Framework framework)
    : device_(std::move(device)), framework_(std::move(framework)) {
  check(device_.numbers, device_.id);
  check(framework_.numbers, framework_.id);
  check_support(framework_, device_);
  for (const Numbers* numbers : {&device_.numbers, &framework_.numbers}) {
    for (const auto& [key, number] : *numbers) {
      if (!number.source.starts_with(kSetByUser)) continue;
      settings_.push_back("set: " + key + " = " + number_text(number.value));
    }
  }
  rates_ = look_up_rates(device_, framework_);
}

Model Model::with(Rates rates) const {
  Model changed = *this;
  changed.rates_ = std::move(rates);
  changed.last_ = std::make_shared<Last>();  // what was found was found at others
  return changed;
}

KernelTime Model::kernel_time(const OpCall& call, const Cost& cost,
                              const std::optional<CallTraffic>& moved) const {
  KernelTime time = own_time(call, cost, moved);
  const double gap_s = call.joins_launch ? 0.0 : rates_.gap_s(call.phase);
  at(time.terms, Term::Launch) += gap_s;
  time.seconds += gap_s;
  time.idle_s += gap_s;
  time.interval_s.lo += gap_s;
  time.interval_s.hi += gap_s;
  return time;
}

KernelTime Model::own_time(const OpCall& call, const Cost& cost,
                           const std::optional<CallTraffic>& moved) const {
  if (const KernelRate* measured = rates_.kernels.find(call)) {
    const CallTraffic near{double(cost.bytes()), 0.0};
    return measured_kernel(call, cost, moved.value_or(near), *measured);
  }
  const ClassRates& rates = rates_.of(*call.op);
  const auto& matrix_rate = rates.matrix[static_cast<std::size_t>(call.dtype)];
  const auto& vector_rate = rates.vector[static_cast<std::size_t>(call.dtype)];
  if (!matrix_rate || !vector_rate) throw_missing_dtype(device_, rates, call.dtype);
  const auto own = own_kernel(call, cost, rates_);
  if (own && !is_least(call, rates_)) {
    // TF32 is a permission: a library that is quicker without it doesn't use it.
    if (call.dtype != Dtype::Tf32 || is_as_measured(call, rates_)) return *own;
    OpCall plain = call;
    plain.dtype = Dtype::Float32;
    const KernelTime other = own_time(plain, cost, moved);
    return other.seconds < own->seconds ? other : *own;
  }

  const Walk walk = walk_of(call, rates_);
  const double matrix_s =
      time_at(double(cost.matrix_flops), *matrix_rate) / (walk.part * walk.arithmetic_part);
  const double vector_s =
      std::max(time_at(double(cost.vector_flops), *vector_rate), walk.least_vector_s);
  const double traffic_s = time_at(double(cost.bytes()), rates.bandwidth) / walk.part;
  const Interval matrix = bounds(matrix_s, matrix_rate->relative_error);
  const Interval vector = bounds(vector_s, vector_rate->relative_error);
  const Interval traffic = bounds(traffic_s, rates.bandwidth.relative_error);
  KernelTime time;
  const double own_s = call.joins_launch ? 0.0 : rates_.kernel_s;
  const double kernel_s = walk.again_s + walk.start_s + own_s;
  const Interval begun = begun_s(walk, bounds(own_s, rates_.kernel_relative_error));
  at(time.terms, Term::Matrix) = matrix_s;
  at(time.terms, Term::Vector) = vector_s + (1.0 - walk.memory_part) * traffic_s;
  at(time.terms, Term::Bandwidth) = walk.memory_part * traffic_s + kernel_s;
  const auto joined_s = [&](double start_s, double arithmetic_s, double moved_s) {
    return start_s + roofline_s(arithmetic_s, moved_s) +
           walk.exposed_part * std::min(arithmetic_s, moved_s);
  };
  time.seconds = joined_s(kernel_s, matrix_s + vector_s, traffic_s);
  time.interval_s = {joined_s(begun.lo, matrix.lo + vector.lo, traffic.lo),
                     joined_s(begun.hi, matrix.hi + vector.hi, traffic.hi)};
  if (call.dtype == Dtype::Float64) {
    // A roofline knows less of what holds a kernel up than constants do that float32 alone has.
    OpCall single = call;
    single.dtype = Dtype::Float32;
    const auto least = own_kernel(single, cost_of(single), rates_);
    if (least && least->seconds > time.seconds) return *least;
  }
  return own && own->seconds > time.seconds ? *own : time;
}

void add_paging(KernelTime& kernel, const PagingRate& rate, double bytes) {
  const double seconds = rate.s_per_byte * bytes;
  at(kernel.terms, Term::Paging) += seconds;
  kernel.seconds += seconds;
  kernel.idle_s += seconds;
  kernel.interval_s.lo += rate.interval_s_per_byte.lo * bytes;
  kernel.interval_s.hi += rate.interval_s_per_byte.hi * bytes;
}

void Model::check_order_free(std::string_view place) const {
  if (rates_.kernels.empty()) return;
  throw DeviceError("[" + std::string(place) + "] device '" + device_.id +
                    "' has measured kernels, whose time depends on what the calls before left in "
                    "the cache; needed: one without, or predict, which follows every call");
}

namespace {

double touched(const Trace& trace, const std::vector<PlacedCall>& placed) {
  double bytes = 0.0;
  for (std::size_t i = 0; i < trace.calls().size(); ++i) {
    const OpCall& call = trace.calls()[i];
    if (placed_at(placed, i).place == Place::Device) bytes += double(cost_of(call).bytes());
  }
  return bytes;
}

/// What the device, the link or the host waited for: a difference of clocks, whose rounding is no
/// time.
double waited_s(double wall_s, const KernelTime& kernel) {
  return std::max(0.0, wall_s - kernel.seconds);
}

}  // namespace

ModelBackend::ModelBackend(const Model& model)
    : model_(model),
      queue_(model.is_asynchronous()),
      shortest_(queue_),
      longest_(queue_),
      fast_kernels_(queue_),
      slow_kernels_(queue_),
      fast_host_(queue_),
      slow_host_(queue_),
      passes_({}) {}

void ModelBackend::prepare(const Trace& trace) {
  check_lacking(model_.framework(), trace);
  trace_ = &trace;
  const std::vector<OpCall>& calls = trace.calls();
  passes_ = PassHost(costs_of(model_.host().passes, calls.front().phase, calls.back().phase));
  waits_ = host_waits(trace, model_.host().is_eager);
  const Rates& rates = model_.rates();
  if (!rates.is_own_host) placed_ = place_calls(trace);
  // Devices that don't page need not know what it takes.
  const std::int64_t held_bytes = rates.paging ? model_.held_bytes(trace) : 0;
  paging_ = paging_rate(rates.paging, held_bytes, [&] { return touched(trace, placed_); });
  if (!rates.kernels.empty()) traffic_ = call_traffic(trace, std::max(rates.cache_bytes, 1.0));
  if (!placed_.empty()) walk(trace);
}

// An offloaded step at once: what a call is of it shows only when all have ended.
void ModelBackend::walk(const Trace& trace) {
  const SumErrors* errors = step_errors(model_, placed_.size());
  std::vector<LaneTimes> times;
  times.reserve(placed_.size());
  kernels_.clear();
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    const OpCall& call = trace.calls()[i];
    const Cost cost = cost_of(call);
    CallTime time = model_.call_time(call, cost, placed_[i], traffic_of(i));
    if (paging_ && placed_[i].place == Place::Device) {
      add_paging(time.kernel, *paging_, double(cost.bytes()));
    }
    times.push_back(lane_times(model_, errors, call, placed_[i], time));
    kernels_.push_back(time.kernel);
  }
  const Host host = model_.host();
  const OffloadWalks walks(placed_, waits_, host.pace, host.passes, paces(model_.rates(), errors),
                           [&](std::size_t i) -> const LaneTimes& { return times[i]; });
  for (const std::size_t lane : {kMiddle, kShortest, kLongest}) {
    shares_s_[lane] = walks.shares_s(lane);
  }
  const Lanes ends = walks.end_s();
  kernels_s_ = {ends[kShortest], ends[kLongest]};
  host_s_ = {ends[kFastHost], ends[kSlowHost]};
}

void ModelBackend::execute_placed(std::size_t place, Span& span) {
  const KernelTime& kernel = kernels_[place];
  span.wall_s = shares_s_[kMiddle][place];
  span.interval_s =
      reaching({shares_s_[kShortest][place], shares_s_[kLongest][place]}, span.wall_s);
  span.terms = kernel.terms;
  at(*span.terms, Term::Launch) += waited_s(span.wall_s, kernel);
  now_s_ += span.wall_s;
}

void ModelBackend::execute(const OpCall& call, Span& span) {
  const auto place = &call - trace_->calls().data();
  if (!placed_.empty()) {
    execute_placed(std::size_t(place), span);
    return;
  }
  KernelTime kernel = model_.kernel_time(call, *span.cost, traffic_of(std::size_t(place)));
  if (paging_) add_paging(kernel, *paging_, double(span.cost->bytes()));
  const bool waits = std::binary_search(waits_.begin(), waits_.end(), std::int32_t(place));
  if (waits) {
    for (Queue* queue : {&queue_, &shortest_, &longest_, &fast_kernels_, &slow_kernels_,
                         &fast_host_, &slow_host_}) {
      queue->wait();
    }
  }
  const double launch_s = passes_.before_s(call.phase, waits) + model_.issue_s(call);
  const double error_s = launch_s * model_.rates().launch_relative_error;
  span.wall_s = queue_.run(launch_s, kernel.seconds);
  span.interval_s = {shortest_.run(launch_s - error_s, kernel.interval_s.lo),
                     longest_.run(launch_s + error_s, kernel.interval_s.hi)};
  if (const auto& errors = model_.rates().sum_errors) {
    const double off_s = kernel.work_s() * errors->of(call);
    kernels_s_.lo += fast_kernels_.run(launch_s, kernel.seconds - off_s);
    kernels_s_.hi += slow_kernels_.run(launch_s, kernel.seconds + off_s);
    host_s_.lo += fast_host_.run(launch_s * (1.0 - errors->host), kernel.seconds);
    host_s_.hi += slow_host_.run(launch_s * (1.0 + errors->host), kernel.seconds);
  }
  span.terms = kernel.terms;
  at(*span.terms, Term::Launch) += waited_s(span.wall_s, kernel);
  now_s_ += span.wall_s;
}

}  // namespace siliconprof
