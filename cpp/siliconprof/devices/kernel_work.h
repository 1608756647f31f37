#pragma once

// What a kernel's time is made of on a machine whose kernels were measured: amounts of work of
// several kinds, each with a rate of its own, added up. Products and convolutions pay for their
// arithmetic and for each of their three surfaces (packing the factors, updating the result);
// what streams pays by the byte. [goto2008]

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "siliconprof/ops/op.h"
#include "siliconprof/ops/reuse.h"

namespace siliconprof {

enum class Work : std::uint8_t { Start, Arithmetic, Left, Right, Result, Cached, Memory, Streamed };
inline constexpr int kWorkCount = 8;
/// The keys of their rates in a device file: "start_s", "arithmetic_flops_per_s",
/// "left_bytes_per_s", "right_bytes_per_s", "result_bytes_per_s", "cached_bytes_per_s",
/// "memory_bytes_per_s", "streamed_bytes_per_s".
std::span<const std::string_view> work_keys();

/// 1 for the start, FLOP for arithmetic, bytes for the others:
/// - of a product (m, k)·(k, n): left m·k, right k·n, result m·n for each block of the depth; of a
///   kernel of thin ones, arithmetic on whole vectors of columns;
/// - of a convolution: arithmetic on whole vectors of outputs, or half a vector of few, right the
///   weights, result the results; of its gradients left the data and result the results' gradient,
///   both tap by tap, and of the data's arithmetic on whole vectors of channels; of the kernel of 3
///   x 3 windows at every position, and its gradients, left and result tap by tap, these and the
///   arithmetic for whole tiles of 2 x 2 positions, padding too, which are transformed [lavin2016],
///   in bfloat16 alike, though a CPU with products of its own multiplies windows there;
/// - of attention: left the queries, right the keys and values once for each block of queries,
///   result the keys and values once;
/// - of a sort: arithmetic its comparisons;
/// - of any other op, and of products with a vector: cached what it reads and writes.
/// Memory is what crosses the edge of the cache and adds to all of these. Of what has cached bytes
/// a call that is larger than the cache has neither but streams them: results are written past the
/// cache then, and memory is asked for ahead of what is computed.
using WorkAmounts = std::array<double, kWorkCount>;

///
/// `kernel`: whose rates are asked for, a name that the call or its class goes by.
WorkAmounts work_amounts(std::string_view kernel, const OpCall& call, const Cost& cost,
                         const CallTraffic& traffic);

/// What the call is measured as. Products go by their layout: "product_forward" (both factors'
/// rows run along the depth), "product_data_gradient" (the left one's), "product_weight_gradient",
/// those of a short side as "product_thin", those of a side of 1 as "matvec"; convolutions of 3 x 3
/// windows at every position as "conv2d_3x3" and its gradients, those to few outputs as
/// "conv2d_narrow"; sums along the last axis as "sum_rows"; ops that share a kernel by one name:
/// "attention", "attention_backward", "conv2d", "conv2d_data_backward", "conv2d_weight_backward";
/// any other by its own.
std::string_view kernel_name(const OpCall& call);

/// The name without regard to short sides: whose rates serve where "product_thin", "conv2d_narrow"
/// or "sum_rows" has none.
std::string_view usual_kernel_name(const OpCall& call);

/// "product_thin" for a product of a short side, which serves where "matvec" has none; else the
/// name above.
std::string_view thin_kernel_name(const OpCall& call);

/// Every name that kernel_name gives, in table order, and those of op classes, whose rates stand
/// in for those of an op that wasn't measured.
std::span<const std::string_view> kernel_names();

}  // namespace siliconprof
