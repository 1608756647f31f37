#include "siliconprof/kernels/cpu/winograd_tiles.h"

#include <gtest/gtest.h>

#include <vector>

namespace siliconprof::cpu {
namespace {

TEST(WinogradTiles, CoverTheResultsImageByImage) {
  const WinogradTiles tiles = WinogradTiles::of_results(2, 5, 4);
  EXPECT_EQ(tiles.count(), 2 * 3 * 2);
  const WinogradTile last_of_first = tiles.at(5);
  EXPECT_EQ(last_of_first.image, 0);
  EXPECT_EQ(last_of_first.row, 4);
  EXPECT_EQ(last_of_first.column, 2);
  EXPECT_EQ(tiles.at(6).image, 1);
  EXPECT_EQ(tiles.at(6).row, 0);
}

TEST(WinogradTiles, PixelsOutsideAnImageAreNotThoseOfItsNeighbour) {
  std::vector<int> pixels(2 * 2 * 3 * 8);
  int outside = 0;
  const Images<int> images{pixels.data(), 2, 3, 8};
  const auto square = images.square<3>({1, 0, 1}, &outside);
  EXPECT_EQ(square[0], pixels.data() + (6 + 1) * 8);
  EXPECT_EQ(square[1], pixels.data() + (6 + 2) * 8);
  EXPECT_EQ(square[2], &outside);
  EXPECT_EQ(square[4], pixels.data() + (6 + 3 + 2) * 8);
  EXPECT_EQ(square[6], &outside);
  EXPECT_EQ(images.square<2>({0, -1, -1}, &outside)[3], pixels.data());
}

}  // namespace
}  // namespace siliconprof::cpu
