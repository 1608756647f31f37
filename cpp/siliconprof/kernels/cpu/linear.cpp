#include "siliconprof/kernels/cpu/linear.h"

#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/cpu/float_operands.h"
#include "siliconprof/kernels/cpu/gemm_product.h"

namespace siliconprof::cpu {
namespace {

/// The product without its operands.
template <class T>
GemmProduct<T> product_of(const OpCall& call) {
  const std::int64_t in = call.dims[1];
  const std::int64_t out = call.dims[2];
  return {.m = call.dims[0],
          .k = in,
          .n = out,
          .a = nullptr,
          .a_row = in,
          .a_column = 1,
          .b = nullptr,
          .b_row = 1,
          .b_column = in,
          .c = nullptr,
          .c_row = out};
}

}  // namespace

void run_linear(const KernelCall& k) {
  if (k.outputs[0].elements() == 0) return;
  with_element_type(k.call.dtype, [&]<class E>() {
    using T = Accumulator<E>;
    with_float_operands<T>(k, [&](const auto& operands, T* y) {
      GemmProduct<T> product = product_of<T>(k.call);
      product.a = operands[0];
      product.b = operands[1];
      product.bias = operands[2];
      product.c = y;
      multiply(k, product);
    });
  });
}

ScratchBytes linear_panels_bytes(const OpCall& call, int threads) {
  ScratchBytes bytes;
  with_element_type(call.dtype, [&]<class E>() {
    bytes = panels_bytes(product_of<Accumulator<E>>(call), threads);
  });
  return bytes;
}

}  // namespace siliconprof::cpu
