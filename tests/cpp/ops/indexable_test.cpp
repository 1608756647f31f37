#include "siliconprof/ops/indexable.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/gather.h"

namespace siliconprof {
namespace {

std::string message_of(std::int64_t rows, std::int64_t count) {
  try {
    make_call(kGather, std::vector<std::int64_t>{rows, count, 1}, Dtype::Float32, {});
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "";
}

TEST(Indexable, AnyRowsThatInt32CanName) {
  EXPECT_EQ(message_of(1, 5), "");
  EXPECT_EQ(message_of(2147483647, 5), "");
  EXPECT_EQ(message_of(2147483648, 5),
            "[gather] rows is 2147483648; needed: 1 to 2147483647, for indices of int32");
}

TEST(Indexable, NoRowsWhereThereAreNoIndices) {
  EXPECT_EQ(message_of(0, 0), "");
  EXPECT_EQ(message_of(0, 1), "[gather] rows is 0; needed: 1 to 2147483647, for indices of int32");
}

}  // namespace
}  // namespace siliconprof
