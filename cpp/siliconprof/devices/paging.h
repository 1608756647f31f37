#pragma once

// What a step costs where a GPU shares its machine's memory and the step takes nearly all of it.
// A GPU works on wired pages. While what a process holds stays well below the working set that the
// system recommends, its pages stay wired from kernel to kernel. Above, they don't: each kernel's
// pages are wired anew. Beyond the memory that the system leaves there are the compressor and swap:
// what doesn't fit at the step's peak leaves, longest unused first, and is back when it is touched
// again. A compressed page stays in memory and frees what it lost; the compressor is asked as long
// as a byte costs less that way than from swap, and all that leaves for swap has gone through it.
// A machine may lack memory for what its GPU might hold wired: an 8 GB Mac does. A CPU works on
// pages that are not wired: the same machine's compressor and swap are all that it waits for.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "siliconprof/core/quantile.h"
#include "siliconprof/devices/device.h"

namespace siliconprof {

struct PagingUnit {
  double page_bytes = 0.0;
  // Up to these, pages stay wired between kernels; a CPU's need not.
  double kept_bytes = std::numeric_limits<double>::infinity();
  double memory_bytes = 0.0;  // all but what the system holds for itself
  double wire_s = 0.0;        // to wire a page that is in memory
  double swap_s = 0.0;        // to read a page back, and before that to write it
  double kept_error = 0.0;    // 90 %, as parts
  double wire_error = 0.0;
  double swap_error = 0.0;
  double compressed_part = 1.0;  // of a page of tensors, once compressed
  double compress_s = 0.0;       // to compress a page and to have it back
};

/// One step among many: the first, which finds memory empty, faults for other reasons.
struct Paging {
  double wired_pages = 0.0;
  double compressed_pages = 0.0;  // that stayed in memory
  double swapped_pages = 0.0;
  double resident_bytes = 0.0;  // at the step's peak
  double seconds = 0.0;
  Interval interval_s{};

  double faults() const { return wired_pages + compressed_pages + swapped_pages; }
};

/// Whether a step that holds `peak_bytes` at once leaves pages unwired, or has them leave.
inline bool pages(const PagingUnit& unit, std::int64_t peak_bytes) {
  return double(peak_bytes) > std::min(unit.kept_bytes, unit.memory_bytes);
}

/// Whether its pages may not stay wired, by what the limit is off.
inline bool may_unwire(const PagingUnit& unit, std::int64_t peak_bytes) {
  return double(peak_bytes) > unit.kept_bytes * (1.0 - unit.kept_error);
}

/// Whether it pages, or may.
inline bool may_page(const PagingUnit& unit, std::int64_t peak_bytes) {
  return pages(unit, peak_bytes) || may_unwire(unit, peak_bytes);
}

/// `touched_bytes`: of all kernels' operands, added up. What doesn't fit leaves once and is read
/// back once: that is what the least recently used make of a step that uses its activations in the
/// reverse order of their making, as long as the rest fits. All 0 where the step pages nothing, but
/// for the far end of the interval of one that may.
Paging paging(const PagingUnit& unit, std::int64_t peak_bytes, double touched_bytes);

/// What to tell whoever asks of a step that holds `peak_bytes` at once; "" where it pages nothing.
std::string paging_note(const PagingUnit& unit, const Paging& found, std::int64_t peak_bytes);

/// A step's pages, and their seconds for each byte that its kernels touch.
struct PagingRate {
  Paging step;
  double s_per_byte = 0.0;
  Interval interval_s_per_byte{};

  /// What the step takes less, and more, at the ends of its pages' interval.
  Interval off_s() const {
    return {step.seconds - step.interval_s.lo, step.interval_s.hi - step.seconds};
  }
};

/// None where the step can't page anything. `touched_bytes()` is asked only where it may.
template <class Bytes>
std::optional<PagingRate> paging_rate(const std::optional<PagingUnit>& unit,
                                      std::int64_t peak_bytes, Bytes touched_bytes) {
  if (!unit || !may_page(*unit, peak_bytes)) return std::nullopt;
  const double touched = touched_bytes();
  if (touched <= 0.0) return std::nullopt;
  const Paging found = paging(*unit, peak_bytes, touched);
  return PagingRate{found,
                    found.seconds / touched,
                    {found.interval_s.lo / touched, found.interval_s.hi / touched}};
}

/// Of the device's "paging."; none where it names no page. `kept`: of the working set's limit, what
/// a process of the framework may hold. Without the compressor's two, nothing is compressed. Throws
/// DeviceError for some of the other constants without the rest.
std::optional<PagingUnit> paging_unit(const Device& device, const Number& kept);

}  // namespace siliconprof
