#pragma once

// What a framework reaches on a device: peak times efficiency, for every op class and dtype, looked
// up once so that a prediction is arithmetic alone.

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "siliconprof/core/quantile.h"
#include "siliconprof/devices/access.h"
#include "siliconprof/devices/allocator_rules.h"
#include "siliconprof/devices/alone_error.h"
#include "siliconprof/devices/attention_time.h"
#include "siliconprof/devices/by_op.h"
#include "siliconprof/devices/convolution_time.h"
#include "siliconprof/devices/device.h"
#include "siliconprof/devices/kernel_rates.h"
#include "siliconprof/devices/memory_error.h"
#include "siliconprof/devices/offload_time.h"
#include "siliconprof/devices/paging.h"
#include "siliconprof/devices/passes.h"
#include "siliconprof/devices/power.h"
#include "siliconprof/devices/product_time.h"
#include "siliconprof/devices/roofline.h"
#include "siliconprof/ops/op.h"

namespace siliconprof {

struct ClassRates {
  std::array<std::optional<Rate>, kDtypeCount> matrix;  // none: the device lacks the dtype
  std::array<std::optional<Rate>, kDtypeCount> vector;
  Rate bandwidth;
};

/// The matrix unit of a device under a framework, and how far its times may be off.
struct ProductRate {
  ProductUnit unit;
  double relative_error = 0.0;
};

struct AttentionRate {
  AttentionUnit unit;
  double relative_error = 0.0;
};

struct ConvolutionRate {
  ConvolutionUnit unit;
  double relative_error = 0.0;
  /// Its constants are another format's: calls take no less than they say.
  bool is_least = false;
};

/// Forward, then gradients.
template <class Rate>
using ByDirection = std::array<std::optional<Rate>, 2>;
/// Forward, then gradients of data and of weights.
using ConvolutionRates = std::array<std::optional<ConvolutionRate>, 3>;

/// What a framework says of one op besides efficiencies.
struct OpFacts {
  /// Seconds that the host takes to issue a call, by phase and the call's dtype; at pace 1.
  std::array<std::array<std::optional<double>, kDtypeCount>, kPhaseCount> issue_s;
  /// Elements a second of one row that a core works on alone, by dtype; the slowest row decides.
  std::array<std::optional<double>, kDtypeCount> row_elements_per_s;
  /// Bytes a second of all cores together, by dtype: at most, whatever the memory.
  std::array<std::optional<double>, kDtypeCount> cores_bytes_per_s;
  AccessUnit access;
};

/// Seconds by kind of kernel: products, attention, convolutions, the rest, and what is on a host.
inline constexpr std::size_t kKernelKinds = 5;
inline constexpr std::size_t kHostKind = 4;
using KindSeconds = std::array<double, kKernelKinds>;

/// 90 % errors, as parts, of a sum over kernels of a kind: smaller than those of one kernel, which
/// a call alone has. Of one kind they add up; kinds and the host have constants of their own and
/// err apart.
struct SumErrors {
  std::array<double, kDtypeCount> product{};
  std::array<double, kDtypeCount> attention{};
  std::array<double, kDtypeCount> convolution{};
  double other = 0.0;
  double host = 0.0;  // of its seconds a call

  double of(const OpCall& call) const;
  /// Adds the error of kernels like the call's that take `kernels_s` together.
  void add(KindSeconds& off_s, const OpCall& call, double kernels_s) const;
};

/// How much of its kernels' errors a step shows, as parts of their sum: `shift_s` is what it loses
/// where all of them are faster by their error and gains where they are slower. A step that waits
/// for its host hides them.
Interval shown(const KindSeconds& off_s, Interval shift_s);

/// 90 % interval of a step: errors that are independent of each other combine as the root of the
/// sum of their squares. `host_s`: what a faster host takes off it and a slower one adds;
/// `paging_s`: the same of its pages.
Interval step_bounds(double step_s, const KindSeconds& off_s, Interval shown, Interval host_s,
                     Interval paging_s);

struct Rates {
  std::array<ClassRates, kOpClassCount> by_class;
  /// Ops that the framework has efficiencies of their own for.
  ByOp<ClassRates> by_op;
  /// By dtype; none where the framework has no constants of tiles for the device or the device
  /// lacks the dtype: its products are then peak times efficiency.
  std::array<std::optional<ProductRate>, kDtypeCount> products;
  /// Kernels measured on this device: their times replace the roofline's.
  KernelRates kernels;
  /// Elements a second that all cores together go over where operands lie across each other
  /// (OpCall::crosses); 0: nothing is known, and bytes alone count.
  double across_elements_per_s = 0.0;
  /// Of the cache that decides what they find near; 0 where the device names none.
  double cache_bytes = 0.0;
  /// What the memory moves at most.
  double memory_bytes_per_s = 0.0;
  std::array<ByDirection<AttentionRate>, kDtypeCount> attention;
  std::array<ConvolutionRates, kDtypeCount> convolution;
  /// Only ops that the framework has facts of.
  ByOp<OpFacts> facts;
  /// Of the device's "host.pace", else of the framework's, which is that of a host nobody knows: a
  /// part of the pace of the host that the framework's issue costs were measured on. Those below
  /// are that one's, issue_s() and Model::host() tell this one's.
  double host_pace = 1.0;
  /// What the host does once in a pass; zeros where the framework says nothing of it.
  PassCosts passes;
  AgainCosts again;
  double launch_s = 0.0;
  double launch_relative_error = 0.0;
  /// What a kernel takes on the device besides its work: its start and its end.
  double kernel_s = 0.0;
  double kernel_relative_error = 0.0;
  /// Whole steps are replayed as a graph: the host issues them at once, and each kernel follows the
  /// one before by so much. None: call by call.
  std::optional<double> graph_gap_s;
  /// Forward and backward passes are replayed, a graph each, which the host issues with what it
  /// does once in the pass and what each of its kernels costs; the optimizer's calls are issued one
  /// by one. None: all are.
  std::optional<double> pass_gap_s;
  /// None where nothing is known of the framework's allocator.
  std::optional<AllocatorRules> allocator;
  /// None where the framework has no constants of power for the device.
  std::optional<PowerUnit> power;
  /// None where the device has no constants of paging.
  std::optional<PagingUnit> paging;
  /// None where nothing is known of a host.
  std::optional<OffloadUnit> offload;
  /// A CPU: its host is itself.
  bool is_own_host = false;
  /// What an offloaded step keeps on the host is in the device's memory all the same.
  bool shares_memory() const { return is_own_host || (offload && !offload->link); }
  /// Of devices whose kernels were measured.
  AloneErrors alone;
  /// None: intervals of calls add up.
  std::optional<SumErrors> sum_errors;
  /// None where nobody says how far peaks of memory are off.
  std::optional<MemoryError> memory_error;

  /// By which a kernel of that phase follows the one before in a graph; 0 outside of graphs.
  double gap_s(Phase phase) const;
  /// Those of the op, or else of its class.
  const ClassRates& of(const Op& op) const;
  /// Null for an op without.
  const OpFacts* facts_of(const Op& op) const { return facts.find(op); }
  /// Seconds of the host for a call: none of a graph's. One that joins a launch costs none, but for
  /// an optimizer's, which cost what the framework says. One that checkpointing computes again
  /// costs what it did in the forward pass, and what its block does besides.
  double issue_s(const OpCall& call) const;
  /// The same as a call of that phase, in no checkpointed block.
  double issue_s(const OpCall& call, Phase phase) const;
};

/// Throws DeviceError when a number that every prediction needs is missing.
Rates look_up_rates(const Device& device, const Framework& framework);

/// The number that serves `key` on this device: "efficiency.<key>" by family, vendor, any.
/// `key` is "<op or its class>.compute.<dtype>" or "<op class>.bandwidth". Throws DeviceError.
const Number& efficiency(const Device& device, const Framework& framework, const std::string& key);

/// "launch.<key>" by family, vendor, then plain. `key` is "dispatch_s", "round_trip_s"... Throws
/// DeviceError.
const Number& launch(const Device& device, const Framework& framework, const std::string& key);

}  // namespace siliconprof
