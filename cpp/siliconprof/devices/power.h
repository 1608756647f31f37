#pragma once

// What a board draws and how fast its clock may run: idle power all the time, a kernel's power
// while it runs, the energy of products by their arithmetic. Above the board's power the clock
// falls until power and time agree.

#include <array>
#include <cstdint>
#include <optional>

#include "siliconprof/core/dtype.h"
#include "siliconprof/core/quantile.h"
#include "siliconprof/devices/work_seconds.h"
#include "siliconprof/ops/op.h"

namespace siliconprof {

/// Of a machine without a fan: what its case gives off in the long run, and the heat that it takes
/// up above that before the clock falls.
struct ThermalBudget {
  double sustained_watts = 0.0;
  double joules = 0.0;
};

/// What a constant of power says of a step's energy above idle.
enum class PowerPart : std::uint8_t { Busy, Flops, Attention, Other, Rows };
inline constexpr std::size_t kPowerParts = 5;
using PartJoules = std::array<double, kPowerParts>;

/// 90 % errors of these constants, as parts.
struct PowerErrors {
  double idle = 0.0;
  std::array<double, kPowerParts> parts{};  // but for Flops; Other's while its cores hold it up
  double traffic = 0.0;                     // and while its traffic does
  std::array<double, kDtypeCount> flops{};
  double board = 0.0;  // of the watts that they are parts of: all energies err by it together
  double limit = 0.0;  // of what the board may draw

  double of(PowerPart part, Dtype dtype) const;
};

struct PowerUnit {
  double board_watts = 0.0;  // at most
  double idle_watts = 0.0;
  /// Above idle while a product or convolution of endless operands runs, but for its arithmetic.
  double busy_watts = 0.0;
  /// Operands at which such a one draws half of that. 0: all of them draw all of it.
  double busy_half_bytes = 0.0;
  /// Above idle while attention of endless operands runs, or another kernel, no product, that its
  /// cores hold up.
  double core_watts = 0.0;
  /// The same while its traffic does.
  double traffic_watts = 0.0;
  /// Operands at which such a kernel draws half of that: its start and end, cores that have nothing
  /// to do and traffic of the cache draw less. 0: all of them draw all of it.
  double half_bytes = 0.0;
  /// What the memory moves at most: a sum over rows draws as a stream of its bytes does, while its
  /// threads, which go along them one after the other, wait for the rest. 0: nothing is known.
  double stream_bytes_per_s = 0.0;
  /// Above idle while each core works on a channel of a batch norm, but for its traffic; 0: a batch
  /// norm is as any other kernel.
  double row_watts = 0.0;
  /// Of a byte of its operands where they are endless, and operands at which it takes half of that.
  double row_byte_joules = 0.0;
  double row_half_bytes = 0.0;
  std::int64_t cores = 1;
  /// Of a product's arithmetic at the full clock; none where the device lacks a peak.
  std::array<std::optional<double>, kDtypeCount> flop_joules;
  /// Power of a running unit grows with this power of its clock.
  double clock_exponent = 1.0;
  std::optional<ThermalBudget> thermal =
      std::nullopt;  // none: what the board draws is carried away
  PowerErrors errors{};
};

/// Of a kernel's seconds, those that the clock stretches: all of a product, a convolution or an
/// attention, and of any other kernel those in which its cores hold it up.
double clocked_s(const OpCall& call, const WorkSeconds& kernel);

/// A step at the full clock.
struct PoweredWork {
  double step_s = 0.0;
  double scaled_s = 0.0;       // of it, what the clock stretches
  double scaled_joules = 0.0;  // above idle, of those
  double fixed_joules = 0.0;   // above idle, of all else
  PartJoules constants_off{};  // where each constant is wrong by its error
  PartJoules times_off{};      // where kernels take longer by their times' error

  /// `count` kernels that work for so long each; `time_error`: of that, as a part (90 %).
  void add(const PowerUnit& unit, const OpCall& call, const Cost& cost, const WorkSeconds& kernel,
           double count = 1.0, double time_error = 0.0);

 private:
  void add_product(const PowerUnit& unit, const OpCall& call, const Cost& cost, double kernel_s,
                   double count, double time_error);
  void add_rows(const PowerUnit& unit, const OpCall& call, double bytes, double kernel_s,
                double count, double time_error);
  void add_attention(const PowerUnit& unit, double bytes, double kernel_s, double count,
                     double time_error);
  void add_other(const PowerUnit& unit, const OpCall& call, double bytes, const WorkSeconds& kernel,
                 double count, double time_error);
  /// What a constant makes of kernels that are off in time by `time_error`.
  void add_off(PowerPart part, double joules, double error, double time_error);
};

/// Seconds and joules of the work at a part of the full clock.
double seconds_at(const PoweredWork& work, double clock);
double joules_at(const PoweredWork& work, const PowerUnit& unit, double clock);

/// 90 % interval of those: `step_s` is the step's. Constants err apart from each other and from
/// times; what a longer step idles for, and its kernels work for, err together. More than the board
/// may draw for so long, by its error, is not in it. `watts`: of a second that the step takes
/// longer, but for what `times_off` has.
Interval joules_bounds(const PoweredWork& work, const PowerUnit& unit, double clock,
                       Interval step_s, double watts);

/// As a part of the full one; below, nothing is known of how power follows the clock.
inline constexpr double kLowestClock = 0.4;

/// The largest part of the full clock, in [kLowestClock, 1], at which the mean power is the board's
/// at most; the lowest where there is none.
double sustained_clock(const PoweredWork& work, const PowerUnit& unit);

/// A step again and again on a machine that gets warm.
struct WarmUp {
  double after_s = 0.0;  // of such steps, its heat is spent
  double step_s = 0.0;   // a step's from then on
  double clock = 1.0;    // as a part of the full one
};

/// None where the case gives off what the step draws at `clock`, or nothing is known of it.
std::optional<WarmUp> warm_up(const PoweredWork& work, const PowerUnit& unit, double clock);

}  // namespace siliconprof
