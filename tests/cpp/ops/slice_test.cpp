#include "siliconprof/ops/slice.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

using Dims = std::vector<std::int64_t>;

std::string message_of(const Dims& dims, double begin) {
  try {
    make_call(kSlice, dims, Dtype::Float32, std::vector<double>{begin});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Slice, ReadsItsPartAndWritesTheWholeGradient) {
  const OpCall call = make_call(kSlice, Dims{2, 7, 3, 5}, Dtype::Float32, {});
  EXPECT_EQ(kSlice.cost(call), (Cost{.bytes_read = 120, .bytes_written = 120}));
  const OpCall backward = make_call(kSliceBackward, Dims{2, 7, 3, 5}, Dtype::Float32, {});
  EXPECT_EQ(kSliceBackward.cost(backward), (Cost{.bytes_read = 120, .bytes_written = 280}));
}

TEST(Slice, LiesWithinItsAxis) {
  EXPECT_EQ(message_of({2, 7, 3, 5}, 4), "");
  EXPECT_EQ(message_of({2, 7, 0, 5}, 7), "");
  EXPECT_EQ(message_of({2, 7, 8, 5}, 0), "[slice] length is 8; needed: at most size, which is 7");
  EXPECT_EQ(message_of({2, 7, 3, 5}, 5),
            "[slice] attribute begin is 5; needed: an integer from 0 to 4");
  EXPECT_EQ(message_of({2, 7, 3, 5}, -1),
            "[slice] attribute begin is -1; needed: an integer from 0 to 4");
  EXPECT_EQ(message_of({2, 7, 3, 5}, 0.5),
            "[slice] attribute begin is 0.5; needed: an integer from 0 to 4");
}

}  // namespace
}  // namespace siliconprof
