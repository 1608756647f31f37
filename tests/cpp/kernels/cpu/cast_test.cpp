#include "siliconprof/kernels/cpu/cast.h"

#include "exact_agreement.h"
#include "function_agreement.h"
#include "siliconprof/kernels/cpu/caches.h"

namespace siliconprof::cpu {
namespace {

TEST(Cast, AgreesWithTheDefinitionForEveryPairOfFormats) {
  for (const char* op : {"cast_float64", "cast_float32", "cast_float16", "cast_bfloat16"}) {
    for (const Dtype dtype : kCpuDtypes) {
      for (const std::int64_t n : {0, 1, 5, 16, 33, 1000, 40001}) {
        Example example(op, {n}, dtype, {}, 3);
        spread(example);
        expect_exact_agreement(example);
      }
    }
  }
}

// 1 + 2^-11 is halfway between two float16, 1 + 2^-8 between two bfloat16; less than a float32
// holds decides.
TEST(Cast, Float64IsRoundedOnce) {
  for (const char* op : {"cast_float16", "cast_bfloat16"}) {
    const Example example(op, {97}, Dtype::Float64, {}, 3);
    const double half = std::string(op) == "cast_float16" ? 0x1p-11 : 0x1p-8;
    auto* x = example.inputs[0].view().as<double>();
    for (std::int64_t i = 0; i < 97; ++i) {
      const double sign = i % 2 == 0 ? 1.0 : -1.0;
      const double step = double(2 * (i / 8) + 1) * half;
      x[i] = sign * (1.0 + step + double(i % 3 - 1) * 0x1p-50);
    }
    x[96] = 1e300;
    expect_exact_agreement(example);
  }
}

TEST(Cast, FillAgreesWithTheDefinition) {
  for (const std::int64_t n : {0, 1, 33, 100000}) expect_exact_agreement("fill", {n}, {0.1});
}

TEST(Cast, ResultsPastTheCacheAreRightToTheLastElement) {
  const std::int64_t n = last_level_cache_bytes() / 8 + 12345;
  expect_exact_agreement(Example("cast_bfloat16", {2 * n}, Dtype::Float32, {}, 3), {2});
  expect_exact_agreement(Example("cast_float64", {n}, Dtype::Float32, {}, 3), {2});
  expect_exact_agreement(Example("fill", {4 * n}, Dtype::Float16, {2.5}, 3), {2});
}

}  // namespace
}  // namespace siliconprof::cpu
