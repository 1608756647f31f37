#include "siliconprof/kernels/cpu/gemm_parts.h"

#include <gtest/gtest.h>

namespace siliconprof::cpu {
namespace {

GemmProduct<float> product(std::int64_t m, std::int64_t k, std::int64_t n, bool transpose_a) {
  static float somewhere = 0.0F;
  return {m, k, n,          &somewhere, transpose_a ? 1 : k, transpose_a ? m : 1, &somewhere,
          n, 1, &somewhere, n};
}

std::int64_t parts(std::int64_t m, std::int64_t k, std::int64_t n, bool transpose_a) {
  const GemmProduct<float> p = product(m, k, n, transpose_a);
  return parts_of(Multiplier<float>{p, false});
}

TEST(GemmParts, VeryDeepOnesHavePartsOf16384Terms) {
  EXPECT_EQ(parts(100, 40000, 100, false), 3);
  EXPECT_EQ(parts(100, 32767, 100, false), 1);
  EXPECT_EQ(parts(200, 40000, 200, false), 1) << "many results";
}

// Gradients of weights over many rows, where a core's own second cache holds them.
TEST(GemmParts, DeepOnesOfATransposedMatrixHaveFourWhereTheirSumsStayNear) {
  const bool near = gemm_kernels().float32.own_cache_bytes() >= std::int64_t{3} * 128 * 128 * 4;
  EXPECT_EQ(parts(128, 6000, 128, true), near ? 4 : 1);
  EXPECT_EQ(parts(128, 10000, 128, true), near ? 8 : 1);
  EXPECT_EQ(parts(128, 6000, 128, false), 1);
  EXPECT_EQ(parts(128, 4000, 128, true), 1);
  EXPECT_EQ(parts(4096, 6000, 4096, true), 1);
}

TEST(GemmParts, AreNotMoreThanTheirSumsHavePlace) { EXPECT_LE(parts(128, 8184040, 160, true), 32); }

// 1025 terms are three blocks of 342, 1026 of 342, 1024 two of 512: which needs most room?
TEST(GemmParts, HaveRoomForAnyOfThem) {
  for (std::int64_t k = 4096; k < 4110; ++k) {
    const GemmProduct<float> p = product(150, k, 130, true);
    for (std::int64_t part = 0; part < 4; ++part) {
      const GemmProduct<float> piece = part_of<float>(p, part, 4, nullptr);
      const Multiplier<float> multiplier{piece, false};
      EXPECT_LE(multiplier.b_room() + multiplier.a_room(), part_room(p, 4)) << k << " " << part;
    }
  }
}

TEST(GemmParts, EveryTermIsInOnePart) {
  const GemmProduct<float> p = product(10, 4101, 20, true);
  float sums = 0.0F;
  std::int64_t next = 0;
  for (std::int64_t part = 0; part < 4; ++part) {
    const GemmProduct<float> piece = part_of(p, part, 4, &sums);
    EXPECT_EQ(piece.a - p.a, next * 10);
    EXPECT_EQ(piece.b - p.b, next * 20);
    EXPECT_EQ(piece.c, &sums);
    EXPECT_GT(piece.k, 0);
    next += piece.k;
  }
  EXPECT_EQ(next, 4101);
}

}  // namespace
}  // namespace siliconprof::cpu
