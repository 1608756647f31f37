#include "siliconprof/core/checked.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

TEST(Checked, MultipliesSizes) {
  EXPECT_EQ(checked_product("t", std::array<std::int64_t, 3>{2, 3, 7}), 42);
  EXPECT_EQ(checked_product("t", {}), 1);
}

TEST(Checked, AllowsTheLargestProduct) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(checked_product("t", std::array<std::int64_t, 2>{most, 1}), most);
}

TEST(Checked, ReportsOverflowWithTheSizes) {
  try {
    checked_product("matmul", std::array<std::int64_t, 2>{std::int64_t{1} << 40, 1 << 30});
    FAIL() << "no error";
  } catch (const ShapeError& error) {
    EXPECT_NE(std::string(error.what()).find("[matmul]"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("1099511627776*1073741824"), std::string::npos);
  }
}

TEST(Checked, SumsUpToTheLargest) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(checked_sum("t", most - 1, 1), most);
  EXPECT_THROW(checked_sum("t", most, 1), ShapeError);
}

}  // namespace
}  // namespace siliconprof
