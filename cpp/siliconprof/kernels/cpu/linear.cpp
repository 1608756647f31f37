#include "siliconprof/kernels/cpu/linear.h"

#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/cpu/float_operands.h"
#include "siliconprof/kernels/cpu/gemm_product.h"

namespace siliconprof::cpu {

void run_linear(const KernelCall& k) {
  const std::int64_t rows = k.call.dims[0];
  const std::int64_t in = k.call.dims[1];
  const std::int64_t out = k.call.dims[2];
  if (k.outputs[0].elements() == 0) return;
  with_element_type(k.call.dtype, [&]<class E>() {
    using T = Accumulator<E>;
    with_float_operands<T>(k, [&](const auto& operands, T* y) {
      multiply(k, GemmProduct<T>{.m = rows,
                                 .k = in,
                                 .n = out,
                                 .a = operands[0],
                                 .a_row = in,
                                 .a_column = 1,
                                 .b = operands[1],
                                 .b_row = 1,
                                 .b_column = in,
                                 .c = y,
                                 .c_row = out,
                                 .bias = operands[2]});
    });
  });
}

}  // namespace siliconprof::cpu
