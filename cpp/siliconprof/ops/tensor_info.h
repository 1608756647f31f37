#pragma once

// A row of a trace's tensor table.

#include <optional>
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

/// What a tensor holds before the first call. The same for the same name and shape in any trace.
struct Initial {
  enum class Kind : std::uint8_t {
    Constant,   // scale
    Uniform,    // in [-scale, scale)
    Normal,     // of standard deviation scale; four uniform numbers summed, so none beyond 3.5
    Sinusoids,  // scale times sines, then cosines, of the positions (positions, channels)
  };
  Kind kind = Kind::Uniform;
  double scale = 1.0;

  bool operator==(const Initial&) const = default;
};

struct TensorInfo {
  std::string name;
  Shape shape;
  Dtype dtype = Dtype::Float32;
  Role role = Role::Activation;
  std::int64_t index_limit = 0;   // of int32: each index lies in [0, index_limit)
  std::int32_t base = -1;         // the tensor whose memory this one is a view of; -1: its own
  std::int64_t offset_bytes = 0;  // of a view, from the start of its base
  std::optional<Initial> initial = std::nullopt;  // an input that has it is a constant
  bool frozen = false;                            // a parameter that isn't trained
  bool on_host = false;  // in the host's memory, where a device has its own

  bool is_view() const { return base >= 0; }
  bool is_trained() const { return role == Role::Parameter && !frozen; }
  /// What the elements take, a view's too.
  std::int64_t bytes() const { return shape.elements() * size_bytes(dtype); }
  bool operator==(const TensorInfo&) const = default;
};

}  // namespace siliconprof
