#include "siliconprof/ops/cost.h"

namespace siliconprof {

Cost& Cost::operator+=(const Cost& other) {
  matrix_flops += other.matrix_flops;
  vector_flops += other.vector_flops;
  bytes_read += other.bytes_read;
  bytes_written += other.bytes_written;
  return *this;
}

}  // namespace siliconprof
