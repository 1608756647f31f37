#include "siliconprof/devices/own_kernel.h"

#include <algorithm>
#include <utility>

#include "siliconprof/ops/attention_layout.h"
#include "siliconprof/ops/linear.h"

namespace siliconprof {
namespace {

/// Whether the stored rows of one factor run along the depth and those of the other don't.
bool turns_one(const OpCall& call) {
  return call.op->name == "matmul" && is_set(call.attributes[0]) == is_set(call.attributes[1]);
}

KernelTime product_kernel(const OpCall& call, const ProductRate& rate) {
  ProductUnit unit = rate.unit;
  if (turns_one(call)) unit.turned = unit.turned_one;
  const ProductShape shape = call.op->product(call);
  const ProductTime product =
      call.op == &kLinear ? biased_product_time(shape, unit) : product_time(shape, unit);
  KernelTime time;
  at(time.terms, Term::Matrix) = product.start_s + product.arithmetic_s;
  at(time.terms, Term::Bandwidth) = product.traffic_s;
  time.seconds = product.total_s();
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

/// Of a convolution's rates, the call's.
std::size_t direction(const OpCall& call) { return std::size_t(direction_of(call)); }

/// Whether the call's kernel in a format is known by tiles that a family's own boards were timed
/// at.
bool is_tiled(const OpCall& call, const Rates& rates, Dtype dtype) {
  const auto& convolution = rates.convolution[static_cast<std::size_t>(dtype)][direction(call)];
  return call.op->op_class == OpClass::Convolution && convolution &&
         convolution->unit.flops_per_s > 0.0;
}

/// Of so many bytes, seconds of those that the cache can't hold.
double past_cache_s(double bytes, const Rates& rates) {
  if (rates.memory_bytes_per_s == 0.0) return 0.0;
  return std::max(bytes - rates.cache_bytes, 0.0) / rates.memory_bytes_per_s;
}

/// Of a packed attention's gradients: a kernel behind it writes those of queries, keys and values
/// into one tensor.
double joined_s(const OpCall& call, bool backward, const Rates& rates) {
  if (!backward || !call.op->name.starts_with("attention_qkv")) return 0.0;
  const auto [b, t, h, c] = first<4>(call.dims);
  const double bytes = 2.0 * double(3 * b * t * h * c * std::int64_t(size_bytes(call.dtype)));
  const Rate& stream = rates.by_class[std::size_t(OpClass::Elementwise)].bandwidth;
  return rates.kernel_s + time_at(bytes, stream);
}

/// What the cache can't hold moves no faster than memory does, whatever was fitted on other boards.
void wait_for_memory(const Cost& cost, const Rates& rates, KernelTime& time) {
  if (rates.cache_bytes == 0.0) return;
  const double least_s = past_cache_s(double(cost.bytes()), rates);
  if (least_s <= time.seconds) return;
  at(time.terms, Term::Bandwidth) += least_s - time.seconds;
  time.seconds = least_s;
  time.interval_s.lo = std::max(time.interval_s.lo, least_s);
  time.interval_s.hi = std::max(time.interval_s.hi, least_s);
}

std::optional<KernelTime> by_constants(const OpCall& call, const Cost& cost, const Rates& rates) {
  const auto dtype = static_cast<std::size_t>(call.dtype);
  if (const auto attention = attention_of(call)) {
    const auto& rate = rates.attention[dtype][attention->second ? 1 : 0];
    if (!rate) return std::nullopt;
    const double seconds = attention_s(attention->first, attention->second, rate->unit);
    const double beside_s = past_cache_s(bytes_beside(attention->first, rate->unit), rates) +
                            joined_s(call, attention->second, rates);
    return fixed_kernel(0.0, seconds, beside_s, rate->relative_error);
  }
  const auto& product = rates.products[dtype];
  if (call.op->op_class == OpClass::Convolution) {
    const auto& convolution = rates.convolution[dtype][direction(call)];
    const bool tiled = is_tiled(call, rates, call.dtype);
    if (tiled || (convolution && product)) {
      const ConvolutionUnit& unit = convolution->unit;
      const ConvolutionTime time = tiled ? tiled_convolution_time(call, cost, unit)
                                         : convolution_time(call, cost, product->unit, unit);
      return fixed_kernel(time.start_s, time.product_s, time.copy_s, convolution->relative_error);
    }
  }
  if (call.op->product == nullptr || !product) return std::nullopt;
  return product_kernel(call, *product);
}

}  // namespace

std::optional<KernelTime> own_kernel(const OpCall& call, const Cost& cost, const Rates& rates) {
  std::optional<KernelTime> time = by_constants(call, cost, rates);
  if (time) wait_for_memory(cost, rates, *time);
  return time;
}

bool is_least(const OpCall& call, const Rates& rates) {
  if (call.op->op_class != OpClass::Convolution) return false;
  const auto& rate = rates.convolution[static_cast<std::size_t>(call.dtype)][direction(call)];
  return rate && rate->is_least;
}

bool is_as_measured(const OpCall& call, const Rates& rates) {
  constexpr auto kSingle = static_cast<std::size_t>(Dtype::Float32);
  return call.op->product != nullptr &&
         ((direction(call) == 0 && is_tiled(call, rates, Dtype::Tf32)) ||
          is_tiled(call, rates, Dtype::Float32) || rates.products[kSingle]);
}

}  // namespace siliconprof
