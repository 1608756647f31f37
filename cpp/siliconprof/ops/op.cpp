#include "siliconprof/ops/op.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "siliconprof/core/checked.h"
#include "siliconprof/core/error.h"
#include "siliconprof/core/number_text.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, kOpClassCount> kClassNames{
    "matrix_product", "matrix_vector",     "outer_product", "elementwise",
    "reduction",      "row_normalisation", "convolution",   "attention",
    "indexed",        "rearrangement",     "sort"};

std::string place(const Op& op) { return "[" + std::string(op.name) + "] "; }

}  // namespace

std::string_view name(OpClass op_class) { return kClassNames[static_cast<std::size_t>(op_class)]; }

OpClass stand_in(OpClass op_class) {
  switch (op_class) {
    case OpClass::Convolution:
    case OpClass::Attention:
      return OpClass::MatrixProduct;
    case OpClass::Indexed:
    case OpClass::Rearrangement:
    case OpClass::Sort:
      return OpClass::Elementwise;
    default:
      return op_class;
  }
}

void check_attribute(const Op& op, std::size_t index, double value) {
  const AttributeInfo& attribute = op.attributes[index];
  const bool finite = std::isfinite(value);
  if (finite && attribute.values.holds(value)) return;
  const ValueRange& values = finite ? attribute.values : kAnyNumber;
  throw ArgumentError(place(op) + std::string(attribute.name) + " is " + number_text(value) +
                      "; needed: " + std::string(values.needed));
}

OpCall make_call(const Op& op, std::span<const std::int64_t> dims, Dtype dtype,
                 std::span<const double> attributes) {
  if (dims.size() != op.dim_names.size()) {
    throw ShapeError(place(op) + std::to_string(dims.size()) +
                     " dims; needed: " + std::to_string(op.dim_names.size()));
  }
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0) {
      throw ShapeError(place(op) + std::string(op.dim_names[i]) + " is " + std::to_string(dims[i]) +
                       "; needed: at least 0");
    }
  }
  if (dtype == Dtype::Int32) {
    throw DtypeError(place(op) + "dtype is int32; needed: a format to compute in, as float32");
  }
  // Every count below (elements, bytes, flops) is at most 64 times the product of all dims.
  std::vector<std::int64_t> sizes;
  for (const std::int64_t dim : dims) sizes.push_back(std::max<std::int64_t>(dim, 1));
  sizes.push_back(64);
  checked_product(op.name, sizes);

  OpCall call;
  call.op = &op;
  call.dtype = dtype;
  std::copy(dims.begin(), dims.end(), call.dims.begin());
  for (std::size_t i = 0; i < op.attributes.size(); ++i) {
    const double value = i < attributes.size() ? attributes[i] : op.attributes[i].default_value;
    check_attribute(op, i, value);
    call.attributes[i] = value;
  }
  op.signature(call);  // throws for sizes and attributes that the op can't have
  return call;
}

Cost cost_of(const OpCall& call) {
  Cost cost = call.op->cost(call);
  if (call.inside == 0) return cost;
  const Signature signature = call.op->signature(call);
  const auto bytes_inside = [&](const std::vector<Slot>& slots, std::size_t first) {
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (!call.is_inside(first + i)) continue;
      bytes += slots[i].shape.elements() * std::int64_t(size_bytes(slots[i].dtype_in(call)));
    }
    return bytes;
  };
  // Of a table some rows are read: what is left is never less than nothing.
  const auto without = [](std::int64_t all, std::int64_t part) {
    return std::max<std::int64_t>(all - part, 0);
  };
  cost.bytes_read = without(cost.bytes_read, bytes_inside(signature.inputs, 0));
  cost.bytes_written = without(cost.bytes_written, bytes_inside(signature.outputs, kMaxInputs));
  return cost;
}

namespace {

/// What only changes the numbers that come out, as it does from step to step; training/saved_run.py
/// leaves out the same.
bool changes_no_work(const AttributeInfo& attribute) {
  constexpr std::array<std::string_view, 3> kMoving{"learning_rate", "step", "seed"};
  return std::find(kMoving.begin(), kMoving.end(), attribute.name) != kMoving.end();
}

}  // namespace

std::string to_string(const OpCall& call) {
  std::string text(call.op->name);
  for (std::size_t i = 0; i < call.op->dim_names.size(); ++i) {
    text += " " + std::string(call.op->dim_names[i]) + "=" + std::to_string(call.dims[i]);
  }
  for (std::size_t i = 0; i < call.op->attributes.size(); ++i) {
    const AttributeInfo& attribute = call.op->attributes[i];
    if (call.attributes[i] == attribute.default_value || changes_no_work(attribute)) continue;
    text += " " + std::string(attribute.name) + "=" + number_text(call.attributes[i]);
  }
  return text + " " + std::string(name(call.dtype));
}

}  // namespace siliconprof
