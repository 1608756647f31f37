#include "siliconprof/ops/indexable.h"

#include <limits>

#include "siliconprof/core/error.h"

namespace siliconprof {

void check_indexable(const OpCall& call, std::size_t dim, std::int64_t count) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const std::int64_t size = call.dims[dim];
  if (size <= most && (size > 0 || count == 0)) return;
  throw ShapeError("[" + std::string(call.op->name) + "] " + std::string(call.op->dim_names[dim]) +
                   " is " + std::to_string(size) + "; needed: 1 to " + std::to_string(most) +
                   ", for indices of int32");
}

}  // namespace siliconprof
