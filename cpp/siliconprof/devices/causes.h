#pragma once

// What can make one target slower than another. Each cause owns a part of the constants that a
// prediction is made of, so that a target can be put together from two.

#include <cstdint>
#include <span>
#include <string_view>

#include "siliconprof/devices/rates.h"
#include "siliconprof/devices/shapley.h"

namespace siliconprof {

enum class Cause : std::uint8_t {
  Matrix,     // what matrix kernels reach in float32
  Vector,     // other arithmetic, and the bandwidth of memory for all kernels
  Launch,     // dispatch on the host, start and end of kernels, whether the two overlap
  Paging,     // what memory holds, and what the rest costs
  Transfers,  // copies between the host and the device, and updates on the host
  ClockAndPower,
  Dtype,     // which formats the framework trains in, and what they gain over float32
  Lowering,  // which kernels the framework makes of a model
};
inline constexpr int kCauseCount = 8;
/// "matrix kernels", "vector kernels and bandwidth", "launch and dispatch", "paging and capacity",
/// "transfers", "clock and power", "dtype support", "fusion".
std::string_view name(Cause cause);
std::span<const std::string_view> cause_names();

inline PlayerSet bit(Cause cause) { return PlayerSet(1) << static_cast<unsigned>(cause); }

/// The constants of `to` for the causes in `of_to`, those of `from` for the others. A format's rate
/// is the float32 rate of the one times what the format gains over it on the other.
Rates mix(const Rates& from, const Rates& to, PlayerSet of_to);

}  // namespace siliconprof
