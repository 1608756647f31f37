#include "siliconprof/kernels/cpu/window_rows.h"

#include <algorithm>
#include <utility>

namespace siliconprof::cpu {

WindowRows::WindowRows(const std::uint16_t* data, GridAxis rows, GridAxis columns,
                       std::int64_t channels)
    : data_(data),
      rows_(std::move(rows)),
      columns_(std::move(columns)),
      channels_(channels),
      line_(std::int64_t(columns_.taps.size()) * channels) {}

void WindowRows::make(std::int64_t row, std::int64_t rows, std::int64_t column,
                      std::int64_t columns, const MadeTo& to) const {
  for (std::int64_t i = 0; i < rows; ++i) {
    make_row(row + i, column, column + columns, MadeRow(to, i));
  }
}

// A few rows on along the line: nothing else knows ahead which data they see first.
void WindowRows::ask(const std::uint16_t* from) const {
  constexpr std::int64_t kRowsAhead = 32;
  constexpr std::int64_t kLine = 64 / sizeof *from;
  const std::int64_t step = columns_.input_step * channels_;
  const std::int64_t seen = std::min(line_, step);
  from += kRowsAhead * step;
  for (std::int64_t i = 0; i < seen; i += kLine) __builtin_prefetch(from + i);
}

void WindowRows::make_row(std::int64_t row, std::int64_t column, std::int64_t end,
                          MadeRow to) const {
  const std::int64_t line = row / columns_.results;  // of all images
  const std::int64_t image = line / rows_.results;
  const std::int64_t i = line % rows_.results * rows_.input_step;
  const std::int64_t x = row % columns_.results * columns_.input_step + columns_.taps[0].at;
  // Neighbouring taps see neighbours, so that what is on the data is one piece of a row of taps.
  const std::int64_t low = std::clamp<std::int64_t>(-x * channels_, 0, line_);
  const std::int64_t high = std::clamp((columns_.input_length - x) * channels_, low, line_);
  while (column < end) {
    const std::int64_t tap = column / line_;
    const std::int64_t start = tap * line_;
    const std::int64_t stop = std::min(end, start + line_);
    const std::int64_t y = i + rows_.taps[std::size_t(tap)].at;
    const bool on_data = y >= 0 && y < rows_.input_length;
    const std::int64_t first = on_data ? std::clamp(start + low, column, stop) : stop;
    const std::int64_t last = on_data ? std::clamp(start + high, first, stop) : stop;
    to.zeros(first - column);
    if (last > first) {
      const std::int64_t at =
          ((image * rows_.input_length + y) * columns_.input_length + x) * channels_;
      const std::uint16_t* from = data_ + (at + first - start);
      if (tap + 1 == std::int64_t(rows_.taps.size())) ask(from);
      to.copy(from, last - first);
    }
    to.zeros(stop - last);
    column = stop;
  }
  to.end();
}

TapWeights::TapWeights(const std::uint16_t* weight, const Convolution& c, const GridAxis& rows,
                       const GridAxis& columns)
    : weight_(weight),
      outputs_(c.outputs),
      channels_(c.channels),
      all_taps_(c.rows.kernel * c.columns.kernel) {
  for (const GridTap& s : rows.taps) {
    for (const GridTap& t : columns.taps) taps_.push_back(s.tap * c.columns.kernel + t.tap);
  }
}

void WeightsByOutput::make(std::int64_t row, std::int64_t rows, std::int64_t column,
                           std::int64_t columns, const MadeTo& to) const {
  for (std::int64_t i = 0; i < rows; ++i) {
    MadeRow made(to, i);
    for (std::int64_t j = column; j < column + columns;) {
      const std::int64_t channel = j % channels();
      const std::int64_t count = std::min(channels() - channel, column + columns - j);
      made.copy(at(row + i, j / channels()) + channel, count);
      j += count;
    }
    made.end();
  }
}

void WeightsByTap::make(std::int64_t row, std::int64_t rows, std::int64_t column,
                        std::int64_t columns, const MadeTo& to) const {
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t tap = (row + i) / outputs();
    MadeRow made(to, i);
    made.copy(at((row + i) % outputs(), tap) + column, columns);
    made.end();
  }
}

PlacedRows GridPlaces::from(std::int64_t row) const {
  const std::int64_t j = row % columns_.results;
  const std::int64_t line = row / columns_.results;
  const std::int64_t image = line / rows_.results;
  const std::int64_t y = rows_.first + line % rows_.results * rows_.step;
  const std::int64_t x = columns_.first + j * columns_.step;
  return {((image * planes_.rows + y) * planes_.columns + x) * planes_.channels,
          columns_.step * planes_.channels, columns_.results - j};
}

}  // namespace siliconprof::cpu
