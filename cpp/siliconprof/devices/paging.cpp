#include "siliconprof/devices/paging.h"

#include <algorithm>

namespace siliconprof {
namespace {

/// Pages that are compressed where they are, of `missing_pages` that memory lacks and `step_pages`
/// that could be: none where swap frees a page for less time.
double compressed_pages(const PagingUnit& unit, double missing_pages, double step_pages) {
  const double freed = 1.0 - unit.compressed_part;  // by each
  if (unit.compress_s >= freed * (unit.compress_s + unit.swap_s)) return 0.0;
  return std::min(missing_pages / freed, step_pages);
}

}  // namespace

Paging paging(const PagingUnit& unit, std::int64_t peak_bytes, double touched_bytes) {
  Paging found;
  found.resident_bytes = std::min(double(peak_bytes), unit.memory_bytes);
  if (!pages(unit, peak_bytes)) return found;
  found.wired_pages = touched_bytes / unit.page_bytes;
  const double step_pages = double(peak_bytes) / unit.page_bytes;
  const double missing_pages = std::max(step_pages - unit.memory_bytes / unit.page_bytes, 0.0);
  found.compressed_pages = compressed_pages(unit, missing_pages, step_pages);
  const double freed_pages = found.compressed_pages * (1.0 - unit.compressed_part);
  found.swapped_pages = std::max(missing_pages - freed_pages, 0.0);
  const double wire_s = found.wired_pages * unit.wire_s;
  const double swap_s = found.compressed_pages * unit.compress_s +
                        found.swapped_pages * (unit.compress_s + unit.swap_s);
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
  if (device.numbers.contains("paging.compressed_part")) {
    unit.compressed_part = number("paging.compressed_part").value;
    unit.compress_s = number("paging.compress_s").value;
  }
  // Out and back at the disk's bandwidth, compressed; a fault waits for its page besides.
  unit.swap_s = swap.value + 2.0 * unit.compressed_part * unit.page_bytes /
                                 number("paging.disk_bandwidth_bytes_per_s").value;
  unit.kept_error = kept.relative_error + limit.relative_error;
  unit.wire_error = wire.relative_error;
  unit.swap_error = swap.relative_error;
  return unit;
}

}  // namespace siliconprof
