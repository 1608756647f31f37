#include "siliconprof/devices/paging.h"

#include <algorithm>

#include "siliconprof/core/number_text.h"
#include "siliconprof/devices/roofline.h"

namespace siliconprof {
namespace {

/// Pages that leave: those that stay in memory, compressed, and those that go to swap.
struct Leaving {
  double compressed = 0.0;
  double swapped = 0.0;
};

/// Of `step_pages`, for which there is room for `memory_pages`.
Leaving leaving(const PagingUnit& unit, double step_pages, double memory_pages) {
  const double missing = step_pages - memory_pages;
  if (missing <= 0.0) return {};
  const double freed = 1.0 - unit.compressed_part;  // by each that is compressed
  if (unit.compress_s >= freed * (unit.compress_s + unit.swap_s)) return {0.0, missing};
  const double compressed = missing / freed;
  if (compressed <= step_pages) return {compressed, 0.0};
  // All of them leave, and as many stay as memory holds of compressed ones.
  const double kept = memory_pages / unit.compressed_part;
  return {kept, step_pages - kept};
}

}  // namespace

Paging paging(const PagingUnit& unit, std::int64_t peak_bytes, double touched_bytes) {
  Paging found;
  found.resident_bytes = std::min(double(peak_bytes), unit.memory_bytes);
  if (!may_page(unit, peak_bytes)) return found;
  const double touched_pages = touched_bytes / unit.page_bytes;
  const bool stays_wired = double(peak_bytes) <= unit.kept_bytes;
  found.wired_pages = stays_wired ? 0.0 : touched_pages;
  const Leaving leave =
      leaving(unit, double(peak_bytes) / unit.page_bytes, unit.memory_bytes / unit.page_bytes);
  found.compressed_pages = leave.compressed;
  found.swapped_pages = leave.swapped;
  const double wire_s = found.wired_pages * unit.wire_s;
  const double swap_s = found.compressed_pages * unit.compress_s +
                        found.swapped_pages * (unit.compress_s + unit.swap_s);
  found.seconds = wire_s + swap_s;
  // So near the limit that the pages may have stayed wired, or may not have.
  const bool is_near = double(peak_bytes) <= unit.kept_bytes * (1.0 + unit.kept_error);
  const double most_wired = may_unwire(unit, peak_bytes) ? touched_pages : 0.0;
  const Interval wires_s = bounds(most_wired * unit.wire_s, unit.wire_error);
  const Interval swaps_s = bounds(swap_s, unit.swap_error);
  found.interval_s = {(is_near ? 0.0 : wires_s.lo) + swaps_s.lo, wires_s.hi + swaps_s.hi};
  return found;
}

std::string paging_note(const PagingUnit& unit, const Paging& found, std::int64_t peak_bytes) {
  if (found.faults() == 0.0) return "";
  std::string note = "paging takes " + number_text(found.seconds, std::chars_format::general, 3) +
                     " s of the step, which holds " + gigabytes_text(double(peak_bytes));
  if (found.wired_pages > 0.0) {
    note += ": up to " + gigabytes_text(unit.kept_bytes) + " stay wired from kernel to kernel";
  }
  const double left_pages = found.compressed_pages + found.swapped_pages;
  if (left_pages > 0.0) {
    note += (found.wired_pages > 0.0 ? ", and " : ": ") +
            gigabytes_text(left_pages * unit.page_bytes) + " leave memory and are read back";
  }
  return note;
}

std::optional<PagingUnit> paging_unit(const Device& device, const Number& kept) {
  if (!device.numbers.contains("paging.page_bytes")) return std::nullopt;
  const auto number = [&](const char* key) -> const Number& {
    return find_number(device.numbers, device.id, {key});
  };
  const bool is_wired = device.vendor != "cpu";
  const Number& swap = number("paging.swap_fault_s");
  const double capacity_bytes = number("memory.capacity_bytes").value;
  PagingUnit unit;
  unit.page_bytes = number("paging.page_bytes").value;
  if (is_wired) {
    const Number& wire = number("paging.wire_s");
    const Number& limit = number("memory.working_set_limit_bytes");
    unit.wire_s = wire.value;
    unit.wire_error = wire.relative_error;
    unit.kept_bytes = kept.value * limit.value;
    unit.kept_error = kept.relative_error + limit.relative_error;
  }
  const double system_bytes =
      capacity_bytes * number("paging.system_part").value + number("paging.system_bytes").value;
  unit.memory_bytes = std::max(capacity_bytes - system_bytes, 0.0);
  if (device.numbers.contains("paging.compressed_part")) {
    unit.compressed_part = number("paging.compressed_part").value;
    unit.compress_s = number("paging.compress_s").value;
  }
  // Out and back at the disk's bandwidth, compressed; a fault waits for its page besides.
  unit.swap_s = swap.value + 2.0 * unit.compressed_part * unit.page_bytes /
                                 number("paging.disk_bandwidth_bytes_per_s").value;
  unit.swap_error = swap.relative_error;
  return unit;
}

}  // namespace siliconprof
