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

std::int64_t checked_sum(std::string_view place, std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    throw ShapeError("[" + std::string(place) + "] the sum of sizes " + std::to_string(a) + " + " +
                     std::to_string(b) + " is above 2^63-1; needed: memory that can be addressed");
  }
  return sum;
}

}  // namespace siliconprof
