#include "siliconprof/devices/paging.h"

#include <algorithm>

namespace siliconprof {

Paging paging(const PagingUnit& unit, std::int64_t peak_bytes, double touched_bytes) {
  Paging found;
  found.resident_bytes = std::min(double(peak_bytes), unit.memory_bytes);
  if (!pages(unit, peak_bytes)) return found;
  found.wired_pages = touched_bytes / unit.page_bytes;
  found.swapped_pages = std::max(double(peak_bytes) - unit.memory_bytes, 0.0) / unit.page_bytes;
  const double wire_s = found.wired_pages * unit.wire_s;
  const double swap_s = found.swapped_pages * unit.swap_s;
  found.seconds = wire_s + swap_s;
  // So near the limit that the pages may have stayed wired.
  const bool is_near = double(peak_bytes) <= unit.kept_bytes * (1.0 + unit.kept_error);
  found.interval_s = {
      (is_near ? 0.0 : wire_s / (1.0 + unit.wire_error)) + swap_s / (1.0 + unit.swap_error),
      wire_s / (1.0 - unit.wire_error) + swap_s / (1.0 - unit.swap_error)};
  return found;
}

std::optional<PagingUnit> paging_unit(const Device& device, const Number& kept) {
  if (!device.numbers.contains("paging.page_bytes")) return std::nullopt;
  const auto number = [&](const char* key) -> const Number& {
    return find_number(device.numbers, device.id, {key});
  };
  const Number& wire = number("paging.wire_s");
  const Number& swap = number("paging.swap_fault_s");
  const double capacity_bytes = number("memory.capacity_bytes").value;
  PagingUnit unit;
  unit.page_bytes = number("paging.page_bytes").value;
  const Number& limit = number("memory.working_set_limit_bytes");
  unit.kept_bytes = kept.value * limit.value;
  unit.memory_bytes = capacity_bytes * (1.0 - number("paging.system_part").value) -
                      number("paging.system_bytes").value;
  unit.wire_s = wire.value;
  // Out and back at the disk's bandwidth; a fault waits for its page besides.
  unit.swap_s =
      swap.value + 2.0 * unit.page_bytes / number("paging.disk_bandwidth_bytes_per_s").value;
  unit.kept_error = kept.relative_error + limit.relative_error;
  unit.wire_error = wire.relative_error;
  unit.swap_error = swap.relative_error;
  return unit;
}

}  // namespace siliconprof
