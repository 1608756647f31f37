#include "siliconprof/devices/kernel_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

using Dims = std::map<std::string, std::int64_t>;
using Attributes = std::map<std::string, double>;

struct Found {
  std::string_view kernel;
  WorkAmounts amounts;
  double of(Work work) const { return amounts[static_cast<std::size_t>(work)]; }
};

Found found(const std::string& op, const Dims& dims, const Attributes& attributes = {}) {
  const Trace trace = single_op(op, dims, Dtype::Float32, attributes, false);
  const OpCall& call = trace.calls().front();
  return {kernel_name(call),
          work_amounts(kernel_name(call), call, call.op->cost(call), {1200.0, 7.0})};
}

TEST(KernelWork, AProductPaysForItsArithmeticAndItsThreeSurfaces) {
  const Found product = found("matmul", {{"batch", 2}, {"m", 33}, {"k", 1000}, {"n", 50}});
  EXPECT_EQ(product.of(Work::Start), 1.0);
  EXPECT_EQ(product.of(Work::Arithmetic), 2.0 * 2 * 33 * 1000 * 50);
  EXPECT_EQ(product.of(Work::Left), 4.0 * 2 * 33 * 1000);
  EXPECT_EQ(product.of(Work::Right), 4.0 * 2 * 1000 * 50);
  EXPECT_EQ(product.of(Work::Result), 4.0 * 2 * 33 * 50 * 3);  // 1000 terms in blocks of 384
  EXPECT_EQ(product.of(Work::Cached), 0.0);
  EXPECT_EQ(product.of(Work::Memory), 7.0);
}

TEST(KernelWork, ProductsGoByTheirLayout) {
  const Dims dims{{"m", 40}, {"k", 50}, {"n", 60}};
  EXPECT_EQ(found("linear", {{"rows", 40}, {"in", 50}, {"out", 60}}).kernel, "product_forward");
  EXPECT_EQ(found("matmul", dims, {{"transpose_b", 1.0}}).kernel, "product_forward");
  EXPECT_EQ(found("matmul", dims).kernel, "product_data_gradient");
  EXPECT_EQ(found("matmul", dims, {{"transpose_a", 1.0}}).kernel, "product_weight_gradient");
}

TEST(KernelWork, ProductsOfAShortSideAreAKernelOfTheirOwnAndMultiplyWholeVectors) {
  const Found few_columns = found("linear", {{"rows", 40}, {"in", 50}, {"out", 17}});
  EXPECT_EQ(few_columns.kernel, "product_thin");
  EXPECT_EQ(few_columns.of(Work::Arithmetic), 2.0 * 40 * 50 * 32);
  const Found batch = found("matmul", {{"batch", 3}, {"m", 40}, {"k", 50}, {"n", 17}});
  EXPECT_EQ(batch.of(Work::Arithmetic), 3 * few_columns.of(Work::Arithmetic));
  const Trace trace =
      single_op("linear", {{"rows", 40}, {"in", 50}, {"out", 17}}, Dtype::Float32, {}, false);
  const OpCall& call = trace.calls().front();
  const WorkAmounts usual = work_amounts(usual_kernel_name(call), call, call.op->cost(call), {});
  EXPECT_EQ(usual[std::size_t(Work::Arithmetic)], 2.0 * 40 * 50 * 17) << "by its layout's rates";
  EXPECT_EQ(few_columns.of(Work::Right), 4.0 * 50 * 17);
  for (const auto& [m, k, n] :
       {std::array<std::int64_t, 3>{32, 40, 40}, {40, 32, 40}, {40, 40, 32}}) {
    EXPECT_EQ(found("matmul", {{"m", m}, {"k", k}, {"n", n}}).kernel, "product_thin");
  }
  EXPECT_EQ(found("matmul", {{"m", 33}, {"k", 33}, {"n", 33}}).kernel, "product_data_gradient");
}

TEST(KernelWork, AProductWithAVectorStreamsItsMatrix) {
  const Found row = found("matmul", {{"batch", 3}, {"m", 1}, {"k", 50}, {"n", 60}});
  EXPECT_EQ(row.kernel, "matvec");
  EXPECT_EQ(row.of(Work::Cached), 1200.0);
  EXPECT_EQ(row.of(Work::Memory), 7.0);
  for (const Work work : {Work::Arithmetic, Work::Left, Work::Right, Work::Result}) {
    EXPECT_EQ(row.of(work), 0.0);
  }
  EXPECT_EQ(found("linear", {{"rows", 40}, {"in", 50}, {"out", 1}}).kernel, "matvec");
  EXPECT_EQ(found("matmul", {{"m", 40}, {"k", 1}, {"n", 60}}).kernel, "product_thin");
  const Found own = found("matvec", {{"m", 40}, {"n", 50}});
  EXPECT_EQ(own.kernel, "matvec");
  EXPECT_EQ(own.amounts, row.amounts);
}

TEST(KernelWork, SumsAlongTheLastAxisAreAKernelOfTheirOwn) {
  EXPECT_EQ(found("sum", {{"outer", 40}, {"size", 50}, {"inner", 1}}).kernel, "sum_rows");
  EXPECT_EQ(found("sum", {{"outer", 40}, {"size", 50}, {"inner", 2}}).kernel, "sum");
  EXPECT_EQ(found("argmax", {{"outer", 40}, {"size", 50}, {"inner", 1}}).kernel, "argmax");
}

TEST(KernelWork, AStreamLargerThanTheCacheStreamsItsBytesAlone) {
  const Trace trace = single_op("relu", {{"n", 150}}, Dtype::Float32, {}, false);
  const OpCall& call = trace.calls().front();
  const auto amounts = [&](const CallTraffic& traffic) {
    return work_amounts("relu", call, call.op->cost(call), traffic);
  };
  const WorkAmounts large = amounts({1200.0, 1000.0, 1200.0, 1000.0});
  EXPECT_EQ(large, (WorkAmounts{1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1200.0}));
  const WorkAmounts others = amounts({1200.0, 1000.0});
  EXPECT_EQ(others, (WorkAmounts{1.0, 0.0, 0.0, 0.0, 0.0, 1200.0, 1000.0, 0.0}));
  const Trace product =
      single_op("matmul", {{"m", 40}, {"k", 40}, {"n", 40}}, Dtype::Float32, {}, false);
  const OpCall& multiplied = product.calls().front();
  const WorkAmounts same = work_amounts("product_data_gradient", multiplied,
                                        multiplied.op->cost(multiplied), {9.0, 7.0, 9.0, 7.0});
  EXPECT_EQ(same[std::size_t(Work::Memory)], 7.0);
  EXPECT_EQ(same[std::size_t(Work::Streamed)], 0.0);
}

TEST(KernelWork, ASortPaysForItsComparisons) {
  const Found sort = found("sort", {{"outer", 2}, {"size", 8}, {"inner", 1}});
  EXPECT_EQ(sort.of(Work::Arithmetic), 2.0 * 17);  // of 8 numbers, at the worst
  EXPECT_EQ(sort.of(Work::Cached), 0.0);
  const Found back = found("sort_backward", {{"outer", 2}, {"size", 8}, {"inner", 1}});
  EXPECT_EQ(back.of(Work::Arithmetic), 0.0);
  EXPECT_EQ(back.of(Work::Cached), 1200.0);
}

TEST(KernelWork, AConvolutionMultipliesWholeVectorsOfOutputsAndWritesEachOnce) {
  const Found conv = found(
      "conv1d", {{"batch", 2}, {"length", 10}, {"channels", 3}, {"outputs", 9}, {"kernel", 2}});
  // 9 windows of 2 taps in each of 2 sequences: 36 pairs of a window and a tap.
  EXPECT_EQ(conv.kernel, "conv2d");
  EXPECT_EQ(conv.of(Work::Arithmetic), 2.0 * 36 * 3 * 16);
  EXPECT_EQ(conv.of(Work::Left), 0.0);
  EXPECT_EQ(conv.of(Work::Right), 4.0 * 9 * 2 * 3);
  EXPECT_EQ(conv.of(Work::Result), 4.0 * 18 * 9);
  const Found padded = found(
      "conv1d", {{"batch", 2}, {"length", 10}, {"channels", 3}, {"outputs", 5}, {"kernel", 3}},
      {{"padding", 1.0}});
  EXPECT_EQ(padded.of(Work::Arithmetic), 2.0 * 2 * (3 * 8 + 2 * 2) * 3 * 8);  // half a vector
  EXPECT_EQ(padded.of(Work::Result), 4.0 * 2 * 10 * 5);
}

TEST(KernelWork, AConvolutionsGradientsVisitDataAndResultsForEachTap) {
  const Dims dims{{"batch", 2},   {"height", 9},   {"width", 9},   {"channels", 3},
                  {"outputs", 8}, {"kernel_h", 2}, {"kernel_w", 1}};
  constexpr double kTaps = 2.0 * 8 * 9 * 2;  // of 8 x 9 windows of 2 in each of 2 images
  const Found data = found("conv2d_data_backward", dims);
  EXPECT_EQ(data.of(Work::Arithmetic), 2 * kTaps * 8 * 8);
  EXPECT_EQ(data.of(Work::Left), 4 * kTaps * 3);
  EXPECT_EQ(data.of(Work::Right), 4.0 * 8 * 2 * 3);
  EXPECT_EQ(data.of(Work::Result), 4 * kTaps * 8);
  const Found weights = found("conv2d_weight_backward", dims);
  EXPECT_EQ(weights.of(Work::Arithmetic), 2 * kTaps * 3 * 8);
  EXPECT_EQ(weights.of(Work::Left), data.of(Work::Left));
  EXPECT_EQ(weights.of(Work::Result), data.of(Work::Result));
}

TEST(KernelWork, AttentionReadsItsKeysOnceForEachBlockOfQueries) {
  const Found attention = found(
      "attention", {{"batch", 1}, {"heads", 2}, {"queries", 65}, {"keys", 10}, {"head_dim", 8}});
  EXPECT_EQ(attention.of(Work::Left), 4.0 * 2 * 8 * 65);
  EXPECT_EQ(attention.of(Work::Right), 4.0 * 2 * 8 * 2 * 10 * 2);  // keys and values, two blocks
  EXPECT_EQ(attention.of(Work::Result), 4.0 * 2 * 8 * 2 * 10);
  const Found joined =
      found("attention_qkv", {{"batch", 1}, {"tokens", 4}, {"heads", 2}, {"head_dim", 8}});
  EXPECT_EQ(joined.kernel, "attention");
}

TEST(KernelWork, OtherOpsPayByTheByte) {
  const Found add = found("add", {{"n", 100}});
  EXPECT_EQ(add.kernel, "add");
  EXPECT_EQ(add.of(Work::Cached), 1200.0);
  EXPECT_EQ(add.of(Work::Arithmetic), 0.0);
}

TEST(KernelWork, NamesAreDistinctAndHoldProductsOpsAndClasses) {
  const auto names = kernel_names();
  EXPECT_EQ(std::set<std::string_view>(names.begin(), names.end()).size(), names.size());
  for (const std::string_view wanted : {"product_forward", "layer_norm", "elementwise"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), wanted), names.end()) << wanted;
  }
  EXPECT_EQ(std::find(names.begin(), names.end(), "conv1d"), names.end());
}

TEST(KernelWork, ConvolutionsOf3x3WindowsAtEveryPositionAreAKernelOfTheirOwn) {
  const auto kernel = [](const std::string& op, std::int64_t channels, std::int64_t side,
                         double stride) {
    const Dims dims{{"batch", 2},    {"height", 8},      {"width", 8},      {"channels", channels},
                    {"outputs", 32}, {"kernel_h", side}, {"kernel_w", side}};
    return found(op, dims, {{"stride", stride}, {"padding", 1.0}}).kernel;
  };
  EXPECT_EQ(kernel("conv2d", 32, 3, 1), "conv2d_3x3");
  EXPECT_EQ(kernel("conv2d_data_backward", 32, 3, 1), "conv2d_3x3_data_backward");
  EXPECT_EQ(kernel("conv2d_weight_backward", 32, 3, 1), "conv2d_3x3_weight_backward");
  EXPECT_EQ(kernel("conv2d", 3, 3, 1), "conv2d");
  EXPECT_EQ(kernel("conv2d", 32, 3, 2), "conv2d");
  EXPECT_EQ(kernel("conv2d_data_backward", 32, 5, 1), "conv2d_data_backward");
}

TEST(KernelWork, ConvolutionsOf3x3WindowsPayForWholeTilesOfPositions) {
  const Found conv = found("conv2d",
                           {{"batch", 2},
                            {"height", 5},
                            {"width", 9},
                            {"channels", 32},
                            {"outputs", 40},
                            {"kernel_h", 3},
                            {"kernel_w", 3}},
                           {{"padding", 1.0}});
  constexpr double kPositions = 2 * 6 * 10;  // 5 rows and 9 columns in tiles of 2
  EXPECT_EQ(conv.of(Work::Arithmetic), 2.0 * kPositions * 9 * 32 * 40);
  EXPECT_EQ(conv.of(Work::Left), 4.0 * kPositions * 9 * 32);
  EXPECT_EQ(conv.of(Work::Result), 4.0 * kPositions * 9 * 40);
  EXPECT_EQ(conv.of(Work::Right), 4.0 * 9 * 32 * 40);
  // Without padding there are fewer windows than data, whose gradient has a place for each.
  const Dims dims{{"batch", 1},    {"height", 8},   {"width", 8},   {"channels", 32},
                  {"outputs", 32}, {"kernel_h", 3}, {"kernel_w", 3}};
  EXPECT_EQ(found("conv2d", dims).of(Work::Arithmetic), 2.0 * 36 * 9 * 32 * 32);
  EXPECT_EQ(found("conv2d_data_backward", dims).of(Work::Arithmetic), 2.0 * 64 * 9 * 32 * 32);
  EXPECT_EQ(found("conv2d_weight_backward", dims).of(Work::Arithmetic), 2.0 * 36 * 9 * 32 * 32);
}

TEST(KernelWork, ConvolutionsToFewOutputsAreAKernelOfTheirOwn) {
  const auto to = [](const char* op, std::int64_t outputs) {
    const Dims dims{{"batch", 2},         {"height", 9},   {"width", 9},   {"channels", 40},
                    {"outputs", outputs}, {"kernel_h", 3}, {"kernel_w", 3}};
    return found(op, dims).kernel;
  };
  EXPECT_EQ(to("conv2d", 8), "conv2d_narrow");
  EXPECT_EQ(to("conv2d", 9), "conv2d");
  EXPECT_EQ(to("conv2d_weight_backward", 8), "conv2d_weight_backward");
  EXPECT_EQ(found("conv1d",
                  {{"batch", 2}, {"length", 10}, {"channels", 3}, {"outputs", 8}, {"kernel", 2}})
                .kernel,
            "conv2d_narrow");
}

}  // namespace
}  // namespace siliconprof
