#include "siliconprof/devices/access.h"

#include <gtest/gtest.h>

#include "siliconprof/ops/table.h"

namespace siliconprof {
namespace {

OpCall made_call(std::string_view op, std::int64_t a, std::int64_t b, std::int64_t c) {
  const std::array<std::int64_t, 3> dims{a, b, c};
  return make_call(find_op(op), dims, Dtype::Float32, {});
}

constexpr AccessUnit kUnit{.elements_per_s = 1e6, .short_part = 0.5, .strided_part = 0.25};

TEST(Access, RowsByIndexCountWhatIsMovedAndSortsWhatIsSorted) {
  EXPECT_EQ(walked_elements(made_call("gather", 64, 1000, 16)), 16000.0);
  EXPECT_EQ(walked_elements(made_call("argmax", 2, 3, 5)), 30.0);
  EXPECT_EQ(elements_s(made_call("gather", 64, 1000, 16), kUnit), 0.016);
}

TEST(Access, ShortRowsAndAxesThatAreNotTheLastAreSlower) {
  EXPECT_EQ(access_part(made_call("sum", 10, 255, 1), kUnit), 0.5);
  EXPECT_EQ(access_part(made_call("sum", 10, 256, 1), kUnit), 1.0);
  EXPECT_EQ(access_part(made_call("sum", 10, 255, 2), kUnit), 0.25);
  EXPECT_EQ(access_part(made_call("gather", 64, 1000, 16), kUnit), 1.0);
}

OpCall made_product(std::int64_t m, std::int64_t k, std::int64_t n) {
  const std::array<std::int64_t, 4> dims{1, m, k, n};
  const std::array<double, 2> plain{0.0, 0.0};
  return make_call(find_op("matmul"), dims, Dtype::Float32, plain);
}

TEST(Access, AProductOfFewerTilesThanCoresLeavesCoresIdle) {
  const AccessUnit unit{.few_tiles_part = 0.5, .cores = 4};
  EXPECT_EQ(access_part(made_product(64, 10000, 3 * 64), unit), 0.75);
  EXPECT_EQ(access_part(made_product(64, 10000, 64), unit), 0.5);
  EXPECT_EQ(access_part(made_product(65, 10000, 65), unit), 1.0);
}

TEST(Access, ABiasAddedApartReadsAndWritesTheResultAgain) {
  EXPECT_EQ(again_bytes(made_product(10, 7, 20), {.result_passes = 2.0}), 2.0 * 200 * 4);
  EXPECT_EQ(again_bytes(made_product(10, 7, 20), {}), 0.0);
}

TEST(Access, OneRowIsNotShort) { EXPECT_EQ(access_part(made_call("sum", 1, 8, 1), kUnit), 1.0); }

TEST(Access, WithoutARateElementsCostNothing) {
  EXPECT_EQ(elements_s(made_call("gather", 64, 1000, 16), {}), 0.0);
}

TEST(Access, SortingAlongAnotherAxisIsSlowerByThatPart) {
  const std::array<std::int64_t, 3> last{4, 250, 1};
  const std::array<std::int64_t, 3> middle{2, 250, 2};
  const std::array<double, 1> ascending{0.0};
  const OpCall near = make_call(find_op("sort"), last, Dtype::Float32, ascending);
  const OpCall apart = make_call(find_op("sort"), middle, Dtype::Float32, ascending);
  EXPECT_DOUBLE_EQ(elements_s(near, kUnit), 1000.0 / 5e5);
  EXPECT_DOUBLE_EQ(elements_s(apart, kUnit), 1000.0 / 2.5e5);
}

}  // namespace
}  // namespace siliconprof
