#include "siliconprof/kernels/reference/sort.h"

#include <array>
#include <cmath>

#include "cost_proof.h"
#include "siliconprof/ops/sort.h"

namespace siliconprof::reference {
namespace {

using Dims = std::array<std::int64_t, 3>;
using Order = std::array<std::int32_t, 6>;

const auto kStep = [](std::int64_t) {};

Order order_of(const std::array<double, 6>& x, double descending) {
  std::array<double, 6> values{};
  Order order{};
  const std::array<double, 1> attributes{descending};
  sort<double>(make_call(kSort, Dims{1, 6, 1}, Dtype::Float64, attributes), x.data(), values.data(),
               order.data(), kStep);
  for (std::size_t i = 0; i < 6; ++i) {
    const double from = x[std::size_t(order[i])];
    EXPECT_TRUE(values[i] == from || (std::isnan(values[i]) && std::isnan(from)));
  }
  return order;
}

TEST(ReferenceSort, CostIsWhatTheDefinitionTakes) {
  for (const auto& [outer, size, inner] : {Dims{1, 1, 1},
                                           {2, 3, 5},
                                           {1, 9, 1},
                                           {4, 1, 3},
                                           {1, 64, 2},
                                           {2, 100, 1},
                                           {2, 0, 3},
                                           {0, 3, 3}}) {
    for (const double descending : {0.0, 1.0}) {
      prove_op("sort", {{"outer", outer}, {"size", size}, {"inner", inner}},
               {{"descending", descending}});
    }
  }
}

TEST(ReferenceSort, EqualValuesKeepTheirOrderAndNansAreLargest) {
  const double nan = std::nan("");
  EXPECT_EQ(order_of({3, 1, 2, 1, 3, 1}, 0), (Order{1, 3, 5, 2, 0, 4}));
  EXPECT_EQ(order_of({3, 1, 2, 1, 3, 1}, 1), (Order{0, 4, 2, 1, 3, 5}));
  EXPECT_EQ(order_of({nan, 0, INFINITY, -0.0, nan, -INFINITY}, 0), (Order{5, 1, 3, 2, 0, 4}));
  EXPECT_EQ(order_of({nan, 0, INFINITY, -0.0, nan, -INFINITY}, 1), (Order{0, 4, 2, 1, 3, 5}));
}

TEST(ReferenceSort, SlopesGoBackToWhereTheirValuesStood) {
  const std::array<std::int32_t, 6> order{2, 0, 0, 1, 1, 2};  // columns 2 0 1 and 0 1 2
  const std::array<double, 6> dy{10, 11, 20, 21, 30, 31};
  std::array<double, 6> dx{};
  sort_backward<double>(make_call(kSortBackward, Dims{1, 3, 2}, Dtype::Float64, {}), order.data(),
                        dy.data(), dx.data(), kStep);
  EXPECT_EQ(dx, (std::array<double, 6>{20, 11, 30, 21, 10, 31}));
}

}  // namespace
}  // namespace siliconprof::reference
