#include "siliconprof/kernels/cpu/linear.h"

#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/cpu/float_operands.h"
#include "siliconprof/kernels/cpu/gemm_product.h"
#include "siliconprof/kernels/cpu/half_choice.h"

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

HalfProduct half_product_of(const OpCall& call) {
  return half_product(call.dtype, product_of<float>(call));
}

bool takes_half_tiles(const OpCall& call) {
  return size_bytes(call.dtype) == 2 && half_tiles_suit(half_product_of(call));
}

/// True where matrix tiles multiplied.
bool multiply_by_half_tiles(const KernelCall& k) {
  if (!takes_half_tiles(k.call)) return false;
  HalfProduct product = half_product_of(k.call);
  product.a = k.inputs[0].as<const std::uint16_t>();
  product.b = k.inputs[1].as<const std::uint16_t>();
  product.bias = k.inputs[2].as<const std::uint16_t>();
  product.c = k.outputs[0].as<std::uint16_t>();
  const bool done = multiply_halves(k, product, *half_machine());
  wide_scratch().trim();
  return done;
}

}  // namespace

void run_linear(const KernelCall& k) {
  if (k.outputs[0].elements() == 0 || multiply_by_half_tiles(k)) return;
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

std::optional<HalfScratch> linear_half_scratch(const OpCall& call, int threads) {
  if (!takes_half_tiles(call)) return std::nullopt;
  return half_scratch(half_product_of(call), *half_machine(), threads);
}

ScratchBytes linear_panels_bytes(const OpCall& call, int threads) {
  ScratchBytes bytes;
  with_element_type(call.dtype, [&]<class E>() {
    bytes = panels_bytes(product_of<Accumulator<E>>(call), 1, threads);
  });
  return bytes;
}

}  // namespace siliconprof::cpu
