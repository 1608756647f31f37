#include "siliconprof/kernels/cpu/gemm_panels.h"

#include <gtest/gtest.h>

#include <vector>

namespace siliconprof::cpu {
namespace {

TEST(GemmPanels, AreTheColumnsOfTheMatrixHoweverItIsStoredAndThenZeros) {
  constexpr std::int64_t kRows = 37;
  constexpr std::int64_t kColumns = 5;
  constexpr std::int64_t kWidth = 8;
  std::vector<float> matrix(kRows * kColumns);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = float(i + 1);
  for (const bool transposed : {false, true}) {
    std::vector<float> panel(kRows * kWidth + 1, 77.0F);
    pack_panel(matrix.data(), transposed ? 1 : kColumns, transposed ? kRows : 1, kRows, kColumns,
               kWidth, panel.data());
    for (std::int64_t i = 0; i < kRows; ++i) {
      for (std::int64_t j = 0; j < kWidth; ++j) {
        const std::int64_t at = transposed ? j * kRows + i : i * kColumns + j;
        EXPECT_EQ(panel[std::size_t(i * kWidth + j)], j < kColumns ? float(at + 1) : 0.0F);
      }
    }
    EXPECT_EQ(panel.back(), 77.0F);
  }
}

TEST(GemmPanels, PartsAreEvenAndFewest) {
  EXPECT_EQ(even_part(30, 14), 10);
  EXPECT_EQ(even_part(28, 14), 14);
  EXPECT_EQ(even_part(5, 14), 5);
  EXPECT_EQ(even_part(0, 14), 1);
  EXPECT_EQ(panel_count(33, 32), 2);
}

TEST(GemmPanels, RowsWholePagesApartAreFewerThanTheCachesPlaces) {
  EXPECT_EQ(rows_that_fit(14, 4096), 8);
  EXPECT_EQ(rows_that_fit(14, 3 * 4096), 8);
  EXPECT_EQ(rows_that_fit(14, 2048), 14);
  EXPECT_EQ(rows_that_fit(6, 4096), 6);
  EXPECT_EQ(rows_that_fit(14, 0), 14);
}

}  // namespace
}  // namespace siliconprof::cpu
