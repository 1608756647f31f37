#pragma once

// The check of a size that an op divides by or takes a largest of.

#include <string>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/op.h"

namespace siliconprof {

/// Throws ShapeError, naming the dim, unless it is at least 1.
inline void check_positive(const OpCall& call, std::size_t dim) {
  if (call.dims[dim] > 0) return;
  throw ShapeError("[" + std::string(call.op->name) + "] " + std::string(call.op->dim_names[dim]) +
                   " is " + std::to_string(call.dims[dim]) + "; needed: at least 1");
}

}  // namespace siliconprof
