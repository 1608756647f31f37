#include "siliconprof/devices/causes.h"

#include <algorithm>
#include <array>

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, kCauseCount> kNames{
    "matrix kernels",      "vector kernels and bandwidth",
    "launch and dispatch", "paging and capacity",
    "transfers",           "clock and power",
    "dtype support",       "fusion"};

constexpr auto kSingle = static_cast<std::size_t>(Dtype::Float32);

using ByDtype = std::array<std::optional<Rate>, kDtypeCount>;

// `base` owns the float32 rate and `gain` what a format gains over it. A format that either lacks
// stays lacking where `gain` lacks it.
ByDtype mixed(const ByDtype& base, const ByDtype& gain) {
  if (!base[kSingle] || !gain[kSingle] || &base == &gain) return gain;
  ByDtype found = gain;
  for (auto& rate : found) {
    if (rate) rate->per_s *= base[kSingle]->per_s / gain[kSingle]->per_s;
  }
  return found;
}

// Of an endless product.
double sustained(const ProductUnit& unit) { return unit.peak_flops_per_s * unit.reach; }

// Who owns what.
struct Sides {
  const Rates& matrix;
  const Rates& vector;
  const Rates& dtype;
};

const ByDtype& product_rates(const Rates& rates) {
  return rates.by_class[static_cast<std::size_t>(OpClass::MatrixProduct)].matrix;
}

// What a format gains over float32 in products.
std::optional<double> gain_of(const Rates& rates, std::size_t dtype) {
  const auto& products = rates.products;
  if (products[dtype] && products[kSingle]) {
    return sustained(products[dtype]->unit) / sustained(products[kSingle]->unit);
  }
  const ByDtype& by_class = product_rates(rates);
  if (!by_class[dtype] || !by_class[kSingle]) return std::nullopt;
  return by_class[dtype]->per_s / by_class[kSingle]->per_s;
}

double product_bandwidth(const Rates& rates, std::size_t dtype) {
  if (rates.products[dtype]) return rates.products[dtype]->unit.bytes_per_s;
  return rates.by_class[static_cast<std::size_t>(OpClass::MatrixProduct)].bandwidth.per_s;
}

// The tiles are those of the side that owns the matrix kernels: of the format itself where that
// side owns the formats too, else of its float32 unit, quicker by the other's gain.
std::optional<ProductRate> mixed_product(const Sides& sides, std::size_t dtype) {
  const bool is_whole = &sides.matrix == &sides.dtype || dtype == kSingle;
  std::optional<ProductRate> found = sides.matrix.products[is_whole ? dtype : kSingle];
  if (!found) return std::nullopt;
  if (!is_whole) {
    const std::optional<double> gain = gain_of(sides.dtype, dtype);
    if (!gain) return std::nullopt;
    found->unit.peak_flops_per_s *= *gain;
    found->unit.element_bytes = double(size_bytes(static_cast<Dtype>(dtype)));
  }
  found->unit.bytes_per_s = product_bandwidth(sides.vector, dtype);
  return found;
}

ClassRates mixed_class(const ClassRates& matrix, const ClassRates& vector, const ClassRates& gain) {
  ClassRates found;
  found.matrix = mixed(matrix.matrix, gain.matrix);
  found.vector = mixed(vector.vector, gain.vector);
  found.bandwidth = vector.bandwidth;
  return found;
}

// What the host takes for a call belongs to launches, what a core takes for a row to vectors.
ByOp<OpFacts> mixed_facts(const Rates& launch, const Rates& vector) {
  ByOp<OpFacts> found;
  for (const auto& [op, facts] : launch.facts) found[*op].issue_s = facts.issue_s;
  for (const auto& [op, facts] : vector.facts) {
    OpFacts& own = found[*op];
    own.row_elements_per_s = facts.row_elements_per_s;
    own.cores_bytes_per_s = facts.cores_bytes_per_s;
    own.access = facts.access;
  }
  return found;
}

}  // namespace

std::string_view name(Cause cause) { return kNames[static_cast<std::size_t>(cause)]; }
std::span<const std::string_view> cause_names() { return kNames; }

Rates mix(const Rates& from, const Rates& to, PlayerSet of_to) {
  const auto side = [&](Cause cause) -> const Rates& {
    return (of_to & bit(cause)) != 0 ? to : from;
  };
  const Sides sides{side(Cause::Matrix), side(Cause::Vector), side(Cause::Dtype)};
  Rates found = sides.matrix;  // whatever isn't said below belongs to the matrix kernels
  found.by_op.clear();
  for (std::size_t c = 0; c < kOpClassCount; ++c) {
    found.by_class[c] =
        mixed_class(sides.matrix.by_class[c], sides.vector.by_class[c], sides.dtype.by_class[c]);
  }
  for (const Rates* rates : {&from, &to}) {
    for (const auto& [op, own] : rates->by_op) {
      if (found.by_op.contains(*op)) continue;
      found.by_op[*op] =
          mixed_class(sides.matrix.of(*op), sides.vector.of(*op), sides.dtype.of(*op));
    }
  }
  for (std::size_t d = 0; d < kDtypeCount; ++d) found.products[d] = mixed_product(sides, d);
  found.kernels = KernelRates::joined(sides.matrix.kernels, sides.vector.kernels);
  found.cache_bytes = sides.vector.cache_bytes;
  found.memory_bytes_per_s = sides.vector.memory_bytes_per_s;
  found.across_elements_per_s = sides.vector.across_elements_per_s;
  found.host_pace = side(Cause::Launch).host_pace;
  found.passes = side(Cause::Launch).passes;
  found.again = side(Cause::Launch).again;
  found.launch_s = side(Cause::Launch).launch_s;
  found.launch_relative_error = side(Cause::Launch).launch_relative_error;
  found.kernel_s = side(Cause::Launch).kernel_s;
  found.kernel_relative_error = side(Cause::Launch).kernel_relative_error;
  found.graph_gap_s = side(Cause::Launch).graph_gap_s;
  found.pass_gap_s = side(Cause::Launch).pass_gap_s;
  found.allocator = side(Cause::Launch).allocator;
  found.power = side(Cause::ClockAndPower).power;
  found.paging = side(Cause::Paging).paging;
  found.offload = side(Cause::Transfers).offload;
  found.is_own_host = side(Cause::Transfers).is_own_host;
  found.facts = mixed_facts(side(Cause::Launch), sides.vector);
  return found;
}

}  // namespace siliconprof
