#include "siliconprof/ops/bias.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/sum.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 2> kDims{"rows", "n"};

Signature signature(const OpCall& call) {
  const auto [rows, n] = first<2>(call.dims);
  return {{Shape{rows, n}, Shape{n}}, {Shape{rows, n}}};
}

Cost cost(const OpCall& call) {
  const auto [rows, n] = first<2>(call.dims);
  const std::int64_t size = size_bytes(call.dtype);
  const std::int64_t biases = rows > 0 ? n : 0;  // of no row, none is read
  return {.vector_flops = rows * n,
          .bytes_read = (rows * n + biases) * size,
          .bytes_written = rows * n * size};
}

// The gradient of x is that of y itself.
std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [rows, n] = first<2>(call.dims);
  const TensorId db = emit_gradient(trace, kSum, {1, rows, n}, call.dtype, {},
                                    {trace.add_view(cotangents[0], {1, rows, n})}, "db");
  return {cotangents[0], trace.add_view(db, {n})};
}

}  // namespace

constinit const Op kBias{
    .name = "bias",
    .summary = "y = x + b in each row; x, y (rows, n), b (n)",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = {},
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
    .updatable_outputs = 1,
};

}  // namespace siliconprof
