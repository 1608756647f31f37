#include "siliconprof/kernels/cpu/window_rows.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "siliconprof/core/rounding.h"

namespace siliconprof::cpu {
namespace {

using Halves = std::vector<std::uint16_t>;

/// 1, 2, 3, ...: no element is a zero beside the data.
Halves counted(std::int64_t n) {
  Halves values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), std::uint16_t{1});
  return values;
}

/// Columns [column, column + columns) of rows [row, row + rows), row by row.
Halves made(const MadeRows& from, std::int64_t row, std::int64_t rows, std::int64_t column,
            std::int64_t columns) {
  const std::int64_t step = rounded_up(columns, kMadeChunk);
  Halves room(std::size_t(rows * step), 0xffff);
  from.make(row, rows, column, columns, {room.data(), step, kMadeChunk});
  Halves found;
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto begin = room.begin() + i * step;
    found.insert(found.end(), begin, begin + columns);
    for (std::int64_t j = columns; j < step; ++j) EXPECT_EQ(begin[j], 0) << "past the columns";
  }
  return found;
}

/// What row (image, i, j) of all windows has under tap (s, t), channel by channel.
Halves windows_of(const Halves& data, std::int64_t images, const GridAxis& rows,
                  const GridAxis& columns, std::int64_t channels) {
  Halves all;
  for (std::int64_t image = 0; image < images; ++image) {
    for (std::int64_t i = 0; i < rows.results; ++i) {
      for (std::int64_t j = 0; j < columns.results; ++j) {
        for (const GridTap& s : rows.taps) {
          for (const GridTap& t : columns.taps) {
            const std::int64_t y = i * rows.input_step + s.at;
            const std::int64_t x = j * columns.input_step + t.at;
            const bool on_data =
                y >= 0 && y < rows.input_length && x >= 0 && x < columns.input_length;
            for (std::int64_t c = 0; c < channels; ++c) {
              const std::int64_t at =
                  ((image * rows.input_length + y) * columns.input_length + x) * channels + c;
              all.push_back(on_data ? data[std::size_t(at)] : std::uint16_t{0});
            }
          }
        }
      }
    }
  }
  return all;
}

TEST(WindowRows, AreWhatWindowsSeeOfTheData) {
  constexpr std::int64_t kImages = 2;
  for (const WindowAxis& rows : {WindowAxis{5, 3, 1, 1}, {6, 2, 2, 1}, {3, 3, 1, 2}}) {
    for (const WindowAxis& columns : {WindowAxis{7, 3, 1, 1}, {4, 1, 3, 0}, {2, 4, 1, 3}}) {
      for (const std::int64_t channels : {1, 3, 11, 32, 40}) {
        const GridAxis down = window_grid(rows);
        const GridAxis across = window_grid(columns);
        const Halves data = counted(kImages * rows.length * columns.length * channels);
        const Halves all = windows_of(data, kImages, down, across, channels);
        const WindowRows windows(data.data(), down, across, channels);
        const std::int64_t count = kImages * down.results * across.results;
        const auto length = std::int64_t(all.size()) / count;
        EXPECT_EQ(made(windows, 0, count, 0, length), all) << channels;
        // From a whole chunk on, and as many as there are or fewer.
        for (std::int64_t first = kMadeChunk; first < length; first += kMadeChunk) {
          const std::int64_t columns_of = std::min<std::int64_t>(length - first, 45);
          Halves part;
          for (std::int64_t i = count / 2; i < count; ++i) {
            const auto begin = all.begin() + i * length + first;
            part.insert(part.end(), begin, begin + columns_of);
          }
          EXPECT_EQ(made(windows, count / 2, count - count / 2, first, columns_of), part);
        }
      }
    }
  }
}

TEST(WindowRows, ChunksGoWhereTheyBelong) {
  const Halves data = counted(2 * 70);
  const GridAxis one = window_grid({1, 1, 1, 0});
  const WindowRows windows(data.data(), one, window_grid({2, 1, 1, 0}), 70);
  Halves room(3 * 100, 0xffff);
  windows.make(0, 2, 0, 70, {room.data(), 40, 100});
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t j = 0; j < 96; ++j) {
      const std::uint16_t found = room[std::size_t(i * 40 + j / 32 * 100 + j % 32)];
      EXPECT_EQ(found, j < 70 ? 70 * i + j + 1 : 0) << i << " " << j;
    }
  }
}

// Two outputs of 2 x 3 taps of 2 channels; element o·12 + tap·2 + channel counts from 1.
TEST(TapWeights, AreThoseOfTheAxesTaps) {
  const Convolution c{1, 2, 2, {9, 2, 1, 0}, {9, 3, 1, 0}};
  const Halves weight = counted(24);
  const GridAxis rows{1, 0, 1, 1, 9, {{1, 0}}};
  const GridAxis columns{1, 0, 1, 1, 9, {{2, 0}, {0, 1}}};
  const WeightsByOutput by_output(weight.data(), c, rows, columns);  // taps 5 and 3
  const WeightsByTap by_tap(weight.data(), c, rows, columns);
  EXPECT_EQ(made(by_output, 0, 2, 0, 4), (Halves{11, 12, 7, 8, 23, 24, 19, 20}));
  EXPECT_EQ(made(by_tap, 0, 4, 0, 2), (Halves{11, 12, 23, 24, 7, 8, 19, 20}));
  EXPECT_EQ(made(by_tap, 1, 2, 0, 1), (Halves{23, 7}));
}

// Every second row from 1 on, every third column from 2 on, of planes of 5 x 9 x 4.
TEST(GridPlaces, RowsFollowEachOtherAlongALine) {
  const GridAxis rows{2, 1, 2, 1, 5, {}};
  const GridAxis columns{3, 2, 3, 1, 9, {}};
  const GridPlaces places(rows, columns, {5, 9, 4});
  const PlacedRows first = places.from(0);
  EXPECT_EQ(first.element, (1 * 9 + 2) * 4);
  EXPECT_EQ(first.step, 12);
  EXPECT_EQ(first.rows, 3);
  const PlacedRows later = places.from(2 * 3 + 3 + 1);  // image 1, line 1, result 1
  EXPECT_EQ(later.element, ((5 + 3) * 9 + 5) * 4);
  EXPECT_EQ(later.rows, 2);
}

}  // namespace
}  // namespace siliconprof::cpu
