#include "siliconprof/workloads/sizes.h"

#include "siliconprof/core/error.h"

namespace siliconprof {

std::int64_t ForwardConfig::at(std::string_view size, std::int64_t least, std::int64_t most,
                               std::string_view limit) const {
  const std::int64_t value = at(size);
  if (value >= least && value <= most) return value;
  const std::string needed = value < least ? "at least " + std::to_string(least)
                                           : "at most " + std::to_string(most) +
                                                 (limit.empty() ? ", the most of any size"
                                                                : " (" + std::string(limit) + ")");
  throw ArgumentError("[" + id + "] " + std::string(size) + " is " + std::to_string(value) +
                      "; needed: " + needed);
}

void ForwardConfig::check_divides(std::string_view divisor, std::string_view size) const {
  const std::int64_t d = at(divisor);
  const std::int64_t n = at(size);
  if (d > 0 && n % d == 0) return;
  std::int64_t fits = d < 1 ? 1 : d < n ? d : n;
  while (n % fits != 0) --fits;
  throw ArgumentError("[" + id + "] " + std::string(divisor) + " is " + std::to_string(d) +
                      "; needed: a divisor of " + std::string(size) + " " + std::to_string(n) +
                      ", as " + std::to_string(fits));
}

}  // namespace siliconprof
