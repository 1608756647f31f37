#include "siliconprof/kernels/cpu/silu_gate.h"

#include <gtest/gtest.h>

#include "engine_agreement.h"

namespace siliconprof::cpu {
namespace {

TEST(SiluGateKernel, GivesTheSameBitsForAnyThreadCountAndInPlace) {
  const Engine& engine = find_engine("openblas");
  for (const Dtype dtype : kCpuDtypes) {
    for (const std::int64_t n : {0, 1, 1000, 100003}) {
      for (const char* op : {"silu_gate", "silu_gate_backward"}) {
        const Example example(op, {n}, dtype, {}, 21);
        const std::vector<Tensor> one = run_all(engine, example, 1);
        for (const int threads : {2, 3}) {
          const Example again(op, {n}, dtype, {}, 21);
          const std::vector<TensorView> views = again.views();
          const std::vector<TensorView> in_place(views.begin(),
                                                 views.begin() + std::ptrdiff_t(one.size()));
          find_kernel(engine, again.call).run({again.call, views, in_place, threads, {}});
          for (std::size_t o = 0; o < one.size(); ++o) {
            EXPECT_EQ(to_values(in_place[o]), to_values(one[o].view())) << op << " " << n;
          }
        }
      }
    }
  }
}

TEST(SiluGateKernel, ANanStaysInItsPlace) {
  const Example example("silu_gate", {100}, Dtype::Float32, {}, 2);
  set(example.inputs[0], 17, std::numeric_limits<double>::quiet_NaN());
  const Values y = to_values(run(find_engine("openblas"), example, 1).view());
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i == 17);
}

}  // namespace
}  // namespace siliconprof::cpu
