#pragma once

// Deep products with few results: sums over parts of their depth, which threads share.

#include <algorithm>
#include <cstdint>

#include "siliconprof/core/rounding.h"
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
    return divided_up(p.k, kPartDepth);
  }
  // Where columns of A are brought together, rows of A and B that are whole are read sooner than
  // pieces of them, and no thread waits for another's panels: 0.9 of the time.
  constexpr std::int64_t kDeep = 4096;
  constexpr std::int64_t kPartsOfDeep = 4;
  constexpr std::int64_t kMostParts = 32;  // each keeps its results until the end
  const std::int64_t result_bytes = p.m * p.n * std::int64_t(sizeof(T));
  const bool stays = result_bytes <= multiplier.kernels.own_cache_bytes() / 3;
  if (!multiplier.choices.packs_a || p.a_column == 1 || !stays || p.k < kDeep) return 1;
  return std::min(kMostParts, divided_up(p.k, 2 * kDeep) * kPartsOfDeep);
}

/// One of the parts, whose results go to `c` without a bias.
template <class T>
GemmProduct<T> part_of(const GemmProduct<T>& p, std::int64_t part, std::int64_t parts, T* c) {
  const std::int64_t term = p.k * part / parts;
  GemmProduct<T> piece = p;
  piece.k = p.k * (part + 1) / parts - term;
  piece.a += term * p.a_column;
  piece.b += term * p.b_row;
  piece.c = c;
  piece.c_row = p.n;
  piece.bias = nullptr;
  return piece;
}

/// Numbers of a thread's room for any of them. The last has a term more than the first where they
/// differ, and may well have shorter blocks of terms.
template <class T>
std::int64_t part_room(const GemmProduct<T>& p, std::int64_t parts) {
  std::int64_t room = 0;
  for (const std::int64_t part : {std::int64_t{0}, parts - 1}) {
    const GemmProduct<T> piece = part_of<T>(p, part, parts, nullptr);
    const Multiplier<T> multiplier{piece, false};
    room = std::max(room, multiplier.room());
  }
  return room;
}

}  // namespace siliconprof::cpu
