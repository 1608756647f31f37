#pragma once

// Many predictions: every size of a workload on every target, a chunk of sizes at a time.

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "siliconprof/devices/model_backend.h"
#include "siliconprof/devices/step_family.h"
#include "siliconprof/devices/step_prediction.h"

namespace siliconprof {

/// A device under a framework, and the steps that it runs in one precision.
struct SweepEntry {
  std::string label;  // what stands before a row's numbers in a text table
  const Model* model = nullptr;
  const StepFamily* steps = nullptr;
  std::optional<double> price_usd = std::nullopt;  // likewise behind them
  std::int64_t micro_batches = 1;                  // of a step, each of its size's batch
};

/// Tokens or images of a step.
inline double items(const SweepEntry& entry, const StepSize& size) {
  return double(entry.micro_batches) * double(size.batch) * double(size.length);
}

/// Of "price.launch_usd"; none where the device has no price.
std::optional<double> launch_price_usd(const Device& device);

struct SweepRow {
  double time_s = 0.0;
  Interval interval_s{};
  std::int64_t peak_bytes = 0;  // as Model::predict has it, and its interval
  std::optional<Interval> peak_interval_bytes{};
  std::optional<StepEnergy> energy{};
  /// Whether that is no more than the device may hold.
  bool fits = false;
  /// Whether no other entry that fits does a step of this size as well in time, energy, price and
  /// memory, and better in one of them.
  bool on_frontier = false;
};

/// A row for each entry at each size, size by size. Entries of one family side by side cost least.
/// Throws DtypeError for a format that a device lacks, DeviceError for one without a capacity.
std::vector<SweepRow> sweep(std::span<const SweepEntry> entries, std::span<const StepSize> sizes,
                            int threads);

/// The rows as lines "label,batch,length,time_s,lo_s,hi_s,peak_memory_bytes,lo_bytes,hi_bytes,
/// energy_joules,lo_joules,hi_joules,fits,frontier,price_usd,time_per_item_s,joules_per_item";
/// numbers read back equal, what isn't there is nothing between two commas.
std::string sweep_text(std::span<const SweepEntry> entries, std::span<const StepSize> sizes,
                       std::span<const SweepRow> rows);

}  // namespace siliconprof
