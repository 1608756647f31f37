#pragma once

// A step's time and interval from its summary alone, what a sweep asks a million times; and with
// its phases, what whoever predicts one step sees first.

#include <array>
#include <optional>

#include "siliconprof/core/quantile.h"
#include "siliconprof/devices/model_backend.h"
#include "siliconprof/devices/step_summary.h"

namespace siliconprof {

/// The time of Model::predict and its interval, without spans.
struct StepPrediction {
  double time_s = 0.0;
  Interval interval_s{};
};

/// `held_bytes`: as Model::held_bytes; asked only where the device pages. Throws DtypeError when
/// the device lacks a format, DeviceError when its kernels were measured.
StepPrediction predict_step(const Model& model, const StepSummary& step, std::int64_t held_bytes);

/// What the board draws in a step.
struct StepEnergy {
  double joules = 0.0;
  Interval interval{};

  bool operator==(const StepEnergy&) const = default;
};

/// Of `work` at a part of the full clock, done with `model` in `step`; `errors` may be null.
StepEnergy step_energy(const Model& model, const SumErrors* errors, const PoweredWork& work,
                       double clock, const StepPrediction& step);

struct PoweredPrediction {
  StepPrediction step;
  std::optional<StepEnergy> energy;  // none where nothing is known of the board's power
};

/// Both of a step, as predict_step has the first.
PoweredPrediction predict_powered(const Model& model, const StepSummary& step,
                                  std::int64_t held_bytes);

/// What the calls of one phase take together.
struct PhasePrediction {
  double wall_s = 0.0;
  Interval interval_s{};
  Terms terms{};
  Cost cost;
};

struct PhasedPrediction {
  StepPrediction step;
  std::array<std::optional<PhasePrediction>, kPhaseCount> phases;  // none where nothing is called
  std::optional<StepEnergy> energy;  // none where nothing is known of the board's power
  double clock = 1.0;                // as a part of the full one, under the board's power
  std::optional<WarmUp> warm;        // none where such steps leave the machine as it is
};

/// The same by phase. Of a step with none of it on a host: throws ArgumentError for another.
PhasedPrediction predict_phases(const Model& model, const StepSummary& step,
                                std::int64_t held_bytes);

}  // namespace siliconprof
