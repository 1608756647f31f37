#pragma once

// The matmul kernel of an engine, from its library's products where this library's own tiles aren't
// quicker (tiles_suit). float16 and bfloat16 are widened to
// float32, multiplied and rounded once, or go to the library's own bfloat16 product; where the CPU
// has matrix tiles, halves go to those (half_product.h).

#include <array>
#include <cstdint>
#include <optional>

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/half_product.h"
#include "siliconprof/kernels/cpu/product_kernel.h"
#include "siliconprof/kernels/cpu/scratch.h"

namespace siliconprof::cpu {

void run_matmul(const ProductFunctions& functions, const KernelCall& call);
/// run_matmul where tiles take nothing but halves.
void multiply_by_library(const ProductFunctions& functions, const KernelCall& call);

/// What a product by this library's own tiles keeps for B in panels; none for others.
ScratchBytes matmul_panels_bytes(const OpCall& call, int threads);
/// What a product of halves by matrix tiles takes; nothing of others.
std::optional<HalfScratch> matmul_half_scratch(const OpCall& call, int threads);
/// Bytes of a product's operands in float32 that OpenBLAS copies into buffers of its own, which it
/// keeps: of each thread its share of A's rows and of B's columns, kCopiedTerms of them at a time.
/// Source: its driver/level3/level3.c and param.h.
std::int64_t copied_operand_bytes(const OpCall& call, int threads);
/// Rows of the result that are there in float32 at once when it is narrowed; of a product that
/// threads share.
std::int64_t most_rows_at_once(const OpCall& call, int threads);

inline constexpr std::array<ProductKernel, 1> kMatmulKernels{{{"matmul", run_matmul}}};

}  // namespace siliconprof::cpu
