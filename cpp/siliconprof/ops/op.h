#pragma once

// What an operation is: a row of facts and pure functions. CONTRIBUTING.md says what a new
// one needs. Sizes are counts of elements, values what the workload means by them.
// Errors, each naming the operation, what was found and what is needed, with nothing written: any
// op refuses a size below 0 or whose product with the others leaves int64, a tensor of another
// shape (ShapeError), data in int32 or a tensor of another dtype (DtypeError), an attribute that is
// no finite number or none of its values, an output that overlaps another tensor of the call
// (ArgumentError).

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "siliconprof/core/shape.h"
#include "siliconprof/ops/call.h"
#include "siliconprof/ops/cost.h"
#include "siliconprof/ops/product.h"
#include "siliconprof/ops/value_range.h"

namespace siliconprof {

class Trace;

/// How a device works on an op; the model has one efficiency per class.
enum class OpClass : std::uint8_t {
  MatrixProduct,
  MatrixVector,
  OuterProduct,
  Elementwise,
  Reduction,
  RowNormalisation,
  Convolution,
  Attention,
  Indexed,        // gathers and scatters
  Rearrangement,  // concat, slice, transpose
  Sort,
};
inline constexpr int kOpClassCount = 11;
/// "matrix_product", "matrix_vector", "outer_product", "elementwise", "reduction",
/// "row_normalisation", "convolution", "attention", "indexed", "rearrangement", "sort".
std::string_view name(OpClass op_class);
/// The class whose efficiencies stand in where a framework has none for this one; itself for one
/// that every framework must have.
OpClass stand_in(OpClass op_class);

struct AttributeInfo {
  std::string_view name;
  double default_value;
  ValueRange values = kAnyNumber;
};

/// What an op needs of the tensor in one place. A shape alone stands for the call's dtype.
struct Slot {
  Shape shape;
  std::optional<Dtype> dtype = std::nullopt;  // the call's, where unset
  std::int64_t index_limit = 0;               // of int32: each index lies in [0, index_limit)

  Slot(const Shape& s) : shape(s) {}  // NOLINT(google-explicit-constructor)
  Slot(const Shape& s, Dtype d, std::int64_t limit = 0) : shape(s), dtype(d), index_limit(limit) {}

  Dtype dtype_in(const OpCall& call) const { return dtype.value_or(call.dtype); }
};
/// int32 indices below `limit`.
inline Slot indices(const Shape& shape, std::int64_t limit) { return {shape, Dtype::Int32, limit}; }
/// Sums or statistics of the call's dtype.
inline Slot statistics(const OpCall& call, const Shape& shape) {
  return {shape, statistics_dtype(call.dtype)};
}

struct Signature {
  std::vector<Slot> inputs;
  std::vector<Slot> outputs;
};

struct Op {
  std::string_view name;
  std::string_view summary;  // one line: formula and shapes
  OpClass op_class;
  std::span<const std::string_view> dim_names;
  std::span<const AttributeInfo> attributes;

  /// Shapes of inputs and outputs, from dims and attributes.
  Signature (*signature)(const OpCall&);
  Cost (*cost)(const OpCall&);
  /// Appends the calls that turn the cotangents of the outputs into the gradients of the inputs
  /// (backward phase) and returns one gradient id per input, kNoTensor for an input that has none
  /// (indices). A cotangent is kNoTensor where nothing depends on the output. Null where no rule is
  /// offered, as for
  /// the ops that rules emit; ask through append_vjp (ops/emit.h), which says so.
  std::vector<TensorId> (*vjp)(Trace&, const OpCall&, std::span<const TensorId> cotangents);
  /// How many outputs, from the first on, may be the very tensor of an input of their shape: the
  /// op reads each element before it writes it. Where indices decide what is read
  /// (OpClass::Indexed) that holds for the first input alone. No other output may overlap an input.
  int updatable_outputs = 0;
  /// The product that the op's matrix work amounts to; null for an op that has none.
  ProductShape (*product)(const OpCall&) = nullptr;
};

/// Throws ArgumentError for a number that the op's attribute of that index can't be.
void check_attribute(const Op& op, std::size_t index, double value);

/// A call with its tensors still unset. Checks that dims aren't negative, that the signature takes
/// them and that no size product overflows. Throws ShapeError, DtypeError for int32.
OpCall make_call(const Op& op, std::span<const std::int64_t> dims, Dtype dtype,
                 std::span<const double> attributes);

/// What the call must do: op->cost(call), but for the traffic of what stays inside its kernel.
Cost cost_of(const OpCall& call);

/// "matmul batch=8 m=2000 k=2000 n=2000 float32".
std::string to_string(const OpCall& call);

/// True for an attribute used as a switch.
inline bool is_set(double attribute) { return attribute != 0.0; }

}  // namespace siliconprof
