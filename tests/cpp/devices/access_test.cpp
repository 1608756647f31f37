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
  const AccessUnit unit{.short_part = 0.5, .strided_part = 0.25};
  EXPECT_EQ(access_part(made_call("sum", 10, 64, 1), unit), 0.5);
  EXPECT_EQ(access_part(made_call("sum", 10, 256, 1), unit), 1.0);
  // A row leaves no more lanes idle than it has elements less: none takes longer than a longer one.
  EXPECT_EQ(access_part(made_call("sum", 10, 192, 1), unit), 0.75);
  EXPECT_EQ(access_part(made_call("sum", 10, 255, 1), unit), 255.0 / 256.0);
  EXPECT_EQ(access_part(made_call("sum", 10, 255, 2), unit), 0.25);
  EXPECT_EQ(access_part(made_call("gather", 64, 1000, 16), unit), 1.0);
}

TEST(Access, WhereElementsHaveARateShortRowsSlowThemAlone) {
  EXPECT_EQ(access_part(made_call("sum", 10, 100, 1), kUnit), 1.0);
  EXPECT_DOUBLE_EQ(elements_s(made_call("sum", 10, 100, 1), kUnit), 1000 / 5e5);
}

TEST(Access, RowsFillUpTheRoomThatOneTakes) {
  const AccessUnit unit{.strided_part = 0.5, .least_row = 128};
  EXPECT_EQ(access_part(made_call("sum", 10, 32, 1), unit), 0.25);
  EXPECT_EQ(access_part(made_call("sum", 10, 64, 2), unit), 0.25);
  EXPECT_EQ(access_part(made_call("sum", 10, 128, 2), unit), 0.5);
  EXPECT_EQ(access_part(made_call("sum", 10, 0, 2), unit), 0.5);
}

TEST(Access, LongRowsThatAreReadAgainStream) {
  const AccessUnit unit{.elements_per_s = 1e6, .long_passes = 1.0};
  EXPECT_EQ(elements_s(made_call("softmax", 2, kLongRow, 1), unit), 2.0 * kLongRow / 1e6);
  EXPECT_EQ(elements_s(made_call("softmax", 2, kLongRow + 1, 1), unit), 0.0);
  EXPECT_GT(elements_s(made_call("softmax", 2, kLongRow + 1, 1), kUnit), 0.0);
}

TEST(Access, RowsTakeTheirTimeHoweverShort) {
  const AccessUnit unit{.rows_per_s = 1e3};
  EXPECT_DOUBLE_EQ(rows_s(made_call("sum", 10, 7, 3), unit), 30 / 1e3);
  EXPECT_EQ(rows_s(made_call("sum", 10, 7, 3), {}), 0.0);
  EXPECT_EQ(rows_s(made_call("gather", 64, 1000, 16), unit), 0.0);
}

TEST(Access, PlacesThatAKernelBeforeFindsAreBytesAndGoThroughTheElementsTwice) {
  const AccessUnit unit{.elements_per_s = 1e6, .place_bytes = 32.0};
  EXPECT_DOUBLE_EQ(elements_s(made_call("gather", 64, 1000, 16), unit), 2.0 * 16000 / 1e6);
  EXPECT_EQ(again_bytes(made_call("gather", 64, 1000, 16), unit), 32.0 * 16000);
  EXPECT_DOUBLE_EQ(elements_s(made_call("sum", 2, 3, 5), unit), 30 / 1e6);
  EXPECT_EQ(again_bytes(made_call("sum", 2, 3, 5), unit), 0.0);
}

TEST(Access, WritesToOneRowWaitForEachOther) {
  const AccessUnit unit{.same_row_s = 1e-8};
  EXPECT_DOUBLE_EQ(queued_s(made_call("scatter", 64, 1000, 16), unit), 1e-8 * 1000 / 64);
  EXPECT_EQ(queued_s(made_call("scatter", 64, 1000, 16), {}), 0.0);
  EXPECT_EQ(queued_s(made_call("sum", 64, 1000, 16), unit), 0.0);
}

TEST(Access, RowsThatLieFarApartLeaveAPartOfTheRates) {
  const AccessUnit unit{.strided_part = 0.5, .far_part = 0.25};
  EXPECT_EQ(access_part(made_call("sum", 1, 64, kFarRowBytes / 4), unit), 0.5);
  EXPECT_EQ(access_part(made_call("sum", 1, 64, kFarRowBytes / 4 + 1), unit), 0.5 * 0.25);
}

TEST(Access, ElementsOfOneDimensionAreTakenOneByOne) {
  const std::array<std::int64_t, 1> dims{5000};
  const OpCall call = make_call(find_op("relu"), dims, Dtype::Float32, {});
  EXPECT_EQ(walked_elements(call), 5000.0);
  EXPECT_DOUBLE_EQ(elements_s(call, kUnit), 5000 / 1e6);
}

TEST(Access, LongRowsAreReadAgainByTheCoresThatHaveOne) {
  const AccessUnit unit{.cores = 4, .long_passes = 2.0};
  const OpCall two = made_call("softmax", 2, 10000, 1);
  EXPECT_EQ(access_part(two, unit), 0.5);
  EXPECT_EQ(again_bytes(two, unit), 2.0 * 20000 * 4 / 0.5);
  EXPECT_EQ(access_part(made_call("softmax", 8, 10000, 1), unit), 1.0);
  EXPECT_EQ(again_bytes(made_call("softmax", 8, kLongRow, 1), unit), 0.0);
  EXPECT_EQ(again_bytes(two, {.cores = 4}), 0.0);
}

OpCall made_product(std::int64_t m, std::int64_t k, std::int64_t n, std::int64_t batch = 1) {
  const std::array<std::int64_t, 4> dims{batch, m, k, n};
  const std::array<double, 2> plain{0.0, 0.0};
  return make_call(find_op("matmul"), dims, Dtype::Float32, plain);
}

TEST(Access, NoLongRowsTakeNoTime) {
  const AccessUnit unit{.cores = 4, .long_passes = 2.0};
  const OpCall none = made_call("softmax", 0, 10000, 1);
  EXPECT_EQ(access_part(none, unit), 1.0);
  EXPECT_EQ(again_bytes(none, unit), 0.0);
}

TEST(Access, AProductOfFewerTilesThanCoresLeavesCoresIdle) {
  const AccessUnit unit{.few_tiles_part = 0.5, .cores = 4};
  EXPECT_EQ(access_part(made_product(64, 10000, 192), unit), 0.75);
  EXPECT_EQ(access_part(made_product(64, 10000, 64), unit), 0.5);
  EXPECT_EQ(access_part(made_product(128, 10000, 128), unit), 1.0);
  EXPECT_EQ(access_part(made_product(32, 10000, 32), unit), 0.5);
}

// A tile takes its time however little is in it.
TEST(Access, AnotherRowMakesNoProductQuicker) {
  const AccessUnit unit{.few_tiles_part = 0.1, .cores = 16};
  double before_s = 0.0;
  for (std::int64_t rows = 1; rows < 300; ++rows) {
    const double now_s = double(rows) / access_part(made_product(rows, 1000, 192), unit);
    EXPECT_GE(now_s, before_s * (1.0 - 1e-12)) << rows;
    before_s = now_s;
  }
}

TEST(Access, AProductsRowsLieFarApartWhereItsDepthIsLong) {
  const AccessUnit unit{.far_part = 0.25};
  EXPECT_EQ(access_part(made_product(64, kFarRowBytes / 4, 64), unit), 1.0);
  EXPECT_EQ(access_part(made_product(64, kFarRowBytes / 4 + 1, 64), unit), 0.25);
}

TEST(Access, LongSidesAndThinResultsLeaveAPartOfTheArithmetic) {
  const AccessUnit unit{.long_side_part = 0.25, .thin_part = 0.5};
  EXPECT_EQ(arithmetic_part(made_product(kLongSide, 64, 64), unit), 1.0);
  EXPECT_EQ(arithmetic_part(made_product(kLongSide + 1, 64, 64), unit), 0.25);
  EXPECT_EQ(arithmetic_part(made_product(64, kLongSide + 1, 96), unit), 0.25 * 0.75);
  EXPECT_EQ(arithmetic_part(made_product(64, kLongSide + 1, 96), {}), 1.0);
  EXPECT_EQ(arithmetic_part(made_product(64, 64, 63), unit), 1.0);
  EXPECT_EQ(arithmetic_part(made_product(64, 64, 63, 2), unit), 0.5);
  EXPECT_EQ(arithmetic_part(made_product(64, kLongSide + 1, 64, 2), unit), 1.0);
  EXPECT_EQ(arithmetic_part(made_call("sum", 10, 7, 3), unit), 1.0);
}

TEST(Access, LayersAndTheirGradientsHaveNoLongSides) {
  const AccessUnit unit{.long_side_part = 0.25};
  OpCall gradient = made_product(kLongSide + 1, 64, 64);
  gradient.phase = Phase::Backward;
  EXPECT_EQ(arithmetic_part(gradient, unit), 1.0);
  const std::array<std::int64_t, 4> dims{1, kLongSide + 1, 64, 64};
  const std::array<double, 2> second_turned{0.0, 1.0};
  const OpCall layer = make_call(find_op("matmul"), dims, Dtype::Float32, second_turned);
  EXPECT_EQ(arithmetic_part(layer, unit), 1.0);
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
  const std::array<std::int64_t, 3> last{8, 125, 1};
  const std::array<std::int64_t, 3> middle{2, 250, 2};
  const std::array<double, 1> ascending{0.0};
  const OpCall near = make_call(find_op("sort"), last, Dtype::Float32, ascending);
  const OpCall apart = make_call(find_op("sort"), middle, Dtype::Float32, ascending);
  EXPECT_DOUBLE_EQ(elements_s(near, kUnit), 1000.0 / 5e5);
  EXPECT_DOUBLE_EQ(elements_s(apart, kUnit), 1000.0 / 2.5e5);
}

}  // namespace
}  // namespace siliconprof
