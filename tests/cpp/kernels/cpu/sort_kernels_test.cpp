#include "siliconprof/kernels/cpu/sort_kernels.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "exact_agreement.h"

namespace siliconprof::cpu {
namespace {

TEST(SortKernels, NetworksArePowersOfTwoFromSixteenOn) {
  EXPECT_EQ(network_size(1), 16);
  EXPECT_EQ(network_size(16), 16);
  EXPECT_EQ(network_size(17), 32);
  EXPECT_EQ(key_bytes(17, 9), 32 * 16 * 8);
}

/// x (rows, n) sorted along its columns, or along its rows, by one build; against std::stable_sort.
void check(const SortKernelTable& kernels, std::int64_t rows, std::int64_t n, bool by_rows,
           bool stream) {
  SCOPED_TRACE(std::string(kernels.instruction_set) + " " + std::to_string(rows) + " " +
               std::to_string(n) + (by_rows ? " rows" : " columns"));
  std::mt19937 random(std::uint32_t(rows * 1000 + n));
  const Tensor x(Dtype::Float32, Shape{rows, n});
  const Tensor values(Dtype::Float32, Shape{rows, n});
  const Tensor order(Dtype::Int32, Shape{rows, n});
  for (std::int64_t i = 0; i < rows * n; ++i) x.view().as<float>()[i] = float(random() % 50);
  const std::int64_t size = by_rows ? n : rows;
  const Tensor keys(Dtype::Float32, Shape{key_bytes(size, by_rows ? kernels.lanes : n) / 4});
  if (by_rows) {
    kernels.float32.rows(x.view().data, rows, n, false, values.view().data,
                         order.view().as<std::int32_t>(), keys.view().data, stream);
  } else {
    kernels.float32.columns(x.view().data, n, rows, n, false, values.view().data,
                            order.view().as<std::int32_t>(), keys.view().data, stream);
  }
  for (std::int64_t c = 0; c < (by_rows ? rows : n); ++c) {
    const auto at = [&](std::int64_t r) { return by_rows ? c * n + r : r * n + c; };
    std::vector<std::int32_t> wanted(static_cast<std::size_t>(size));
    std::iota(wanted.begin(), wanted.end(), 0);
    std::stable_sort(wanted.begin(), wanted.end(), [&](std::int32_t a, std::int32_t b) {
      return x.view().as<float>()[at(a)] < x.view().as<float>()[at(b)];
    });
    for (std::int64_t r = 0; r < size; ++r) {
      const std::int32_t place = wanted[std::size_t(r)];
      ASSERT_EQ(order.view().as<std::int32_t>()[at(r)], place) << r;
      ASSERT_EQ(values.view().as<float>()[at(r)], x.view().as<float>()[at(place)]) << r;
    }
  }
}

TEST(SortKernels, EveryBuildSortsColumnsAndRowsOfEveryNetwork) {
  for (const SortKernelTable* kernels : runnable_sort_kernels()) {
    for (const std::int64_t size : {1, 2, 15, 16, 17, 32, 33, 64, 100, 128, 256, 300, 512, 1000,
                                    1024, 2048, 4096, 5000, 8192}) {
      for (const std::int64_t n : {1, 8, 19}) {
        check(*kernels, size, n, false, n == 19);
        check(*kernels, n, size, true, n == 19);
      }
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
