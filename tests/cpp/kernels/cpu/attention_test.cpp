#include "siliconprof/kernels/cpu/attention.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "attention_bounds.h"
#include "siliconprof/kernels/cpu/attention_kernels.h"
#include "siliconprof/kernels/cpu/eigen_engine.h"

namespace siliconprof::cpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Runner = void (*)(const KernelCall&, const AttentionRun&);

std::vector<Tensor> run_with(Runner runner, const AttentionRun& how, const OpCall& call,
                             const std::vector<TensorView>& inputs, int threads,
                             const Poll& poll = {}) {
  std::vector<Tensor> outputs;
  std::vector<TensorView> views;
  for (const Slot& slot : call.op->signature(call).outputs) {
    views.push_back(outputs.emplace_back(slot.dtype_in(call), slot.shape).view());
    std::memset(views.back().data, 0xff, std::size_t(views.back().bytes()));
  }
  runner({call, inputs, views, threads, poll}, how);
  return outputs;
}

void expect_near(const Tensor& found, const Values& exact, const Values& bound, Dtype dtype) {
  const Values values = to_values(found.view());
  ASSERT_EQ(values.size(), exact.size());
  const double u = unit_roundoff(dtype);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (std::isinf(exact[i])) {
      ASSERT_EQ(values[i], exact[i]) << i;
      continue;
    }
    const double most = bound[i] + u * (std::abs(exact[i]) + bound[i]) + underflow(dtype);
    ASSERT_LE(std::abs(values[i] - exact[i]), most)
        << "element " << i << " is " << values[i] << ", not " << exact[i];
  }
}

/// What the test of one shape goes through; `one` for attention_qkv.
struct Case {
  bool one;
  std::vector<std::int64_t> dims;
  double causal;
  Dtype dtype;
  int threads;
  double flops_between_polls;
  std::uint64_t seed;
};

/// The backward call's inputs: those of the forward one, its results as the definition has them,
/// rounded, and a cotangent.
std::vector<Tensor> with_results(const Example& forward, const Example& backward) {
  std::vector<Tensor> inputs;
  std::vector<Values> in;
  for (const Tensor& tensor : forward.inputs) in.push_back(to_values(tensor.view()));
  const std::vector<Values> results = define_all(forward.call, in);
  const std::size_t first = forward.inputs.size();
  for (std::size_t i = 0; i < backward.inputs.size(); ++i) {
    const TensorView& like = backward.inputs[i].view();
    Tensor& tensor = inputs.emplace_back(like.dtype, like.shape);
    const TensorView& from = i < first ? forward.inputs[i].view() : like;
    std::memcpy(tensor.view().data, from.data, std::size_t(like.bytes()));
    if (i != first && i != first + 1) continue;
    for (std::int64_t e = 0; e < like.elements(); ++e) {
      const double value = results[i - first][std::size_t(e)];
      with_element_type(like.dtype, [&]<class E>() {
        if constexpr (std::is_same_v<E, double>) {
          tensor.view().as<E>()[e] = value;
        } else {
          tensor.view().as<E>()[e] = E(float(value));
        }
      });
    }
  }
  return inputs;
}

void expect_attention_agrees(const AttentionKernelTable& table, const Case& c) {
  const Example forward(c.one ? "attention_qkv" : "attention", c.dims, c.dtype, {c.causal}, c.seed);
  const Example backward(c.one ? "attention_qkv_backward" : "attention_backward", c.dims, c.dtype,
                         {c.causal}, c.seed + 9);
  SCOPED_TRACE(std::string(table.instruction_set) + " " + to_string(forward.call) + " causal " +
               std::to_string(c.causal) + " threads " + std::to_string(c.threads));
  const std::vector<Tensor> inputs = with_results(forward, backward);
  std::vector<TensorView> views;
  std::vector<Values> in;
  for (const Tensor& tensor : inputs) {
    views.push_back(tensor.view());
    in.push_back(to_values(tensor.view()));
  }
  const AttentionLayout a =
      c.one ? attention_qkv_layout(forward.call) : attention_layout(forward.call);
  const std::size_t kept = c.one ? 1 : 3;
  const AttentionValues values{in[0].data(),    in[c.one ? 0 : 1].data(), in[c.one ? 0 : 2].data(),
                               in[kept].data(), in[kept + 1].data(),      in[kept + 2].data()};
  const double u = c.dtype == Dtype::Float64 ? 0x1p-52 : 0x1p-24;  // the definition rounds too
  const AttentionBounds bounds =
      attention_bounds(a, values, in[0].size(), in[c.one ? 0 : 1].size(), u);
  const AttentionRun how{table, c.flops_between_polls};

  const std::vector<Values> exact = define_all(forward.call, {in.begin(), in.begin() + kept});
  const std::vector<Tensor> found =
      run_with(c.one ? Runner(run_attention_qkv) : Runner(run_attention), how, forward.call,
               forward.views(), c.threads);
  expect_near(found[0], exact[0], bounds.y, c.dtype);
  expect_near(found[1], exact[1], bounds.lse, statistics_dtype(c.dtype));

  const std::vector<Values> slopes = define_all(backward.call, in);
  const std::vector<Tensor> gradients =
      run_with(c.one ? Runner(run_attention_qkv_backward) : Runner(run_attention_backward), how,
               backward.call, views, c.threads);
  if (c.one) {
    Values all = bounds.dq;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += bounds.dk[i] + bounds.dv[i];
    expect_near(gradients[0], slopes[0], all, c.dtype);
  } else {
    expect_near(gradients[0], slopes[0], bounds.dq, c.dtype);
    expect_near(gradients[1], slopes[1], bounds.dk, c.dtype);
    expect_near(gradients[2], slopes[2], bounds.dv, c.dtype);
  }
}

TEST(Attention, EveryBuildAgreesWithTheDefinitionInRandomShapes) {
  std::mt19937_64 random(20250711);
  const auto size = [&random](std::int64_t most) {
    return random() % 6 == 0 ? std::int64_t(random() % 2)
                             : std::int64_t(random() % std::uint64_t(most)) + 1;
  };
  for (const AttentionKernelTable* table : runnable_attention_kernels()) {
    for (int i = 0; i < 24; ++i) {
      for (const Dtype dtype : kCpuDtypes) {
        const bool one = random() % 3 == 0;
        const std::int64_t head_dim = std::max<std::int64_t>(size(70), 1);
        Case c{one,
               {size(3), size(3), size(150), size(290), head_dim},
               double(random() % 2),
               dtype,
               1 + int(random() % 3),
               random() % 2 == 0 ? 1.0 : 1e9,
               random()};
        if (one) c.dims = {c.dims[0], c.dims[2], c.dims[1], head_dim};
        expect_attention_agrees(*table, c);
      }
    }
  }
}

TEST(Attention, WholeAndRaggedTilesOfEverySizeAgreeWithTheDefinition) {
  for (const AttentionKernelTable* table : runnable_attention_kernels()) {
    for (const std::int64_t n : {1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 200}) {
      expect_attention_agrees(*table, {true, {1, n, 2, 64}, 1, Dtype::Float32, 2, 1e9, 5});
      expect_attention_agrees(*table, {false, {1, 2, n, 129, 32}, 1, Dtype::Float32, 2, 1e9, 6});
      expect_attention_agrees(*table, {false, {1, 1, 65, n, 20}, 0, Dtype::Float32, 1, 1e9, 7});
    }
  }
}

TEST(Attention, AnyThreadCountAndAnyPollingGiveTheSameBits) {
  for (const char* op : {"attention", "attention_backward"}) {
    const Example example(op, {2, 3, 200, 170, 24}, Dtype::Float32, {1}, 3);
    const Runner runner =
        example.inputs.size() == 3 ? Runner(run_attention) : Runner(run_attention_backward);
    const AttentionKernelTable& table = *runnable_attention_kernels().front();
    const auto one = run_with(runner, {table}, example.call, example.views(), 1);
    for (const int threads : {1, 2, 3, 5}) {
      int polls = 0;
      const auto more = run_with(runner, {table, 1.0}, example.call, example.views(), threads,
                                 [&polls] { ++polls; });
      EXPECT_GE(polls, 3);
      for (std::size_t i = 0; i < one.size(); ++i) {
        const TensorView& view = one[i].view();
        EXPECT_EQ(std::memcmp(view.data, more[i].view().data, std::size_t(view.bytes())), 0)
            << op << " threads " << threads;
      }
    }
  }
}

TEST(Attention, GreatScoresDoNotOverflow) {
  const Example example("attention", {1, 1, 3, 300, 4}, Dtype::Float32, {0}, 8);
  for (std::int64_t i = 0; i < 12; ++i) set(example.inputs[0], i, 1e4);
  for (std::int64_t j = 0; j < 1200; ++j) set(example.inputs[1], j, j / 4 == 200 ? 1e4 : -1e4);
  const Values y = to_values(run(kEigenEngine, example, 1).view());
  const Values v = to_values(example.inputs[2].view());
  for (std::size_t c = 0; c < 12; ++c) EXPECT_EQ(y[c], v[800 + c % 4]);
}

void fill(const Tensor& tensor, double value) {
  for (std::int64_t i = 0; i < tensor.view().elements(); ++i) set(tensor, i, value);
}

// Equal terms, whose roundings all go one way: a tile's are added up before the tiles' sums are.
TEST(Attention, LongSumsKeepTheirDigits) {
  constexpr std::int64_t n = 65536;
  const double roundings = double(kAttentionKeys + n / kAttentionQueries + 8);
  const double bound = roundings * unit_roundoff(Dtype::Float32) * 0.1;
  const Example forward("attention", {1, 1, 2, n, 16}, Dtype::Float32, {0}, 8);
  fill(forward.inputs[0], 0);  // all keys have the same share
  fill(forward.inputs[2], 0.1);
  for (const double y : to_values(run(kEigenEngine, forward, 1).view())) {
    ASSERT_NEAR(y, double(0.1F), bound);
  }
  const Example backward("attention_backward", {1, 1, n, 2, 16}, Dtype::Float32, {0}, 8);
  fill(backward.inputs[0], 0);
  fill(backward.inputs[4], std::log(2.0));
  fill(backward.inputs[5], 0.1);
  const std::vector<Tensor> slopes = run_all(kEigenEngine, backward, 1);
  for (const double dv : to_values(slopes[2].view())) {
    ASSERT_NEAR(dv / (n / 2), double(0.1F), 2 * bound);
  }
}

// As PyTorch: a NaN or infinity of a query spoils its own row, one of a key all that see it.
TEST(Attention, NonFiniteValuesReachThoseThatSeeThem) {
  for (const double value : {kNan, kInfinity, -kInfinity}) {
    const Example example("attention", {1, 1, 150, 150, 16}, Dtype::Float32, {1}, 8);
    set(example.inputs[0], 70 * 16, value);
    set(example.inputs[1], 140 * 16 + 3, kNan);
    const Values y = to_values(run(kEigenEngine, example, 2).view());
    for (std::size_t i = 0; i < 150; ++i) {
      EXPECT_EQ(std::isnan(y[i * 16]), i == 70 || i >= 140) << i << " with " << value;
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
