#include "siliconprof/kernels/cpu/piece_pacer.h"

#include <gtest/gtest.h>

namespace siliconprof::cpu {
namespace {

TEST(PiecePacer, AllowsWhatTheFirstGuessDoesInTheLongestPiece) {
  EXPECT_DOUBLE_EQ(PiecePacer(50e9).most_flops(), 5e9);
}

TEST(PiecePacer, TakesAFasterMachineAtItsWord) {
  PiecePacer pacer(50e9);
  pacer.add(4e9, 0.01);
  EXPECT_DOUBLE_EQ(pacer.most_flops(), 40e9);
}

TEST(PiecePacer, ComesDownByHalvesWhenPiecesAreSlow) {
  PiecePacer pacer(400e9);
  pacer.add(20e9, 0.1);
  EXPECT_DOUBLE_EQ(pacer.most_flops(), 30e9);
  pacer.add(20e9, 0.1);
  EXPECT_DOUBLE_EQ(pacer.most_flops(), 25e9);
}

TEST(PiecePacer, IgnoresPiecesTooShortToTell) {
  PiecePacer pacer(50e9);
  pacer.add(1e3, 1e-6);
  EXPECT_DOUBLE_EQ(pacer.most_flops(), 5e9);
}

}  // namespace
}  // namespace siliconprof::cpu
