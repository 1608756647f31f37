#include "siliconprof/kernels/cpu/causal_mask.h"

#include <gtest/gtest.h>

#include "rounding_agreement.h"

namespace siliconprof::cpu {
namespace {

TEST(CausalMask, ShowsAndHidesWhatTheDefinitionDoes) {
  for (const auto& dims : std::vector<std::vector<std::int64_t>>{{1, 1, 1},
                                                                 {2, 3, 5},
                                                                 {2, 5, 3},
                                                                 {3, 70, 70},
                                                                 {2, 33, 1000},
                                                                 {0, 3, 3},
                                                                 {2, 0, 3},
                                                                 {2, 3, 0}}) {
    for (const char* op : {"causal_mask", "causal_mask_backward"}) {
      for (const Dtype dtype : kCpuDtypes) {
        const Example example(op, dims, dtype, {}, 1);
        const Values wanted = define(example.call, {to_values(example.inputs[0].view())});
        for (const int threads : {1, 3}) {
          EXPECT_EQ(to_values(run(kEigenEngine, example, threads).view()), wanted)
              << to_string(example.call);
        }
        const std::array outputs{example.inputs[0].view()};
        find_kernel(kEigenEngine, example.call).run({example.call, outputs, outputs, 2, {}});
        EXPECT_EQ(to_values(outputs[0]), wanted) << to_string(example.call);
      }
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
