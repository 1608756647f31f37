#include "siliconprof/devices/model_backend.h"

#include <algorithm>
#include <array>
#include <utility>

#include "siliconprof/core/error.h"
#include "siliconprof/devices/host_waits.h"
#include "siliconprof/devices/walk.h"
#include "siliconprof/ops/attention_layout.h"
#include "siliconprof/ops/reuse.h"
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

double& at(Terms& terms, Term term) { return terms[static_cast<std::size_t>(term)]; }
double at(const Terms& terms, Term term) { return terms[static_cast<std::size_t>(term)]; }

/// What a step loses and gains at the ends of an interval.
Interval shift(Interval ends_s, double step_s) { return {step_s - ends_s.lo, ends_s.hi - step_s}; }

/// Seconds of a predicted span on the device, at work.
double device_s(const Span& span) {
  const Terms& terms = span.terms.value();
  return span.wall_s - at(terms, Term::Launch) - at(terms, Term::Paging);
}

// The bounds of amount / rate when the rate is off by its relative error either way.
Interval bounds(double seconds, double relative_error) {
  return {seconds / (1.0 + relative_error), seconds / std::max(1.0 - relative_error, 0.1)};
}

/// Whether the stored rows of one factor run along the depth and those of the other don't.
bool turns_one(const OpCall& call) {
  return call.op->name == "matmul" && is_set(call.attributes[0]) == is_set(call.attributes[1]);
}

KernelTime product_kernel(const OpCall& call, const ProductRate& rate) {
  ProductUnit unit = rate.unit;
  if (turns_one(call)) unit.turned = unit.turned_one;
  const ProductTime product = product_time(call.op->product(call), unit);
  KernelTime time;
  at(time.terms, Term::Matrix) = product.start_s + product.arithmetic_s;
  at(time.terms, Term::Bandwidth) = product.traffic_s;
  time.seconds = product.total_s();
  time.interval_s = bounds(time.seconds, rate.relative_error);
  return time;
}

KernelTime measured_kernel(const OpCall& call, const Cost& cost, double far_bytes,
                           const KernelRate& rate) {
  constexpr std::array<Term, kWorkCount> kTerms{Term::Launch,   Term::Matrix, Term::Matrix,
                                                Term::Matrix,   Term::Matrix, Term::Bandwidth,
                                                Term::Bandwidth};
  const auto times_s = rate.times_s(work_amounts(call, cost, far_bytes));
  KernelTime time;
  for (std::size_t i = 0; i < kWorkCount; ++i) {
    at(time.terms, kTerms[i]) += times_s[i];
    time.seconds += times_s[i];
  }
  time.interval_s = bounds(time.seconds, rate.relative_error);
  return time;
}

/// An attention's layout, and whether the call is its gradient; none for another op.
std::optional<std::pair<AttentionLayout, bool>> attention_of(const OpCall& call) {
  const std::string_view op = call.op->name;
  if (!op.starts_with("attention")) return std::nullopt;
  const bool packed = op.starts_with("attention_qkv");
  return std::pair{packed ? attention_qkv_layout(call) : attention_layout(call),
                   op.ends_with("_backward")};
}

KernelTime fixed_kernel(double start_s, double arithmetic_s, double copy_s, double error) {
  KernelTime time;
  at(time.terms, Term::Matrix) = start_s + arithmetic_s;
  at(time.terms, Term::Bandwidth) = copy_s;
  time.seconds = start_s + arithmetic_s + copy_s;
  time.interval_s = bounds(time.seconds, error);
  return time;
}

/// Time of the constants that the framework has for the op's own kernel; none: the roofline's.
std::optional<KernelTime> own_kernel(const OpCall& call, const Cost& cost, const Rates& rates) {
  const auto dtype = static_cast<std::size_t>(call.dtype);
  if (const auto attention = attention_of(call)) {
    const auto& rate = rates.attention[dtype][attention->second ? 1 : 0];
    if (!rate) return std::nullopt;
    const double seconds = attention_s(attention->first, attention->second, rate->unit);
    return fixed_kernel(0.0, seconds, 0.0, rate->relative_error);
  }
  const auto& product = rates.products[dtype];
  if (call.op->op_class == OpClass::Convolution) {
    const bool backward = call.op->name.ends_with("_backward");
    const auto& convolution = rates.convolution[dtype][backward ? 1 : 0];
    const bool tiled = convolution && convolution->unit.flops_per_s > 0.0;
    if (tiled || (convolution && product)) {
      const ConvolutionUnit& unit = convolution->unit;
      const ConvolutionTime time = tiled ? tiled_convolution_time(call, cost, unit)
                                         : convolution_time(call, product->unit, unit);
      return fixed_kernel(time.start_s, time.product_s, time.copy_s, convolution->relative_error);
    }
  }
  if (call.op->product == nullptr || !product) return std::nullopt;
  return product_kernel(call, *product);
}

}  // namespace

Model::Model(Device device, Framework framework)
    : device_(std::move(device)), framework_(std::move(framework)) {
  check(device_.numbers, device_.id);
  check(framework_.numbers, framework_.id);
  check_support(framework_, device_);
  rates_ = look_up_rates(device_, framework_);
}

Model Model::with(Rates rates) const {
  Model changed = *this;
  changed.rates_ = std::move(rates);
  return changed;
}

KernelTime Model::kernel_time(const OpCall& call, const Cost& cost, double far_bytes) const {
  if (const KernelRate* measured = rates_.kernels.find(call)) {
    return measured_kernel(call, cost, far_bytes, *measured);
  }
  const ClassRates& rates = rates_.of(*call.op);
  const auto& matrix_rate = rates.matrix[static_cast<std::size_t>(call.dtype)];
  const auto& vector_rate = rates.vector[static_cast<std::size_t>(call.dtype)];
  if (!matrix_rate || !vector_rate) throw_missing_dtype(device_, rates, call.dtype);
  if (const auto own = own_kernel(call, cost, rates_)) return *own;

  const Walk walk = walk_of(call, rates_);
  const double matrix_s = time_at(double(cost.matrix_flops), *matrix_rate) / walk.part;
  const double vector_s =
      std::max(time_at(double(cost.vector_flops), *vector_rate), walk.least_vector_s);
  const double traffic_s = time_at(double(cost.bytes()), rates.bandwidth) / walk.part;
  const Interval matrix = bounds(matrix_s, matrix_rate->relative_error);
  const Interval vector = bounds(vector_s, vector_rate->relative_error);
  const Interval traffic = bounds(traffic_s, rates.bandwidth.relative_error);
  KernelTime time;
  at(time.terms, Term::Matrix) = matrix_s;
  at(time.terms, Term::Vector) = vector_s;
  at(time.terms, Term::Bandwidth) = traffic_s + walk.again_s;
  const double kernel_s = walk.again_s + (call.joins_launch ? 0.0 : rates_.kernel_s);
  time.seconds = kernel_s + roofline_s(matrix_s + vector_s, traffic_s);
  time.interval_s = {kernel_s + roofline_s(matrix.lo + vector.lo, traffic.lo),
                     kernel_s + roofline_s(matrix.hi + vector.hi, traffic.hi)};
  return time;
}

void add_paging(KernelTime& kernel, const PagingRate& rate, double bytes) {
  const double seconds = rate.s_per_byte * bytes;
  at(kernel.terms, Term::Paging) += seconds;
  kernel.seconds += seconds;
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

/// Of a device that pages; others need not know.
std::int64_t peak_bytes(const Trace& trace, const Rates& rates) {
  return rates.paging ? trace.memory().peak_bytes() : 0;
}

double touched(const Trace& trace) {
  double bytes = 0.0;
  for (const OpCall& call : trace.calls()) bytes += double(call.op->cost(call).bytes());
  return bytes;
}

/// What a machine that counts faults would show of one step among many.
void add_paging_counters(Profile& profile, const Paging& found, const PagingUnit& unit) {
  const auto add = [&](const char* name, const char* unit_name, double value, CounterKind kind) {
    profile.counters.push_back(
        {.name = name, .unit = unit_name, .value = value, .reason = "", .kind = kind});
  };
  add("page_faults", "count", found.faults(), CounterKind::Delta);
  add("swapped_in_bytes", "bytes", found.swapped_pages * unit.page_bytes, CounterKind::Delta);
  add("resident_bytes", "bytes", found.resident_bytes, CounterKind::Level);
}

PoweredWork powered_work(const Trace& trace, const Profile& profile, const PowerUnit& unit) {
  PoweredWork work;
  work.step_s = profile.time_s();
  for (const Span& span : profile.spans) {
    if (span.kind != SpanKind::Op) continue;
    work.add(unit, trace.calls()[std::size_t(span.call)], *span.cost, device_s(span));
  }
  return work;
}

/// Stretches the products of a step, and what holds them, to a part of the full clock.
void slow_down(Profile& profile, const Trace& trace, double clock) {
  const double longer = 1.0 / clock - 1.0;
  for (Span& span : profile.spans) {
    if (span.kind != SpanKind::Op || !is_clocked(trace.calls()[std::size_t(span.call)])) continue;
    const double kernel_s = device_s(span);
    const double matrix_s = at(*span.terms, Term::Matrix);
    for (Span* each : {&span, &profile.spans[std::size_t(span.parent)], &profile.spans.front()}) {
      each->wall_s += longer * kernel_s;
      each->interval_s->lo += longer * kernel_s;
      each->interval_s->hi += longer * kernel_s;
      at(*each->terms, Term::Matrix) += longer * matrix_s;
    }
  }
}

KindSeconds kernel_errors(const Profile& profile, const Trace& trace, const SumErrors& errors) {
  KindSeconds off_s{};
  for (const Span& span : profile.spans) {
    if (span.kind != SpanKind::Op) continue;
    errors.add(off_s, trace.calls()[std::size_t(span.call)], device_s(span));
  }
  return off_s;
}

/// Gives step and phases the step's interval, in proportion.
void set_intervals(Profile& profile, Interval step_interval_s) {
  const double step_s = profile.time_s();
  for (Span& span : profile.spans) {
    if (span.kind == SpanKind::Op) continue;
    span.interval_s = Interval{span.wall_s * (step_interval_s.lo / step_s),
                               span.wall_s * (step_interval_s.hi / step_s)};
  }
}

}  // namespace

Profile Model::predict(const Trace& trace) const {
  ModelBackend backend(*this);
  Profile found = profile(trace, backend, {}, Sampling::fixed(1, 0));
  const double full_clock_s = found.time_s();
  Interval seen{};
  if (rates_.sum_errors) {
    seen = shown(kernel_errors(found, trace, *rates_.sum_errors),
                 shift(backend.kernels_s(), full_clock_s));
  }
  if (rates_.power) {
    const PoweredWork work = powered_work(trace, found, *rates_.power);
    const double clock = sustained_clock(work, *rates_.power);
    if (clock < 1.0) slow_down(found, trace, clock);
    found.energy_joules = joules_at(work, *rates_.power, clock);
    found.notes.emplace_back("energy is the board's alone; the host's share isn't in it");
  }
  if (rates_.sum_errors && full_clock_s > 0.0) {
    const KindSeconds off_s = kernel_errors(found, trace, *rates_.sum_errors);
    const Interval host_s = shift(backend.host_s(), full_clock_s);
    set_intervals(found, step_bounds(found.time_s(), off_s, seen, host_s));
  }
  if (const auto& rate = backend.paging()) add_paging_counters(found, rate->step, *rates_.paging);
  if (const auto peaks = memory(trace)) {
    found.peak_memory_bytes = peaks->allocated_bytes;
    found.counters.push_back({.name = "reserved_memory_bytes",
                              .unit = "bytes",
                              .value = double(peaks->reserved_bytes),
                              .reason = "",
                              .kind = CounterKind::Level});
  }
  return found;
}

std::optional<AllocatorPeaks> Model::memory(const Trace& trace) const {
  if (!rates_.eager) return std::nullopt;
  const MemoryTimeline timeline = trace.memory();
  const std::lock_guard lock(last_memory_->mutex);
  if (&last_memory_->timeline.points() != &timeline.points()) {
    const auto allocations = eager_allocations(trace, *rates_.eager);
    last_memory_->peaks = replay(allocations, std::int32_t(trace.calls().size()));
    last_memory_->timeline = timeline;
  }
  return last_memory_->peaks;
}

ModelBackend::ModelBackend(const Model& model)
    : model_(model),
      queue_(model.is_asynchronous()),
      shortest_(model.is_asynchronous()),
      longest_(model.is_asynchronous()),
      fast_kernels_(model.is_asynchronous()),
      slow_kernels_(model.is_asynchronous()),
      fast_host_(model.is_asynchronous()),
      slow_host_(model.is_asynchronous()),
      passes_(model.rates().passes) {}

void ModelBackend::prepare(const Trace& trace) {
  trace_ = &trace;
  waits_ = host_waits(trace, model_.rates().eager.has_value());
  const Rates& rates = model_.rates();
  paging_ = paging_rate(rates.paging, peak_bytes(trace, rates), [&] { return touched(trace); });
  if (!rates.kernels.empty()) far_bytes_ = far_bytes(trace, std::max(rates.cache_bytes, 1.0));
}

void ModelBackend::execute(const OpCall& call, Span& span) {
  const auto place = &call - trace_->calls().data();
  const double far = far_bytes_.empty() ? 0.0 : far_bytes_[std::size_t(place)];
  KernelTime kernel = model_.kernel_time(call, *span.cost, far);
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
    const double off_s = kernel.seconds * errors->of(call);
    kernels_s_.lo += fast_kernels_.run(launch_s, kernel.seconds - off_s);
    kernels_s_.hi += slow_kernels_.run(launch_s, kernel.seconds + off_s);
    host_s_.lo += fast_host_.run(launch_s * (1.0 - errors->host), kernel.seconds);
    host_s_.hi += slow_host_.run(launch_s * (1.0 + errors->host), kernel.seconds);
  }
  span.terms = kernel.terms;
  at(*span.terms, Term::Launch) += span.wall_s - kernel.seconds;
  now_s_ += span.wall_s;
}

}  // namespace siliconprof
