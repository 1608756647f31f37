#include "siliconprof/core/dtype.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

TEST(Dtype, NamesAndParsingAreInverse) {
  ASSERT_EQ(dtype_names().size(), std::size_t(kDtypeCount));
  for (const auto text : dtype_names()) EXPECT_EQ(name(parse_dtype(text)), text);
}

TEST(Dtype, SizesAreThoseInMemory) {
  EXPECT_EQ(size_bytes(Dtype::Float64), 8);
  EXPECT_EQ(size_bytes(Dtype::Float32), 4);
  EXPECT_EQ(size_bytes(Dtype::Tf32), 4);
  EXPECT_EQ(size_bytes(Dtype::Float16), 2);
  EXPECT_EQ(size_bytes(Dtype::BFloat16), 2);
}

TEST(Dtype, RefusesAnUnknownName) { EXPECT_THROW(parse_dtype("fp32"), UnknownNameError); }

}  // namespace
}  // namespace siliconprof
