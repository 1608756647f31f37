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
  constexpr std::int64_t kFirstCache = 32 << 10;
  EXPECT_EQ(rows_that_fit(14, 4096, kFirstCache), 8);
  EXPECT_EQ(rows_that_fit(14, 3 * 4096, kFirstCache), 8);
  EXPECT_EQ(rows_that_fit(14, 2048, kFirstCache), 14);
  EXPECT_EQ(rows_that_fit(6, 4096, kFirstCache), 6);
  EXPECT_EQ(rows_that_fit(14, 0, kFirstCache), 14);
}

TEST(GemmPanels, RowsWholePagesApartAreAsManyAsOthersWherePlacesAreTwelve) {
  EXPECT_EQ(rows_that_fit(14, 4096, 48 << 10), 14);
  EXPECT_EQ(rows_that_fit(14, 4096, 44 << 10), 11);
}

TEST(GemmPanels, TakeMoreOfALargeSecondCacheWhereRowsDoNotStayThere) {
  constexpr std::int64_t kUsual = 384 << 10;
  constexpr std::int64_t kMiB = 1 << 20;
  for (const std::int64_t cache : {std::int64_t{0}, kMiB / 2, kMiB}) {
    EXPECT_EQ(panels_room_bytes(9 * kMiB, cache), kUsual);
  }
  EXPECT_EQ(panels_room_bytes(9 * kMiB, 2 * kMiB), 2 * kUsual);
  EXPECT_EQ(panels_room_bytes(2 * kMiB, 2 * kMiB), kUsual) << "rows that stay";
  EXPECT_EQ(wide_room_bytes(2 * kMiB), 2 * kUsual);
  EXPECT_EQ(wide_room_bytes(0), kUsual);
  EXPECT_EQ(panels_at_once(1000, 32, 4, kUsual), 3);
  EXPECT_EQ(panels_at_once(100000, 32, 4, kUsual), 1);
}

}  // namespace
}  // namespace siliconprof::cpu
