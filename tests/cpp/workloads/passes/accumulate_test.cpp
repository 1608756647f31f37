#include "siliconprof/workloads/passes/accumulate.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"
#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

// Two micro-batches of two rows against one batch of four: the same mean.
TEST(Accumulate, MicroBatchesGiveTheGradientsOfTheWholeBatch) {
  const std::vector<double> x{1, -2, 3, 0.5, 4, -1, 2, 2, -3, 1, 0, 0.25};
  const std::vector<double> labels{0, 4, 2, 1};
  const Trace small = tiny_mlp();
  const Trace halves = accumulate(differentiate(small, small.results()[0], kNoTensor, 0.5), 2);
  const Trace whole = differentiate(tiny_mlp(Dtype::Float64, 4));
  const auto part = [](const std::vector<double>& all, std::size_t half) {
    const auto middle = all.begin() + std::ptrdiff_t(all.size() / 2);
    return half == 0 ? std::vector(all.begin(), middle) : std::vector(middle, all.end());
  };
  const TracedValues by_two(halves, {{"x", part(x, 0)},
                                     {"labels", part(labels, 0)},
                                     {"x.1", part(x, 1)},
                                     {"labels.1", part(labels, 1)}});
  const TracedValues at_once(whole, {{"x", x}, {"labels", labels}});
  EXPECT_NEAR(by_two.loss(), at_once.loss(), 1e-15);
  const NamedValues found = by_two.gradients();
  for (const auto& [name, values] : at_once.gradients()) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(found.at(name)[i], values[i], 1e-15) << name;
    }
  }
}

TEST(Accumulate, OneMicroBatchIsTheTraceItself) {
  const Trace trace = differentiate(tiny_mlp());
  EXPECT_EQ(accumulate(trace, 1), trace);
  EXPECT_THROW(accumulate(trace, 0), ArgumentError);
}

TEST(Accumulate, NeedsMemoryForOneBatchOfActivationsAtATime) {
  const Sizes sizes{{"batch", 1}, {"seq", 64}, {"layers", 2}, {"vocab", 50}};
  const Trace once = differentiate(forward_trace(find_model("gpt2-small"), sizes));
  const Trace four = accumulate(once, 4);
  EXPECT_EQ(four.cost().matrix_flops, 4 * once.cost().matrix_flops);
  EXPECT_LT(four.memory().peak_bytes(), 2 * once.memory().peak_bytes());
}

}  // namespace
}  // namespace siliconprof
