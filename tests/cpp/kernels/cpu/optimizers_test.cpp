#include "siliconprof/kernels/cpu/optimizers.h"

#include "siliconprof/kernels/cpu/caches.h"
#include "siliconprof/kernels/cpu/eigen_engine.h"
#include "siliconprof/kernels/cpu/reference_engine.h"
#include "training_agreement.h"

namespace siliconprof::cpu {
namespace {

TEST(Optimizers, AdamWAgreesWithTheDefinitionInPlaceToo) {
  for (const Dtype dtype : kCpuDtypes) {
    for (const std::int64_t n : {0, 1, 17, 1000, 40001}) {
      for (const double step : {1.0, 1000.0}) {
        expect_training_op_agrees(kEigenEngine, "adamw", {n}, dtype,
                                  {0.02, 0.9, 0.999, 1e-8, 0.1, step}, 5, {0, 2, 3});
      }
    }
  }
}

TEST(Optimizers, SgdAgreesWithTheDefinitionInPlaceToo) {
  for (const Dtype dtype : kCpuDtypes) {
    for (const std::int64_t n : {0, 1, 17, 1000, 40001}) {
      for (const double nesterov : {0.0, 1.0}) {
        for (const double decay : {0.0, 0.05}) {
          expect_training_op_agrees(kEigenEngine, "sgd", {n}, dtype, {0.1, 0.9, decay, nesterov}, 7,
                                    {0, 2});
        }
      }
    }
  }
}

// As PyTorch's: g² alone is past float32's range, and an infinite second moment would never end.
TEST(Optimizers, AGreatGradientLeavesAdamWsSecondMomentFinite) {
  const Example example("adamw", {40}, Dtype::Float32, {0.1, 0.9, 0.999, 1e-8, 0.0, 1.0}, 3);
  for (std::int64_t i = 0; i < 40; ++i) {
    set(example.inputs[0], i, 1.0);
    set(example.inputs[1], i, 1e20);
    set(example.inputs[2], i, 0.0);
    set(example.inputs[3], i, 0.0);
  }
  const std::vector<Tensor> found = run_all(kEigenEngine, example, 1);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_NEAR(found[0].view().as<float>()[i], 0.9, 1e-6);
    EXPECT_NEAR(double(found[2].view().as<float>()[i]) / 1e37, 1, 1e-5);
  }
}

// Past the caches the stores bypass them; in place they don't.
TEST(Optimizers, StatesLargerThanTheCacheAreRightToTheLastElement) {
  const std::int64_t n = last_level_cache_bytes() / 20 + 12345;
  for (const char* op : {"adamw", "sgd"}) {
    const Example example = training_example(op, {n}, Dtype::Float32, {}, 3);
    const std::vector<Tensor> found = run_all(kEigenEngine, example, 2);
    const std::vector<Tensor> exact = run_all(kReferenceEngine, example, 1);
    for (std::size_t o = 0; o < found.size(); ++o) {
      for (std::int64_t i = 0; i < n; ++i) {
        ASSERT_NEAR(found[o].view().as<float>()[i], exact[o].view().as<float>()[i], 1e-6)
            << op << " output " << o << " element " << i;
      }
    }
  }
}

TEST(Optimizers, WriteByWhereTheyWriteAndWhoReadsIt) {
  EXPECT_EQ(stores_for({false, true, true, true}), Stores::Past);
  EXPECT_EQ(stores_for({false, false, true, true}), Stores::Cached);
  EXPECT_EQ(stores_for({true, true, true, false}), Stores::Asked);
  EXPECT_EQ(stores_for({true, true, true, true}), Stores::ParameterPast);
  EXPECT_EQ(stores_for({true, false, true, true}), Stores::ParameterPast);
  EXPECT_EQ(stores_for({true, true, false, true}), Stores::Cached);
}

// On an AMD they are written past the caches.
TEST(Optimizers, ParametersThatOtherCallsReadGetTheSameBits) {
  for (const Dtype dtype : kCpuDtypes) {
    for (const char* op : {"adamw", "sgd"}) {
      std::vector<std::vector<Tensor>> found;
      for (const bool others_read : {false, true}) {
        Example example = training_example(op, {100003}, dtype, {}, 3);
        const std::vector<TensorView> in = example.views();
        std::vector<TensorView> out{in[0], in[2]};
        if (in.size() == 4) out.push_back(in[3]);
        const Poll none;
        find_kernel(kEigenEngine, example.call).run({example.call, in, out, 2, none, others_read});
        found.push_back(std::move(example.inputs));
      }
      for (std::size_t i = 0; i < found[0].size(); ++i) {
        const TensorView& kept = found[0][i].view();
        EXPECT_EQ(std::memcmp(kept.data, found[1][i].view().data, std::size_t(kept.bytes())), 0)
            << op << ' ' << name(dtype) << ' ' << i;
      }
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
