#include "siliconprof/kernels/cpu/convolution_narrow.h"

#include <gtest/gtest.h>

#include "engine_agreement.h"
#include "siliconprof/kernels/cpu/eigen_engine.h"
#include "siliconprof/kernels/cpu/gemm_kernels.h"
#include "siliconprof/ops/convolution.h"

namespace siliconprof::cpu {
namespace {

TEST(NarrowConvolution, IsForFewChannelsInFloat32WhereTheCpuHasTilesForIt) {
  const bool there = gemm_kernels().narrow.rows > 0;
  EXPECT_EQ(is_narrow(1, 4), there);
  EXPECT_EQ(is_narrow(8, 4), there);
  EXPECT_FALSE(is_narrow(9, 4));
  EXPECT_FALSE(is_narrow(8, 8));
}

// Runs of whole taps and others: strides leave a part of a step, paddings cut taps off, images as
// wide as the kernel join its rows.
TEST(NarrowConvolution, WindowsThatShareTapsAgreeWithTheDefinition) {
  for (const std::int64_t outputs : {1, 3, 8}) {
    for (const std::int64_t channels : {1, 3, 5}) {
      for (const std::int64_t kernel : {1, 2, 3, 5, 7}) {
        for (const double stride : {1.0, 2.0, 3.0}) {
          for (const double padding : {0.0, double(kernel - 1)}) {
            const std::vector<std::int64_t> dims{2,       kernel + 2, 31,    channels,
                                                 outputs, kernel,     kernel};
            const Example example("conv2d", dims, Dtype::Float32, {stride, padding}, 11);
            const double terms = double(kernel * kernel * channels) + 1;
            expect_agreement(kEigenEngine, example, 2, terms);
          }
        }
      }
    }
  }
}

TEST(NarrowConvolution, ImagesAsWideAsTheKernelAgree) {
  for (const char* op : {"conv2d", "conv2d_data_backward"}) {
    const Example example(op, {3, 20, 3, 4, 6, 3, 3}, Dtype::Float32, {1.0, 0.0}, 12);
    expect_agreement(kEigenEngine, example, 2, 55);
  }
}

// Results of more bytes than a last cache of 32 MiB go past it, line by line; rows of an odd number
// of them begin in the middle of one.
TEST(NarrowConvolution, ResultsPastTheCachesAgree) {
  const Example example("conv2d", {1, 1024, 1104, 1, 8, 1, 2}, Dtype::Float32, {1.0, 0.0}, 13);
  expect_agreement(kEigenEngine, example, 2, 3);
}

}  // namespace
}  // namespace siliconprof::cpu
