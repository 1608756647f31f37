#pragma once

#include <cmath>
#include <cstdint>

#include "siliconprof/ops/call.h"

namespace siliconprof {

/// By how much the pair of channels `i` of `token` is turned in a call of rotary, counted
/// anticlockwise.
inline double rotary_angle(const OpCall& call, std::int64_t token, std::int64_t i) {
  const double exponent = -2.0 * double(i) / double(call.dims[3]);
  const double angle = double(token) * std::pow(call.attributes[0], exponent);
  return call.attributes[1] != 0.0 ? -angle : angle;
}

}  // namespace siliconprof
