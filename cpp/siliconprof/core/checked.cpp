#include "siliconprof/core/checked.h"

#include <string>

#include "siliconprof/core/error.h"

namespace siliconprof {

std::int64_t checked_product(std::string_view place, std::span<const std::int64_t> sizes) {
  std::int64_t product = 1;
  for (const std::int64_t size : sizes) {
    if (__builtin_mul_overflow(product, size, &product)) {
      std::string listed;
      for (const std::int64_t s : sizes) listed += (listed.empty() ? "" : "*") + std::to_string(s);
      throw ShapeError("[" + std::string(place) + "] the product of sizes " + listed +
                       " is above 2^63-1; needed: a tensor that can be addressed");
    }
  }
  return product;
}

}  // namespace siliconprof
