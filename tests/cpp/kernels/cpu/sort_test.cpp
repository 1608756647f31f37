#include "siliconprof/kernels/cpu/sort.h"

#include "exact_agreement.h"
#include "siliconprof/kernels/cpu/caches.h"

namespace siliconprof::cpu {
namespace {

// Networks of all sizes, radix sorts (few columns, long ones), strips with a rest.
const std::vector<std::vector<std::int64_t>> kShapes{
    {1, 1, 1},    {20, 2, 1},   {9, 16, 1},   {19, 17, 1},  {8, 33, 1},   {5, 100, 1},
    {3, 1024, 1}, {9, 1500, 1}, {1, 300, 1},  {2, 5000, 1}, {3, 9000, 1}, {1, 20000, 1},
    {1, 64, 300}, {2, 40, 7},   {3, 130, 17}, {1, 2000, 5}, {1, 9000, 3}, {1, 600, 2},
    {0, 3, 2},    {2, 0, 3},    {2, 3, 0},    {1, 1, 100},  {2, 257, 16}};

TEST(Sort, AgreesWithTheDefinitionAtAnySize) {
  for (const auto& dims : kShapes) {
    expect_exact_agreement("sort", dims, {0.0});
    expect_exact_agreement("sort", dims, {1.0});
  }
}

TEST(Sort, EqualValuesKeepTheirOrderAndNansAreLargest) {
  for (const auto& dims : kShapes) {
    for (const Dtype dtype : kCpuDtypes) {
      for (const double descending : {0.0, 1.0}) {
        const Example example("sort", dims, dtype, {descending}, 5);
        make_special(example);
        expect_exact_agreement(example);
      }
    }
  }
}

TEST(Sort, ItsBackwardAgreesWithTheDefinitionForAnyIndices) {
  for (const auto& dims : kShapes) {
    if (dims[1] == 0) continue;
    expect_exact_agreement("sort_backward", dims);
  }
}

TEST(Sort, ResultsPastTheCacheAreRightToTheLastElement) {
  const std::int64_t n = last_level_cache_bytes() / 12 / 20;
  expect_exact_agreement(Example("sort", {1, 20, n + 5}, Dtype::Float32, {}, 3), {2});
  expect_exact_agreement(Example("sort", {n / 15 + 3, 301, 1}, Dtype::Float32, {}, 3), {2});
}

// Of indices that occur twice the last counts, as in the definition.
TEST(Sort, LongColumnsGoBackForAnyThreadCount) {
  for (const std::vector<std::int64_t>& dims :
       std::vector<std::vector<std::int64_t>>{{2, 300001, 1}, {1, 70001, 3}, {2, 40000, 2}}) {
    expect_exact_agreement("sort_backward", dims);
  }
}

// Whatever the threads have to do, the calling one looks for Ctrl-C.
void expect_interrupt(const char* op, const std::vector<std::int64_t>& dims, Dtype dtype) {
  const Example example(op, dims, dtype, {}, 3);
  const std::vector<TensorView> inputs = example.views();
  for (const int threads : {1, 2}) {
    int polls = 0;
    const Poll poll = [&polls] {
      if (++polls == 2) throw Interrupted{};
    };
    std::vector<Tensor> outputs;
    std::vector<TensorView> views;
    for (const Slot& slot : example.call.op->signature(example.call).outputs) {
      views.push_back(outputs.emplace_back(slot.dtype_in(example.call), slot.shape).view());
    }
    EXPECT_THROW(
        find_kernel(kEigenEngine, example.call).run({example.call, inputs, views, threads, poll}),
        Interrupted)
        << op << " threads " << threads;
  }
}

TEST(Sort, SeveralLongColumnsPoll) {
  expect_interrupt("sort", {2, 3'000'000, 1}, Dtype::Float64);
  expect_interrupt("sort", {1, 3'000'000, 3}, Dtype::Float32);
}

TEST(Sort, TheGradientOfLongColumnsPolls) {
  expect_interrupt("sort_backward", {1, 3'000'000, 2}, Dtype::Float32);
  expect_interrupt("sort_backward", {2, 3'000'000, 1}, Dtype::Float32);
}

TEST(Sort, IndicesThatGoHereAndTherePoll) {
  expect_interrupt("scatter_sum", {3'000'000, 3'000'000, 1}, Dtype::Float32);
  expect_interrupt("scatter", {3'000'000, 3'000'000, 1}, Dtype::Float32);
}

}  // namespace
}  // namespace siliconprof::cpu
