#pragma once

// A step's time and interval from its summary alone: what a sweep asks a million times.

#include "siliconprof/core/quantile.h"
#include "siliconprof/devices/model_backend.h"
#include "siliconprof/devices/step_summary.h"

namespace siliconprof {

/// The time of Model::predict and its interval, without spans.
struct StepPrediction {
  double time_s = 0.0;
  Interval interval_s{};
};

/// Throws DtypeError when the device lacks a format, DeviceError when its kernels were measured.
StepPrediction predict_step(const Model& model, const StepSummary& step);

}  // namespace siliconprof
