#pragma once

// A kernel that is made of matrix products, whichever library gives them.

#include <string_view>

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/product_functions.h"

namespace siliconprof::cpu {

struct ProductKernel {
  std::string_view op;
  void (*run)(const ProductFunctions&, const KernelCall&);
};

}  // namespace siliconprof::cpu
