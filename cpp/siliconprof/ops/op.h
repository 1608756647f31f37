#pragma once

// What an operation is: a row of facts and pure functions. A new op is one pair of files that
// defines such a row, and one line in table.cpp.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "siliconprof/core/shape.h"
#include "siliconprof/ops/call.h"
#include "siliconprof/ops/cost.h"

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
};
inline constexpr int kOpClassCount = 6;
/// "matrix_product", "matrix_vector", "outer_product", "elementwise", "reduction",
/// "row_normalisation".
std::string_view name(OpClass op_class);

struct AttributeInfo {
  std::string_view name;
  double default_value;
};

struct Signature {
  std::vector<Shape> inputs;
  std::vector<Shape> outputs;
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
  /// (backward phase) and returns one gradient id per input. Null where no rule is offered, as for
  /// the ops that rules emit; ask through append_vjp (ops/emit.h), which says so.
  std::vector<TensorId> (*vjp)(Trace&, const OpCall&, std::span<const TensorId> cotangents);
};

/// A call with its tensors still unset. Checks that dims are positive and that no size product
/// overflows. Throws ShapeError.
OpCall make_call(const Op& op, std::span<const std::int64_t> dims, Dtype dtype,
                 std::span<const double> attributes);

/// "matmul batch=8 m=2000 k=2000 n=2000 float32".
std::string to_string(const OpCall& call);

/// True for an attribute used as a switch.
inline bool is_set(double attribute) { return attribute != 0.0; }

}  // namespace siliconprof
