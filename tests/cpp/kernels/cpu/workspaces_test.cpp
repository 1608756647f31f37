#include "siliconprof/kernels/cpu/workspaces.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "siliconprof/core/huge_pages.h"
#include "siliconprof/kernels/cpu/attention_halves.h"
#include "siliconprof/kernels/cpu/attention_kernels.h"
#include "siliconprof/kernels/cpu/bound_trace.h"
#include "siliconprof/kernels/cpu/convolution.h"
#include "siliconprof/kernels/cpu/convolution_halves.h"
#include "siliconprof/kernels/cpu/gemm_product.h"
#include "siliconprof/kernels/cpu/half_choice.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof::cpu {
namespace {

// 512 is whole vectors in any instruction set, and the gradient too large for a second sum.
constexpr std::int64_t kBytes = 512 * 512 * 3 * 3 * 4;

/// Of square images and windows of 3 x 3.
Trace conv2d(std::int64_t batch, std::int64_t side, std::int64_t channels, std::int64_t outputs,
             double padding, bool vjp, Dtype dtype = Dtype::Float32) {
  return single_op("conv2d",
                   {{"batch", batch},
                    {"height", side},
                    {"width", side},
                    {"channels", channels},
                    {"outputs", outputs},
                    {"kernel_h", 3},
                    {"kernel_w", 3}},
                   dtype, {{"padding", padding}}, vjp);
}

Trace convolution(bool vjp) { return conv2d(2, 4, 512, 512, 0, vjp); }

std::int64_t bytes_of(const Trace& trace, std::string_view name) {
  for (const Workspace& each : workspaces(trace, 2)) {
    if (each.name == name) return each.bytes;
  }
  return 0;
}

TEST(Workspaces, AConvolutionKeepsItsWeightsInPanels) {
  EXPECT_EQ(bytes_of(convolution(false), "scratch of kernels"), kBytes);
}

TEST(Workspaces, PartialSumsOfItsGradientLieWhereThePanelsDid) {
  EXPECT_EQ(bytes_of(convolution(true), "scratch of kernels"), kBytes);
}

TEST(Workspaces, WinogradsFactorsAreKeptByEachThread) {
  const auto trace = [](bool vjp) { return conv2d(64, 8, 64, 96, 1, vjp); };
  const OpCall call = trace(false).calls().front();
  const WinogradBytes bytes = convolution_bytes(call, 2);
  EXPECT_EQ(bytes.blocks > 0, winograd_suits<float>(convolution_of(call)));
  EXPECT_EQ(bytes_of(trace(false), "scratch of kernels"), bytes.shared + bytes.blocks);
  EXPECT_GE(bytes_of(trace(true), "scratch of kernels"), bytes.shared + bytes.blocks);
}

// In bfloat16 by products of halves, which copy windows as they pack them.
TEST(Workspaces, AConvolutionByHalvesHasNoOperandsInFloat32) {
  const Trace trace = conv2d(8, 8, 64, 96, 1, false, Dtype::BFloat16);
  const OpCall call = trace.calls().front();
  if (half_machine() == nullptr) {
    EXPECT_EQ(bytes_of(trace, "operands in float32"),
              4 * (8 * 64 * 64 + 96 * 9 * 64 + 8 * 64 * 96));
    return;
  }
  EXPECT_EQ(bytes_of(trace, "operands in float32"), 0);
  const HalfScratch scratch = convolution_half_scratch(call, *half_machine(), 2);
  EXPECT_EQ(bytes_of(trace, "scratch of kernels"), scratch.panels.caller + scratch.panels.other);
}

// Sums of dk and dv: 2·100 keys of 64, for each thread; and what the loops of each take.
TEST(Workspaces, AttentionKeepsSumsAndLoopsOfEachThread) {
  const std::map<std::string, std::int64_t> dims{
      {"heads", 2}, {"queries", 10}, {"keys", 100}, {"head_dim", 64}};
  const auto bytes = [&dims](bool vjp) {
    return bytes_of(single_op("attention", dims, Dtype::Float32, {}, vjp), "scratch of kernels");
  };
  EXPECT_EQ(bytes(false), 2 * attention_scratch(64) * 4);
  EXPECT_EQ(bytes(true), bytes(false) + 2 * 2 * 100 * 64 * 4);
}

// In bfloat16 by products of halves: a head's keys and values lie in panels, too.
TEST(Workspaces, AttentionByHalvesKeepsPanels) {
  const std::map<std::string, std::int64_t> dims{
      {"heads", 2}, {"queries", 64}, {"keys", 100}, {"head_dim", 64}};
  const auto bytes = [&dims](bool vjp) {
    return bytes_of(single_op("attention", dims, Dtype::BFloat16, {}, vjp), "scratch of kernels");
  };
  const bool by_halves = half_machine() != nullptr;
  EXPECT_EQ(bytes(false),
            2 * 4 * (by_halves ? attention_half_scratch(100, 64) : attention_scratch(64)));
  EXPECT_EQ(bytes(true), bytes(false) + 2 * 4 * 2 * (by_halves ? 128 : 100) * 64);
}

TEST(Workspaces, ALargeProductIsCopiedByOpenBlasWhereItMultiplies) {
  const Trace trace =
      single_op("matmul", {{"m", 4500}, {"k", 1600}, {"n", 1600}}, Dtype::Float32, {}, false);
  const bool tiled = tiles_suit(Dtype::Float32, 4500, 1600, 1600, false);
  EXPECT_EQ(bytes_of(trace, "operands that OpenBLAS copies"), tiled ? 0 : (4096 + 640) * 320 * 4);
  EXPECT_EQ(bytes_of(trace, "scratch of kernels") > 0, tiled);
}

// x (100, 200), weight (64, 200), bias (64) and the results (100, 64); a float32 layer has none,
// nor has one by matrix tiles.
TEST(Workspaces, HalvesAreThereInFloat32WhereNoTilesMultiply) {
  const std::map<std::string, std::int64_t> dims{{"rows", 100}, {"in", 200}, {"out", 64}};
  const auto bytes = [&dims](Dtype dtype) {
    return bytes_of(single_op("linear", dims, dtype, {}, false), "operands in float32");
  };
  const std::int64_t wide = (20000 + 12800 + 64 + 6400) * 4;
  EXPECT_EQ(bytes(Dtype::BFloat16), half_machine() == nullptr ? wide : 0);
  EXPECT_EQ(bytes(Dtype::Float16), wide);
  EXPECT_EQ(bytes(Dtype::Float32), 0);
}

// 4 panels of rows and 2 of columns, of 7 steps; too little for a second thread that has matrix
// tiles, and with dot products a panel of columns for each.
TEST(Workspaces, HalvesByMatrixTilesKeepRowsAndColumnsInPanels) {
  if (half_machine() == nullptr) GTEST_SKIP() << "this CPU widens bfloat16 to float32";
  const std::int64_t panels = half_machine()->tiles->instruction_set == "amx" ? 4 + 2 : 2 * (4 + 1);
  const Trace trace = single_op("matmul", {{"m", 100}, {"k", 200}, {"n", 64}}, Dtype::BFloat16,
                                {{"transpose_a", 1}}, false);
  EXPECT_EQ(bytes_of(trace, "scratch of kernels"), panels * 7 * 2048);
  EXPECT_EQ(bytes_of(trace, "operands that OpenBLAS copies"), 0);
}

TEST(Workspaces, AProductOfHalvesHasAsManyRowsInFloat32AsGoToTheLibrary) {
  const Trace trace = single_op("matmul", {{"m", 9000}, {"k", 100}, {"n", 40}}, Dtype::Float16,
                                {{"transpose_a", 1}}, false);
  EXPECT_EQ(bytes_of(trace, "operands in float32"), (900000 + 4000 + 4096 * 40) * 4);
}

// float16 that holds an infinity is multiplied in float32.
TEST(Workspaces, Float16ByMatrixTilesHasRoomForFloat32Too) {
  const std::map<std::string, std::int64_t> dims{{"rows", 256}, {"in", 256}, {"out", 256}};
  const Trace trace = single_op("linear", dims, Dtype::Float16, {}, false);
  EXPECT_EQ(bytes_of(trace, "operands in float32"), (3 * 65536 + 256) * 4);
}

TEST(Workspaces, PagesEndAfterBlocksAndScratch) {
  const Trace trace = convolution(false);
  std::int64_t bytes = on_huge_pages(kBytes) - kBytes;
  for (const std::int64_t block : block_bytes(trace)) bytes += on_huge_pages(block) - block;
  EXPECT_EQ(bytes_of(trace, "ends of huge pages"), bytes);
}

TEST(Workspaces, SmallOpsKeepNone) {
  EXPECT_TRUE(workspaces(single_op("copy", {{"n", 9}}, Dtype::Float32, {}, false), 2).empty());
}

}  // namespace
}  // namespace siliconprof::cpu
