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

/// x (rows, n), sorted along its columns or along its rows.
struct Case {
  std::int64_t rows;
  std::int64_t n;
  bool by_rows;
  Dtype dtype = Dtype::Float32;
  bool descending = false;

  std::int64_t size() const { return by_rows ? n : rows; }
  std::int64_t sorts() const { return by_rows ? rows : n; }
  std::int64_t at(std::int64_t sort, std::int64_t r) const {
    return by_rows ? sort * n + r : r * n + sort;
  }
  std::string text() const {
    return std::string(name(dtype)) + " " + std::to_string(rows) + " " + std::to_string(n) +
           (by_rows ? " rows" : " columns") + (descending ? " descending" : "");
  }
};

/// Ascending or descending: a NaN is larger than all, equal values keep their order.
std::vector<std::int32_t> wanted_order(const Case& c, const Values& x, std::int64_t sort) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(c.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) {
    const double a = x[std::size_t(c.at(sort, i))];
    const double b = x[std::size_t(c.at(sort, j))];
    const auto is_less = [](double u, double v) {
      return !std::isnan(u) && (std::isnan(v) || u < v);
    };
    return c.descending ? is_less(b, a) : is_less(a, b);
  });
  return order;
}

/// By one build, against std::stable_sort; value(i) is that of element i.
template <class Value>
void check(const SortKernelTable& kernels, const Case& c, const Value& value) {
  SCOPED_TRACE(std::string(kernels.instruction_set) + " " + c.text());
  const Tensor x(c.dtype, Shape{c.rows, c.n});
  const Tensor values(c.dtype, Shape{c.rows, c.n});
  const Tensor order(Dtype::Int32, Shape{c.rows, c.n});
  const Tensor keys(Dtype::Float32,
                    Shape{key_bytes(c.size(), c.by_rows ? kernels.lanes : c.n) / 4});
  for (std::int64_t i = 0; i < c.rows * c.n; ++i) set(x, i, value(i));
  auto* places = order.view().as<std::int32_t>();
  const SortKernels& sorts = kernels.of(c.dtype);
  const bool stream = c.sorts() == 19;
  if (c.by_rows) {
    sorts.rows(x.view().data, c.rows, c.n, c.descending, values.view().data, places,
               keys.view().data, stream);
  } else {
    sorts.columns(x.view().data, c.n, c.rows, c.n, c.descending, values.view().data, places,
                  keys.view().data, stream);
  }
  const Values in = to_values(x.view());
  const Values found = to_values(values.view());
  for (std::int64_t sort = 0; sort < c.sorts(); ++sort) {
    const std::vector<std::int32_t> wanted = wanted_order(c, in, sort);
    for (std::int64_t r = 0; r < c.size(); ++r) {
      const std::int32_t place = wanted[std::size_t(r)];
      const double want = in[std::size_t(c.at(sort, place))];
      const double got = found[std::size_t(c.at(sort, r))];
      ASSERT_EQ(places[c.at(sort, r)], place) << r;
      ASSERT_TRUE(same(got, want)) << r << ": " << got << ", not " << want;
    }
  }
}

TEST(SortKernels, EveryBuildSortsColumnsAndRowsOfEveryNetwork) {
  for (const SortKernelTable* kernels : runnable_sort_kernels()) {
    for (const std::int64_t size : {1, 2, 15, 16, 17, 32, 33, 64, 100, 128, 256, 300, 512, 1000,
                                    1024, 2048, 4096, 5000, 8192}) {
      for (const std::int64_t n : {1, 8, 19}) {
        std::mt19937 random(std::uint32_t(size * 1000 + n));
        const auto ties = [&random](std::int64_t) { return double(random() % 50); };
        check(*kernels, {size, n, false}, ties);
        check(*kernels, {n, size, true}, ties);
      }
    }
  }
}

/// Calls body(case) for all builds, directions and formats, at lengths around the networks'.
template <class Body>
void for_each_case(const Body& body) {
  for (const SortKernelTable* kernels : runnable_sort_kernels()) {
    for (const Dtype dtype : {Dtype::Float32, Dtype::Float16, Dtype::BFloat16}) {
      for (const bool descending : {false, true}) {
        for (const std::int64_t size :
             {1, 3, 15, 16, 17, 31, 32, 33, 63, 65, 129, 257, 511, 1025}) {
          for (const std::int64_t n : {1, 7, 19}) {
            body(*kernels, Case{size, n, false, dtype, descending});
            body(*kernels, Case{n, size, true, dtype, descending});
          }
        }
      }
    }
  }
}

// Zeros of both signs are equal, and each keeps its sign where it comes out; NaNs of both signs are
// equal and larger than infinity; denormals are no zeros.
TEST(SortKernels, EveryBuildSortsSpecialValuesBothWays) {
  const double inf = std::numeric_limits<double>::infinity();
  for_each_case([inf](const SortKernelTable& kernels, const Case& c) {
    const double least = 2 * underflow(c.dtype);
    const double nan = std::nan("");
    const std::array<double, 14> special{0.0,   -0.0,   nan,  -nan,  inf,    -inf,      1.0,
                                         least, -least, -1.0, 65504, -65504, 3 * least, 2.5};
    std::mt19937 random(std::uint32_t(c.rows * 1000 + c.n));
    check(kernels, c, [&](std::int64_t) { return special[random() % special.size()]; });
  });
}

TEST(SortKernels, EveryBuildLeavesEqualValuesInTheirOrder) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const double all : {-0.0, 3.0, inf, -inf, std::nan("")}) {
    for_each_case([all](const SortKernelTable& kernels, const Case& c) {
      check(kernels, c, [all](std::int64_t) { return all; });
    });
  }
  for_each_case([](const SortKernelTable& kernels, const Case& c) {
    check(kernels, c, [](std::int64_t i) { return i % 3 == 0 ? -0.0 : 0.0; });
  });
}

}  // namespace
}  // namespace siliconprof::cpu
