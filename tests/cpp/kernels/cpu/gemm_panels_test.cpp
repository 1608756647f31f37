#include "siliconprof/kernels/cpu/gemm_panels.h"

#include <gtest/gtest.h>

namespace siliconprof::cpu {
namespace {

TEST(GemmPanels, PartsAreEvenAndFewest) {
  EXPECT_EQ(even_part(30, 14), 10);
  EXPECT_EQ(even_part(28, 14), 14);
  EXPECT_EQ(even_part(5, 14), 5);
  EXPECT_EQ(even_part(0, 14), 1);
  EXPECT_EQ(panel_count(33, 32), 2);
}

TEST(GemmPanels, RowsWholePagesApartAreNoMoreThanTheCachesPlaces) {
  EXPECT_EQ(rows_that_fit(14, 4096, 8), 8);
  EXPECT_EQ(rows_that_fit(14, 3 * 4096, 8), 8);
  EXPECT_EQ(rows_that_fit(14, 2048, 8), 14);
  EXPECT_EQ(rows_that_fit(6, 4096, 8), 6);
  EXPECT_EQ(rows_that_fit(14, 0, 8), 14);
}

TEST(GemmPanels, RowsWholePagesApartAreAsManyAsOthersWherePlacesAreTwelve) {
  EXPECT_EQ(rows_that_fit(14, 4096, 12), 14);
}

}  // namespace
}  // namespace siliconprof::cpu
