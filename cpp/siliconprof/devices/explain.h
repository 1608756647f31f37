#pragma once

// Why one target takes longer than another for a step: the predicted gap split exactly over the
// causes, by Shapley values [shapley1953]. What measurements add to it stands beside, as residual.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "siliconprof/devices/causes.h"
#include "siliconprof/devices/model_backend.h"
#include "siliconprof/devices/step_summary.h"

namespace siliconprof {

/// One cause's part of the gap, in seconds; parts over phases and over op classes sum to it.
struct CausePart {
  Cause cause = Cause::Matrix;
  double seconds = 0.0;
  std::array<double, kPhaseCount> by_phase_s{};
  std::array<double, kOpClassCount> by_class_s{};

  bool operator==(const CausePart&) const = default;
};

/// The gap from one target to another, `to` minus `from`: negative where `to` is quicker.
struct Causes {
  std::string from;  // "m2-ultra/mlx"
  std::string to;
  double from_s = 0.0;  // predicted
  double to_s = 0.0;
  std::vector<CausePart> parts;  // one for each cause; they sum to gap_s
  std::optional<double> measured_from_s;
  std::optional<double> measured_to_s;
  std::vector<std::string> notes;

  double gap_s() const { return to_s - from_s; }
  /// The part's share of the gap; none where there is no gap.
  std::optional<double> share(const CausePart& part) const;
  /// What was measured of the gap less what is predicted; none unless both sides were measured.
  std::optional<double> residual_s() const;

  bool operator==(const Causes&) const = default;
};

/// Which side's way of running the step: 0 is `from`, 1 is `to`.
struct StepSides {
  std::size_t kernels = 0;    // what the framework makes of the model: Cause::Lowering
  std::size_t formats = 0;    // what it trains in: Cause::Dtype
  std::size_t transfers = 0;  // what stays on the host: Cause::Transfers
};

/// One step as either side would run it, and all mixtures; the same trace where sides agree.
struct Steps {
  std::array<const Trace*, 8> traces{};

  /// That of the sides: kernels · 4 + formats · 2 + transfers.
  static std::size_t place(const StepSides& sides) {
    return sides.kernels * 4 + sides.formats * 2 + sides.transfers;
  }
  const Trace* at(const StepSides& sides) const { return traces[place(sides)]; }
};

/// Throws ArgumentError for an empty trace, DtypeError for a format that a side lacks, but for
/// tf32: a device without it multiplies in float32, and a note says so, as another does where a
/// side offloads to a host that is assumed; DeviceError where nothing is known of one.
Causes explain(const Steps& steps, const Model& from, const Model& to);

}  // namespace siliconprof
