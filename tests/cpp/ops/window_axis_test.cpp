#include "siliconprof/ops/window_axis.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/op.h"
#include "siliconprof/ops/table.h"

namespace siliconprof {
namespace {

using Dims = std::vector<std::int64_t>;

TEST(WindowAxis, CountsWhatALoopOverWindowsAndTapsFinds) {
  for (std::int64_t length = 1; length <= 9; ++length) {
    for (std::int64_t kernel = 1; kernel <= 6; ++kernel) {
      for (std::int64_t stride = 1; stride <= 5; ++stride) {
        for (std::int64_t padding = 0; padding < kernel; ++padding) {
          if (length + 2 * padding < kernel) continue;
          const WindowAxis axis{length, kernel, stride, padding};
          std::int64_t pairs = 0;
          std::set<std::int64_t> covered;
          std::set<std::int64_t> taps;
          for (std::int64_t t = 0; t < kernel; ++t) {
            for (std::int64_t i = 0; i < axis.windows(); ++i) {
              const bool on_data = axis.has(axis.position(i, t));
              EXPECT_EQ(on_data, i >= axis.first_window(t) && i < axis.last_window(t));
              if (!on_data) continue;
              ++pairs;
              covered.insert(axis.position(i, t));
              taps.insert(t);
            }
          }
          EXPECT_EQ(axis.pairs(), pairs);
          EXPECT_EQ(axis.covered(), std::int64_t(covered.size()));
          EXPECT_EQ(axis.taps(), std::int64_t(taps.size()));
          EXPECT_GT(axis.position(axis.windows(), kernel - 1), length + padding - 1);
        }
      }
    }
  }
}

TEST(WindowAxis, HasThreeWindowsOfThreeInSevenWithStrideTwo) {
  const WindowAxis axis{7, 3, 2, 0};
  EXPECT_EQ(axis.windows(), 3);
  EXPECT_EQ(axis.position(2, 2), 6);
  EXPECT_EQ((WindowAxis{32, 3, 1, 1}.windows()), 32);
  EXPECT_EQ((WindowAxis{3000, 3, 2, 1}.windows()), 1500);
}

template <class Error>
std::string message_of(const Dims& dims, const std::vector<double>& attributes) {
  try {
    make_call(find_op("conv1d"), dims, Dtype::Float32, attributes);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(WindowAxis, RefusesWhatNoWindowFitsInByName) {
  EXPECT_EQ(message_of<ShapeError>({1, 2, 1, 1, 5}, {1, 1}),
            "[conv1d] length is 2; needed: at least 3");
  EXPECT_EQ(message_of<ShapeError>({1, 2, 1, 1, 0}, {}),
            "[conv1d] kernel is 0; needed: from 1 to 1048576");
  EXPECT_EQ(message_of<ArgumentError>({1, 9, 1, 1, 3}, {0, 0}),
            "[conv1d] stride is 0; needed: an integer from 1 to 1073741824");
  EXPECT_EQ(message_of<ArgumentError>({1, 9, 1, 1, 3}, {1, 2.5}),
            "[conv1d] padding is 2.5; needed: an integer from 0 to 2");
  EXPECT_EQ(message_of<ArgumentError>({1, 9, 1, 1, 3}, {1, 3}),
            "[conv1d] padding is 3; needed: an integer from 0 to 2");
}

TEST(WindowAxis, RefusesAKernelThatWouldTakeMinutesToCount) {
  const std::int64_t taps = (std::int64_t{1} << 20) + 1;
  const std::array<std::int64_t, 5> dims{1, taps, 1, 1, taps};
  EXPECT_THROW(make_call(find_op("conv1d"), dims, Dtype::Float32, {}), ShapeError);
}

}  // namespace
}  // namespace siliconprof
