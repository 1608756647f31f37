// What a call takes wherever a step runs it: Model's own arithmetic for the link and the host.

#include <algorithm>

#include "siliconprof/core/error.h"
#include "siliconprof/devices/model_backend.h"

namespace siliconprof {
namespace {

KernelTime offloaded(const OffloadUnit& unit, const OpCall& call, const Cost& cost,
                     const PlacedCall& placed) {
  KernelTime time;
  if (call.phase != Phase::Transfer) {
    time.seconds = update_s(unit.host, cost);
    time.terms[static_cast<std::size_t>(Term::HostOptimizer)] = time.seconds;
  } else if (unit.link && placed.place != Place::Host) {  // there, buffers change places
    time.seconds = transfer_s(*unit.link, placed, double(cost.bytes_read));
    time.terms[static_cast<std::size_t>(Term::Transfers)] = time.seconds;
  }
  return time;
}

}  // namespace

CallTime Model::call_time(const OpCall& call, const Cost& cost, const PlacedCall& placed,
                          const std::optional<CallTraffic>& moved) const {
  if (placed.place == Place::Device || rates_.is_own_host) {
    return {issue_s(call), kernel_time(call, cost, moved)};
  }
  if (!rates_.offload) {
    throw DeviceError("[predict] nothing is known of the host of " + device_.id + " under " +
                      framework_.id +
                      ", where the step keeps its optimizer; needed: "
                      "host.memory_bandwidth_bytes_per_s and host.vector_flops_per_s of the "
                      "device, link.bandwidth_bytes_per_s, and the framework's offload constants");
  }
  const OffloadUnit& unit = *rates_.offload;
  CallTime time{0.0, offloaded(unit, call, cost, placed)};
  const double error = offload_error(placed);
  time.kernel.interval_s = bounds(time.kernel.seconds, error);
  const bool crosses = placed.place == Place::ToHost || placed.place == Place::ToDevice;
  if (crosses && unit.link) {
    time.issue_s = siliconprof::issue_s(*unit.link, placed) / rates_.host_pace;
  }
  return time;
}

double Model::offload_error(const PlacedCall& placed) const {
  if (!rates_.offload) return 0.0;
  const OffloadUnit& unit = *rates_.offload;
  const bool crosses = placed.place == Place::ToHost || placed.place == Place::ToDevice;
  if (crosses) return unit.link ? unit.link->relative_error : 0.0;
  return unit.host.relative_error;
}

const SumErrors* step_errors(const Model& model, std::size_t calls) {
  const auto& errors = model.rates().sum_errors;
  return errors && calls > 1 ? &*errors : nullptr;
}

Lanes paces(const Rates& rates, const SumErrors* errors) {
  if (errors == nullptr) {
    const double error = rates.launch_relative_error;
    return {1.0, 1.0 - error, 1.0 + error, 1.0, 1.0};
  }
  return {1.0, 1.0, 1.0, 1.0 - errors->host, 1.0 + errors->host};
}

LaneTimes lane_times(const Model& model, const SumErrors* errors, const OpCall& call,
                     const PlacedCall& placed, const CallTime& time) {
  const bool is_on_device = placed.place == Place::Device || model.rates().is_own_host;
  double error = model.rates().launch_relative_error;
  double host_error = errors != nullptr ? errors->host : 0.0;
  if (!is_on_device && model.rates().offload->link) {
    error = model.rates().offload->link->issue_relative_error;
    if (errors != nullptr) host_error = error;
  }
  const double issue_s = time.issue_s;
  const KernelTime& kernel = time.kernel;
  Lanes issues_s{issue_s, issue_s * (1.0 - error), issue_s * (1.0 + error),
                 issue_s * (1.0 - host_error), issue_s * (1.0 + host_error)};
  Interval kernel_s = kernel.interval_s;
  if (errors != nullptr) {
    issues_s[kShortest] = issues_s[kLongest] = issue_s;
    const double part = is_on_device ? errors->of(call) : model.offload_error(placed);
    const double off_s = kernel.work_s() * part;
    kernel_s = {kernel.seconds - off_s, kernel.seconds + off_s};
  }
  return {issues_s,
          {kernel.seconds, kernel_s.lo, kernel_s.hi, kernel.seconds, kernel.seconds},
          kernel.work(),
          call.phase};
}

void add_off(KindSeconds& off_s, const Model& model, const OpCall& call, const PlacedCall& placed,
             double seconds) {
  if (placed.place == Place::Device || model.rates().is_own_host) {
    model.rates().sum_errors->add(off_s, call, seconds);
  } else {
    off_s[kHostKind] += seconds * model.offload_error(placed);
  }
}

}  // namespace siliconprof
