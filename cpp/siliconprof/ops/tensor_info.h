#pragma once

// A row of a trace's tensor table.

#include <string>
#include <string_view>

#include "siliconprof/core/dtype.h"
#include "siliconprof/core/shape.h"

namespace siliconprof {

enum class Role : std::uint8_t {
  Parameter,
  Gradient,
  OptimizerState,
  Activation,
  Input,
  Temporary
};
inline constexpr int kRoleCount = 6;
/// "parameter", "gradient", "optimizer_state", "activation", "input", "temporary".
std::string_view name(Role role);
/// Throws UnknownNameError.
Role parse_role(std::string_view text);

struct TensorInfo {
  std::string name;
  Shape shape;
  Dtype dtype = Dtype::Float32;
  Role role = Role::Activation;

  std::int64_t bytes() const { return shape.elements() * size_bytes(dtype); }
  bool operator==(const TensorInfo&) const = default;
};

}  // namespace siliconprof
