#include "siliconprof/kernels/cpu/workspaces.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "siliconprof/core/huge_pages.h"
#include "siliconprof/kernels/cpu/attention_kernels.h"
#include "siliconprof/kernels/cpu/bound_trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof::cpu {
namespace {

// 512 is whole vectors in any instruction set, and the gradient too large for a second sum.
constexpr std::int64_t kBytes = 512 * 512 * 3 * 3 * 4;

Trace convolution(bool vjp) {
  return single_op("conv2d",
                   {{"batch", 2},
                    {"height", 4},
                    {"width", 4},
                    {"channels", 512},
                    {"outputs", 512},
                    {"kernel_h", 3},
                    {"kernel_w", 3}},
                   Dtype::Float32, {}, vjp);
}

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

TEST(Workspaces, AGradientOfWeightsIsCopiedByOpenBlas) {
  const Trace trace = single_op("matmul", {{"m", 9000}, {"k", 100}, {"n", 100}}, Dtype::Float32,
                                {{"transpose_a", 1}}, false);
  EXPECT_EQ(bytes_of(trace, "operands that OpenBLAS copies"), (4096 + 100) * 100 * 4);
}

// x (100, 40), weight (64, 40), bias (64) and the results (100, 64); a float32 layer has none.
TEST(Workspaces, HalvesAreThereInFloat32Too) {
  const std::map<std::string, std::int64_t> dims{{"rows", 100}, {"in", 40}, {"out", 64}};
  const auto bytes = [&dims](Dtype dtype) {
    return bytes_of(single_op("linear", dims, dtype, {}, false), "operands in float32");
  };
  EXPECT_EQ(bytes(Dtype::BFloat16), (4000 + 2560 + 64 + 6400) * 4);
  EXPECT_EQ(bytes(Dtype::Float32), 0);
}

TEST(Workspaces, AProductOfHalvesHasAsManyRowsInFloat32AsGoToTheLibrary) {
  const Trace trace = single_op("matmul", {{"m", 9000}, {"k", 100}, {"n", 80}}, Dtype::Float16,
                                {{"transpose_a", 1}}, false);
  EXPECT_EQ(bytes_of(trace, "operands in float32"), (900000 + 8000 + 4096 * 80) * 4);
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
