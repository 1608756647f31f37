#include "siliconprof/devices/rates.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "siliconprof/core/error.h"
#include "siliconprof/devices/unit_rates.h"
#include "siliconprof/ops/cast.h"
#include "siliconprof/ops/table.h"

namespace siliconprof {
namespace {

const Number* find_launch(const Device& device, const Framework& framework,
                          const std::string& key) {
  return find_scoped(device, framework, "launch", key);
}

// Errors of independent factors, added: the wide side of honest.
Rate product(const Number& peak, const Number& efficiency) {
  return {peak.value * efficiency.value, peak.relative_error + efficiency.relative_error};
}

/// In each scope the dtype itself, then "any".
const Number* find_compute_efficiency(const Device& device, const Framework& framework,
                                      const std::string& subject, Dtype dtype) {
  for (const std::string& scope : scopes(device)) {
    const std::string stem = "efficiency." + scope + "." + subject + ".compute.";
    for (const std::string& format : {std::string(name(dtype)), std::string("any")}) {
      if (const Number* number = find(framework.numbers, stem + format)) return number;
    }
  }
  return nullptr;
}

/// True when the framework has efficiencies of a class or an op at some scope of the device.
bool has_efficiencies(const Device& device, const Framework& framework, std::string_view subject) {
  for (const std::string& scope : scopes(device)) {
    const std::string stem = "efficiency." + scope + "." + std::string(subject) + ".";
    const auto next = framework.numbers.lower_bound(stem);
    if (next != framework.numbers.end() && next->first.starts_with(stem)) return true;
  }
  return false;
}

/// The rates that efficiencies of `subject`, an op or a class, give; what an op has none for is
/// its class's.
ClassRates rates_of(const Device& device, const Framework& framework, const std::string& subject,
                    ClassRates rates) {
  for (int i = 0; i < kDtypeCount; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    const Number* matrix = find(device.numbers, peak_key("matrix", dtype));
    const Number* vector = find(device.numbers, peak_key("vector", dtype));
    if (!matrix && !vector) continue;
    const Number* reached = find_compute_efficiency(device, framework, subject, dtype);
    if (!reached) continue;
    // A device without a matrix unit for the dtype multiplies on its vector unit, and one whose
    // data sheet names no vector rate for a 16-bit dtype computes at float32's.
    if (!vector) vector = find(device.numbers, peak_key("vector", Dtype::Float32));
    rates.matrix[std::size_t(i)] = product(matrix ? *matrix : *vector, *reached);
    if (vector) rates.vector[std::size_t(i)] = product(*vector, *reached);
  }
  const std::string key = subject + ".bandwidth";
  if (const Number* reached = find_scoped(device, framework, "efficiency", key)) {
    rates.bandwidth =
        product(find_number(device.numbers, device.id, {"memory.bandwidth_bytes_per_s"}), *reached);
  }
  return rates;
}

ClassRates class_rates(const Device& device, const Framework& framework, OpClass op_class) {
  const std::string subject(name(op_class));
  if (const OpClass other = stand_in(op_class); other != op_class) {
    return rates_of(device, framework, subject, class_rates(device, framework, other));
  }
  efficiency(device, framework, subject + ".compute.any");  // these throw, naming the keys
  efficiency(device, framework, subject + ".bandwidth");
  return rates_of(device, framework, subject, {});
}

}  // namespace

const Number& efficiency(const Device& device, const Framework& framework, const std::string& key) {
  const auto [family, vendor, any] = scopes(device);
  return find_number(framework.numbers, framework.id,
                     {"efficiency." + family + "." + key, "efficiency." + vendor + "." + key,
                      "efficiency." + any + "." + key});
}

const ClassRates& Rates::of(const Op& op) const {
  const ClassRates* own = by_op.find(op);
  return own ? *own : by_class[static_cast<std::size_t>(op.op_class)];
}

namespace {

enum class Kind : std::uint8_t { Product, Attention, Convolution, Other };

Kind kind_of(const OpCall& call) {
  if (call.op->op_class == OpClass::Attention) return Kind::Attention;
  if (call.op->op_class == OpClass::Convolution) return Kind::Convolution;
  return call.op->product != nullptr ? Kind::Product : Kind::Other;
}

}  // namespace

double SumErrors::of(const OpCall& call) const {
  const auto dtype = static_cast<std::size_t>(call.dtype);
  switch (kind_of(call)) {
    case Kind::Attention:
      return attention[dtype];
    case Kind::Convolution:
      return convolution[dtype];
    case Kind::Product:
      return product[dtype];
    case Kind::Other:
      break;
  }
  return other;
}

void SumErrors::add(KindSeconds& off_s, const OpCall& call, double kernels_s) const {
  off_s[static_cast<std::size_t>(kind_of(call))] += kernels_s * of(call);
}

Interval shown(const KindSeconds& off_s, Interval shift_s) {
  const double sum_s = std::accumulate(off_s.begin(), off_s.end(), 0.0);
  if (sum_s <= 0.0) return {0.0, 0.0};
  const auto part = [&](double shift) { return std::clamp(shift / sum_s, 0.0, 1.0); };
  return {part(shift_s.lo), part(shift_s.hi)};
}

Interval step_bounds(double step_s, const KindSeconds& off_s, Interval shown, Interval host_s,
                     Interval paging_s) {
  double squares = 0.0;
  for (const double s : off_s) squares += s * s;
  const double kernels_s = std::sqrt(squares);
  const auto off = [&](double part, double host, double pages) {
    return std::hypot(part * kernels_s, host, pages);
  };
  return {step_s - std::min(off(shown.lo, host_s.lo, paging_s.lo), 0.9 * step_s),
          step_s + off(shown.hi, host_s.hi, paging_s.hi)};
}

double Rates::gap_s(Phase phase) const {
  const bool is_of_a_pass = phase == Phase::Forward || phase == Phase::Backward;
  if (graph_gap_s) return *graph_gap_s;
  return is_of_a_pass ? pass_gap_s.value_or(0.0) : 0.0;
}

double Rates::issue_s(const OpCall& call) const {
  if (graph_gap_s) return 0.0;
  if (call.again == Again::No) return issue_s(call, call.phase);
  const double block_s = call.again == Again::First ? again.block_s : 0.0;
  const double call_s = is_cast(*call.op) ? 0.0 : again.call_s;
  // It goes through the code of the forward pass.
  return issue_s(call, Phase::Forward) + (block_s + call_s) / host_pace;
}

double Rates::issue_s(const OpCall& call, Phase of_phase) const {
  if (graph_gap_s) return 0.0;
  const OpFacts* own = facts_of(*call.op);
  const auto phase = static_cast<std::size_t>(of_phase);
  const auto dtype = static_cast<std::size_t>(call.dtype);
  const double whole_s = own && own->issue_s[phase][dtype] ? *own->issue_s[phase][dtype]
                         : call.joins_launch               ? 0.0
                                                           : launch_s;
  // Of the calls that join a launch, the host goes through an optimizer's tensors one by one;
  // others launch what further kernels they are made of.
  const bool is_launched = !call.joins_launch || call.phase == Phase::Optimizer;
  return (is_launched ? whole_s : std::max(whole_s - launch_s, 0.0)) / host_pace;
}

namespace {

/// What it takes to issue a call, and a kernel to begin and to end.
void add_launches(Rates& rates, const Device& device, const Framework& framework) {
  if (const Number* number = find_launch(device, framework, "kernel_s")) {
    rates.kernel_s = number->value;
    rates.kernel_relative_error = number->relative_error;
  }
  if (const Number* gap = find_launch(device, framework, "graph_gap_s")) {
    rates.graph_gap_s = gap->value;
    rates.passes = {};
  }
  if (const Number* gap = find_launch(device, framework, "pass_gap_s")) {
    rates.pass_gap_s = gap->value;
  }
  const Number* issue = find_launch(device, framework, "issue_s");
  const Number* dispatch = issue ? issue : &launch(device, framework, "dispatch_s");
  // Metal collects kernels in command buffers: each kernel bears its share of one.
  const Number* buffer = find_launch(device, framework, "command_buffer_s");
  const Number* kernels = find_launch(device, framework, "ops_per_command_buffer");
  const double buffer_share_s = buffer && kernels ? buffer->value / kernels->value : 0.0;
  rates.launch_s = dispatch->value + buffer_share_s;
  rates.launch_relative_error = dispatch->relative_error;
}

}  // namespace

Rates look_up_rates(const Device& device, const Framework& framework) {
  Rates rates;
  find_number(device.numbers, device.id, {peak_key("vector", Dtype::Float32)});
  for (int i = 0; i < kOpClassCount; ++i) {
    rates.by_class[std::size_t(i)] = class_rates(device, framework, static_cast<OpClass>(i));
  }
  for (int i = 0; i < kDtypeCount; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    rates.products[std::size_t(i)] = product_rate(device, framework, dtype);
    rates.attention[std::size_t(i)] = attention_rates(device, framework, dtype);
    rates.convolution[std::size_t(i)] = convolution_rates(device, framework, dtype);
  }
  for (const Op* op : all_ops()) {
    if (!has_efficiencies(device, framework, op->name)) continue;
    const ClassRates& inherited = rates.by_class[static_cast<std::size_t>(op->op_class)];
    rates.by_op[*op] = rates_of(device, framework, std::string(op->name), inherited);
  }
  rates.kernels = KernelRates(device, framework);
  rates.alone = alone_errors(device, framework);
  if (const Number* cache = find(device.numbers, "memory.cache_bytes")) {
    rates.cache_bytes = cache->value;
  }
  rates.memory_bytes_per_s =
      find_number(device.numbers, device.id, {"memory.bandwidth_bytes_per_s"}).value;
  rates.facts = op_facts(device, framework);
  rates.across_elements_per_s = across_elements_per_s(device, framework);
  rates.passes = pass_costs(device, framework);
  rates.again = again_costs(device, framework);
  rates.power = power_unit(device, framework);
  // By what the limit is said to be, all of it; some frameworks' own caches take a part.
  const Number whole{1.0, NumberKind::Spec, "", 0.0};
  const Number* kept = find_scoped(device, framework, "memory", "kept_part");
  rates.paging = paging_unit(device, kept ? *kept : whole);
  rates.offload = offload_unit(device, framework);
  rates.is_own_host = device.vendor == "cpu";
  const Number* pace = find(device.numbers, "host.pace");
  if (!pace) pace = find(framework.numbers, "host.pace");
  if (pace && !rates.is_own_host) rates.host_pace = pace->value;
  rates.sum_errors = sum_errors(device, framework);
  rates.memory_error = memory_error(device, framework);
  rates.allocator = allocator_rules(device, framework);
  add_launches(rates, device, framework);
  return rates;
}

const Number& launch(const Device& device, const Framework& framework, const std::string& key) {
  if (const Number* number = find_launch(device, framework, key)) return *number;
  return find_number(framework.numbers, framework.id, {"launch." + key});  // throws, naming the key
}

}  // namespace siliconprof
