#include "siliconprof/kernels/cpu/training_kernels.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"
#include "training_agreement.h"

namespace siliconprof::cpu {
namespace {

constexpr std::array<std::int64_t, 8> kLengths{0, 1, 3, 16, 63, 64, 65, 1000};

/// Runs body(kernels, dtype, n, stream) for every build.
template <class Body>
void for_builds(const Body& body) {
  for (const TrainingKernels* kernels : runnable_training_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (const Dtype dtype : kCpuDtypes) {
      for (const std::int64_t n : kLengths) {
        for (const bool stream : {false, true}) body(kernels->of(dtype), dtype, n, stream);
      }
    }
  }
}

std::vector<Tensor> empty_outputs(const OpCall& call) {
  std::vector<Tensor> outputs;
  for (const Slot& slot : call.op->signature(call).outputs) {
    outputs.emplace_back(slot.dtype_in(call), slot.shape);
  }
  return outputs;
}

std::vector<TensorView> views_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorView> views;
  for (const Tensor& tensor : tensors) views.push_back(tensor.view());
  return views;
}

std::vector<Stores> stores_of(bool stream) {
  if (stream) return {Stores::Past};
  return {Stores::Cached, Stores::Asked, Stores::ParameterPast};
}

TEST(TrainingKernels, EveryBuildTakesOptimizerSteps) {
  for_builds([](const TrainingLoops& loops, Dtype dtype, std::int64_t n, bool stream) {
    const Example adamw = training_example("adamw", {n}, dtype, {0.02, 0.9, 0.99}, 9);
    const std::vector<TensorView> in = adamw.views();
    for (const Stores stores : stores_of(stream)) {
      const std::vector<Tensor> out = empty_outputs(adamw.call);
      loops.adamw({in[0].data, in[1].data, in[2].data, in[3].data, out[0].view().data,
                   out[1].view().data, out[2].view().data},
                  adamw.call.attributes.data(), n, stores);
      expect_training_agreement(adamw.call, input_values(adamw), views_of(out));
    }

    const Example sgd = training_example("sgd", {n}, dtype, {0.1, 0.9, 0.01, 1.0}, 9);
    const std::vector<TensorView> given = sgd.views();
    for (const Stores stores : stores_of(stream)) {
      const std::vector<Tensor> stepped = empty_outputs(sgd.call);
      loops.sgd({given[0].data, given[1].data, given[2].data, stepped[0].view().data,
                 stepped[1].view().data},
                sgd.call.attributes.data(), n, stores);
      expect_training_agreement(sgd.call, input_values(sgd), views_of(stepped));
    }
  });
}

TEST(TrainingKernels, EveryBuildUpdatesInPlaceByAnyStores) {
  for_builds([](const TrainingLoops& loops, Dtype dtype, std::int64_t n, bool stream) {
    if (stream) return;
    const Example given = training_example("adamw", {n}, dtype, {0.02, 0.9, 0.99}, 9);
    for (const Stores stores : stores_of(false)) {
      const Example example = training_example("adamw", {n}, dtype, {0.02, 0.9, 0.99}, 9);
      const std::vector<TensorView> at = example.views();
      loops.adamw(
          {at[0].data, at[1].data, at[2].data, at[3].data, at[0].data, at[2].data, at[3].data},
          example.call.attributes.data(), n, stores);
      expect_training_agreement(given.call, input_values(given), {at[0], at[2], at[3]});
    }
  });
}

TEST(TrainingKernels, EveryBuildUnscalesAndNoticesWhatIsNotFinite) {
  for_builds([](const TrainingLoops& loops, Dtype dtype, std::int64_t n, bool stream) {
    const Example example = training_example("unscale", {n}, dtype, {}, 9);
    std::vector<Tensor> out = empty_outputs(example.call);
    const void* g = example.inputs[0].view().data;
    *out[1].view().as<char>() = 0;
    EXPECT_TRUE(loops.unscale(g, 1.0 / 1024, out[0].view().data, n, stream));
    expect_training_agreement(example.call, input_values(example),
                              {out[0].view(), example.inputs[2].view()});
    if (n == 0) return;
    set(example.inputs[0], n - 1, -std::numeric_limits<double>::infinity());
    EXPECT_FALSE(loops.unscale(g, 1.0, out[0].view().data, n, stream));
  });
}

TEST(TrainingKernels, EveryBuildDropsTheSameElements) {
  for_builds([](const TrainingLoops& loops, Dtype dtype, std::int64_t n, bool stream) {
    constexpr std::int64_t before = 65500;  // a run ends within
    const Example example("dropout", {before + n}, dtype, {0.4, 11.0}, 9);
    const Tensor out(dtype, Shape{before + n});
    const char* x = example.inputs[0].view().as<const char>();
    char* y = out.view().as<char>();
    const std::int64_t at = before * size_bytes(dtype);
    loops.dropout(x, example.call.attributes.data(), 0, y, before, stream);
    loops.dropout(x + at, example.call.attributes.data(), before, y + at, n, stream);
    expect_training_agreement(example.call, input_values(example), {out.view()});
  });
}

// Outputs that don't reach a line's start together can't be streamed, but for the first alone.
TEST(TrainingKernels, StatesAtOddPlacesAreRight) {
  constexpr std::int64_t n = 200;
  const Example whole = training_example("sgd", {n + 1}, Dtype::Float32, {}, 4);
  const auto data = [&](std::size_t i, std::int64_t skip) {
    return whole.inputs[i].view().as<float>() + skip;
  };
  for (const TrainingKernels* kernels : runnable_training_kernels()) {
    for (const Stores stores : {Stores::Past, Stores::ParameterPast}) {
      std::vector<float> p(n + 3);
      std::vector<float> v(n + 3);
      kernels->float32.sgd({data(0, 1), data(1, 0), data(2, 1), p.data() + 1, v.data() + 2},
                           whole.call.attributes.data(), n, stores);
      for (std::int64_t i = 0; i < n; ++i) {
        const double velocity = 0.9 * double(data(2, 1)[i]) + double(data(1, 0)[i]);
        ASSERT_NEAR(v[std::size_t(i + 2)], velocity, 1e-6);
        ASSERT_NEAR(p[std::size_t(i + 1)], double(data(0, 1)[i]) - 0.1 * velocity, 1e-6);
      }
      EXPECT_EQ(p[0] + p[n + 1] + p[n + 2] + v[0] + v[1] + v[n + 2], 0.0F);
    }
  }
}

TEST(TrainingKernels, TheGenericBuildRunsEverywhereAndTheBestComesFirst) {
  EXPECT_EQ(runnable_training_kernels().back()->instruction_set, "generic");
  EXPECT_EQ(&training_kernels(), runnable_training_kernels().front());
  EXPECT_THROW(training_kernels().of(Dtype::Tf32), DtypeError);
}

}  // namespace
}  // namespace siliconprof::cpu
