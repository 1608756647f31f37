#include "siliconprof/devices/offload_time.h"

#include <algorithm>
#include <array>

#include "siliconprof/devices/constants.h"

namespace siliconprof {
namespace {

constexpr const char* kMemory = "host.memory_bandwidth_bytes_per_s";

// All of the framework's but for "update_part", which is there wherever one of them is.
constexpr std::array<const char*, 11> kOthers{"update_s",
                                              "beside_part",
                                              "arriving_part",
                                              "start_s",
                                              "pinned_part",
                                              "pageable_start_s",
                                              "pageable_to_host_bytes_per_s",
                                              "pageable_to_device_bytes_per_s",
                                              "copy_s",
                                              "send_s",
                                              "fetch_s"};

LinkUnit link_unit(const Device& device, const Constants& constants) {
  const Number& link = find_number(device.numbers, device.id, {"link.bandwidth_bytes_per_s"});
  LinkUnit unit;
  unit.start_s = constants.value("start_s");
  unit.pinned_bytes_per_s = constants.value("pinned_part") * link.value;
  unit.pageable_start_s = constants.value("pageable_start_s");
  const auto staged = [&](const char* key) {
    return std::min(constants.value(key), unit.pinned_bytes_per_s);
  };
  unit.pageable_to_host_bytes_per_s = staged("pageable_to_host_bytes_per_s");
  unit.pageable_to_device_bytes_per_s = staged("pageable_to_device_bytes_per_s");
  unit.copy_s = constants.value("copy_s");
  unit.send_s = constants.value("send_s");
  unit.fetch_s = constants.value("fetch_s");
  unit.issue_relative_error = constants.number("fetch_s").relative_error;
  unit.relative_error = link.relative_error + constants.number("pinned_part").relative_error;
  return unit;
}

}  // namespace

double transfer_s(const LinkUnit& link, const PlacedCall& call, double bytes) {
  if (!call.pageable) return link.start_s + bytes / link.pinned_bytes_per_s;
  const double rate = call.place == Place::ToHost ? link.pageable_to_host_bytes_per_s
                                                  : link.pageable_to_device_bytes_per_s;
  return link.pageable_start_s + bytes / rate;
}

double issue_s(const LinkUnit& link, const PlacedCall& call) {
  if (!call.is_early) return link.copy_s;
  return call.place == Place::ToHost ? link.send_s : link.fetch_s;
}

double update_s(const HostUnit& host, const Cost& cost) {
  const double arithmetic_s = double(cost.matrix_flops + cost.vector_flops) / host.flops_per_s;
  return host.update_s + std::max(double(cost.bytes()) / host.bytes_per_s, arithmetic_s);
}

std::optional<OffloadUnit> offload_unit(const Device& device, const Framework& framework) {
  const bool shares = device.vendor == "apple";
  const Constants constants(device, framework, "offload", "");
  const bool has_others = std::any_of(kOthers.begin(), kOthers.end(), [&](const char* key) {
    return constants.look_up(key) != nullptr;
  });
  const Number* part =
      has_others ? &constants.number("update_part") : constants.look_up("update_part");
  const Number* memory = find(device.numbers, kMemory);
  if (!memory && shares) memory = find(device.numbers, "memory.bandwidth_bytes_per_s");
  const Number* flops = find(device.numbers, "host.vector_flops_per_s");
  if (!part || !memory || !flops) return std::nullopt;
  OffloadUnit unit;
  if (!shares) unit.link = link_unit(device, constants);
  unit.host.bytes_per_s = part->value * memory->value;
  unit.host.flops_per_s = flops->value;
  unit.host.update_s = constants.value("update_s");
  unit.host.beside_part = constants.value("beside_part");
  unit.host.arriving_part = shares ? 0.0 : constants.value("arriving_part");
  unit.host.relative_error = std::min(memory->relative_error + part->relative_error, 0.9);
  unit.is_assumed = !shares && memory->kind == NumberKind::Assumed && memory->relative_error > 0.0;
  return unit;
}

}  // namespace siliconprof
