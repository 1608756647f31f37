#pragma once

// Deep products with few results: sums over parts of their depth, which threads share.

#include <cstdint>

#include "siliconprof/kernels/cpu/gemm_multiplier.h"
#include "siliconprof/kernels/cpu/gemm_product.h"

namespace siliconprof::cpu {

/// Parts of the depth that are summed on their own, as many for any number of threads; 1 for none.
template <class T>
std::int64_t parts_of(const Multiplier<T>& multiplier) {
  constexpr std::int64_t kPartDepth = 16384;
  constexpr std::int64_t kFewResults = 16384;
  const GemmProduct<T>& p = multiplier.p;
  if (p.k >= 2 * kPartDepth && p.m * p.n <= kFewResults) {
    return (p.k + kPartDepth - 1) / kPartDepth;
  }
  // Where columns of A are brought together, rows of A and B that are whole are read sooner than
  // pieces of them, and no thread waits for another's panels: 0.9 of the time.
  constexpr std::int64_t kDeep = 4096;
  constexpr std::int64_t kPartsOfDeep = 4;
  const std::int64_t result_bytes = p.m * p.n * std::int64_t(sizeof(T));
  const bool stays = result_bytes <= multiplier.kernels.own_cache_bytes() / 3;
  if (!multiplier.packs_a || p.a_column == 1 || !stays || p.k < kDeep) return 1;
  return (p.k + 2 * kDeep - 1) / (2 * kDeep) * kPartsOfDeep;
}

/// One of the parts, whose results go to `c` without a bias.
template <class T>
GemmProduct<T> part_of(const GemmProduct<T>& p, std::int64_t part, std::int64_t parts, T* c) {
  const std::int64_t depth = (p.k + parts - 1) / parts;
  const std::int64_t term = part * depth;
  GemmProduct<T> piece = p;
  piece.k = std::min(depth, p.k - term);
  piece.a += term * p.a_column;
  piece.b += term * p.b_row;
  piece.c = c;
  piece.c_row = p.n;
  piece.bias = nullptr;
  return piece;
}

}  // namespace siliconprof::cpu
