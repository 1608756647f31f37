#include "siliconprof/ops/cost.h"

#include "siliconprof/core/checked.h"

namespace siliconprof {

Cost& Cost::operator+=(const Cost& other) {
  const auto sum = [](std::int64_t a, std::int64_t b) { return checked_sum("cost", a, b); };
  const Cost both{sum(matrix_flops, other.matrix_flops), sum(vector_flops, other.vector_flops),
                  sum(bytes_read, other.bytes_read), sum(bytes_written, other.bytes_written)};
  sum(both.matrix_flops, both.vector_flops);  // flops() and bytes() are numbers too
  sum(both.bytes_read, both.bytes_written);
  return *this = both;
}

}  // namespace siliconprof
