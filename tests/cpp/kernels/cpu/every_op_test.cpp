// What holds for every op of the table, on random calls in every dtype: a newcomer is tested here
// without a line of its own.

#include <gtest/gtest.h>

#include "every_op_cases.h"
#include "siliconprof/kernels/cpu/eigen_engine.h"
#include "siliconprof/kernels/cpu/openblas_engine.h"
#include "siliconprof/kernels/cpu/reference_engine.h"

namespace siliconprof::cpu {
namespace {

constexpr int kCases = 2000;  // at least, over all ops and dtypes
constexpr int kTries = 400;   // for sizes that the op takes

bool has_kernel(const Engine& engine, const OpCall& call) {
  return engine.info().available &&
         std::any_of(engine.kernels.begin(), engine.kernels.end(),
                     [&](const Kernel& kernel) { return kernel.op == call.op->name; });
}

/// The engine that is asked in this case, by turns where both have the op; OpenBLAS and Eigen
/// differ in products alone. None where neither has it.
const Engine* fast_engine(const OpCall& call, int which) {
  const std::array<const Engine*, 2> engines{&kEigenEngine, &kOpenBlasEngine};
  for (const int turn : {which, which + 1}) {
    const Engine* engine = engines[std::size_t(turn % 2)];
    if (has_kernel(*engine, call)) return engine;
  }
  return nullptr;
}

int parts_reported() {
  return testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
}

/// Calls body(example, random, case, asked) for every op and dtype, `kCases` times in all at least.
/// Returns how often it set `asked`: what it left at once was no case.
template <class Body>
int for_every_op(std::uint64_t seed, const Body& body) {
  const int each = kCases / int(all_ops().size() * kCpuDtypes.size()) + 1;
  int cases = 0;
  for (const Op* op : all_ops()) {
    for (const Dtype dtype : kCpuDtypes) {
      Random random(seed + std::hash<std::string_view>{}(op->name) + std::uint64_t(dtype));
      for (int i = 0; i < each; ++i) {
        std::optional<Example> example;
        for (int t = 0; t < kTries && !example; ++t) example = any_example(*op, dtype, random);
        if (!example) {
          ADD_FAILURE() << op->name << " took none of " << kTries << " random sizes";
          return cases;
        }
        SCOPED_TRACE(to_string(example->call) + " attributes " +
                     testing::PrintToString(example->call.attributes) + " case " +
                     std::to_string(i));
        const int before = parts_reported();
        bool asked = false;
        body(*example, random, i, asked);
        cases += int(asked);
        if (parts_reported() > before) break;  // one case of an op is enough to look at
      }
    }
  }
  return cases;
}

double largest_in(const std::vector<Values>& all) {
  double largest = 1.0;
  for (const Values& values : all) {
    for (const double x : values) {
      if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
    }
  }
  return largest;
}

/// Above this a number of the format is an infinity.
double overflow(Dtype dtype) {
  if (dtype == Dtype::Float16) return 65504.0;
  return dtype == Dtype::Float64 ? std::numeric_limits<double>::max()
                                 : double(std::numeric_limits<float>::max());
}

/// Each of the operations behind an element rounds once, in numbers no larger than the largest in
/// sight; then the result is rounded to its format. NaN and infinities must stand where the
/// definition has them; with infinities among the inputs a kernel that arranges terms in another
/// way may find NaN for an infinity, as their difference is.
void expect_near(const Example& example, const std::vector<Values>& in,
                 const std::vector<Values>& exact, const std::vector<Tensor>& found,
                 bool infinities = false) {
  const double u_sum = example.call.dtype == Dtype::Float64 ? 0x1p-52 : 0x1p-24;
  const double largest = std::max(largest_in(in), largest_in(exact));
  for (std::size_t o = 0; o < exact.size(); ++o) {
    const Dtype dtype = found[o].view().dtype;
    const Values values = to_values(found[o].view());
    ASSERT_EQ(values.size(), exact[o].size());
    const double behind = double(example.call.op->cost(example.call).flops()) /
                          double(std::max<std::size_t>(1, exact[o].size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double x = exact[o][i];
      if (dtype == Dtype::Int32) {
        ASSERT_EQ(values[i], x) << "output " << o << " [" << i << "]";
      } else if (infinities && !std::isfinite(x)) {
        ASSERT_FALSE(std::isfinite(values[i])) << "output " << o << " [" << i << "] of " << x;
      } else if (std::isnan(x)) {
        ASSERT_TRUE(std::isnan(values[i])) << "output " << o << " [" << i << "] " << values[i];
      } else if (std::abs(x) > overflow(dtype) * (1 - unit_roundoff(dtype))) {
        ASSERT_GE(x > 0 ? values[i] : -values[i], overflow(dtype))
            << o << " [" << i << "] of " << x;
      } else {
        const double sum_error = (16 + behind) * u_sum * largest;
        const double bound =
            sum_error + unit_roundoff(dtype) * (std::abs(x) + sum_error) + underflow(dtype);
        ASSERT_LE(std::abs(values[i] - x), bound) << "output " << o << " [" << i << "] of " << x;
      }
    }
  }
}

void expect_same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  for (std::size_t o = 0; o < a.size(); ++o) {
    const auto bytes = std::size_t(a[o].view().bytes());
    if (bytes == 0 || std::memcmp(a[o].view().data, b[o].view().data, bytes) == 0) continue;
    const Values x = to_values(a[o].view());
    const Values y = to_values(b[o].view());
    for (std::size_t i = 0; i < x.size(); ++i) {  // the bits of a NaN may differ
      ASSERT_TRUE(x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i])))
          << "output " << o << " [" << i << "]: " << x[i] << " and " << y[i];
    }
  }
}

TEST(EveryOp, FastEnginesAgreeWithTheDefinitionForAnyThreadCount) {
  const auto body = [](Example& example, Random& random, int which, bool& asked) {
    const Exception* exception = find_exception(example.call.op->name);
    const bool special = which % 3 != 0 && (!exception || exception->specials);
    const bool infinities = special && which % 3 == 2;
    if (special) sprinkle(example, random, infinities);
    const Engine* engine = fast_engine(example.call, which);
    if (engine == nullptr) return;
    asked = true;
    std::vector<Values> in;
    for (const Tensor& tensor : example.inputs) in.push_back(to_values(tensor.view()));
    const std::vector<Tensor> one = run_all(*engine, example, 1);
    expect_near(example, in, define_all(example.call, in), one, infinities);
    for (const int threads : {2, 3}) {
      const std::vector<Tensor> more = run_all(*engine, example, threads);
      if (!exception || exception->same_bits) {
        expect_same_bits(one, more);
      } else {
        expect_near(example, in, define_all(example.call, in), more, infinities);
      }
    }
  };
  EXPECT_GE(for_every_op(1, body), kCases);
}

TEST(EveryOp, CostsAreNeverNegative) {
  const auto body = [](Example& example, Random&, int, bool& asked) {
    asked = true;
    const Cost cost = example.call.op->cost(example.call);
    for (const std::int64_t part :
         {cost.matrix_flops, cost.vector_flops, cost.bytes_read, cost.bytes_written}) {
      EXPECT_GE(part, 0);
    }
  };
  EXPECT_GE(for_every_op(2, body), kCases);
}

TEST(EveryOp, AWrongIndexIsRefusedWithNothingWritten) {
  const auto body = [](Example& example, Random& random, int which, bool& asked) {
    const Signature signature = example.call.op->signature(example.call);
    const Engine* engine = which % 3 == 2 ? &kReferenceEngine : fast_engine(example.call, which);
    if (engine == nullptr) return;
    for (std::size_t i = 0; i < example.inputs.size(); ++i) {
      const TensorView& index = example.inputs[i].view();
      if (index.dtype != Dtype::Int32 || index.elements() == 0) continue;
      asked = true;
      const auto limit = std::int32_t(signature.inputs[i].index_limit);
      index.as<std::int32_t>()[random() % std::uint64_t(index.elements())] =
          random() % 2 == 0 ? limit : -1;
      std::vector<Tensor> outputs;
      std::vector<TensorView> views;
      for (const Slot& slot : signature.outputs) {
        views.push_back(outputs.emplace_back(slot.dtype_in(example.call), slot.shape).view());
        std::memset(views.back().data, 0x5a, std::size_t(views.back().bytes()));
      }
      const Poll none;
      EXPECT_THROW(find_kernel(*engine, example.call)
                       .run({example.call, example.views(), views, 1 + which % 3, none}),
                   ArgumentError);
      for (const TensorView& view : views) {
        const auto* bytes = static_cast<const unsigned char*>(view.data);
        EXPECT_TRUE(std::all_of(bytes, bytes + view.bytes(), [](auto b) { return b == 0x5a; }));
      }
      return;
    }
  };
  EXPECT_GT(for_every_op(3, body), 0);
}

TEST(EveryOp, AnUpdateInPlaceGivesTheSameBits) {
  const auto body = [](Example& example, Random&, int which, bool& asked) {
    const auto updatable = std::size_t(example.call.op->updatable_outputs);
    const Engine* engine = which % 3 == 2 ? &kReferenceEngine : fast_engine(example.call, which);
    if (engine == nullptr || updatable == 0) return;
    asked = true;
    const std::vector<Tensor> apart = run_all(*engine, example, 1);
    std::vector<TensorView> inputs = example.views();
    std::vector<TensorView> outputs;
    for (const Tensor& tensor : apart) outputs.push_back(tensor.view());
    std::vector<Tensor> expected;
    for (const Tensor& tensor : apart) {
      expected.emplace_back(tensor.view().dtype, tensor.view().shape);
      std::memcpy(expected.back().view().data, tensor.view().data,
                  std::size_t(tensor.view().bytes()));
    }
    std::vector<bool> taken(inputs.size());
    for (std::size_t o = 0; o < std::min(updatable, outputs.size()); ++o) {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (taken[i] || inputs[i].shape != outputs[o].shape || inputs[i].dtype != outputs[o].dtype)
          continue;
        outputs[o] = inputs[i];
        taken[i] = true;
        break;
      }
    }
    const Poll none;
    find_kernel(*engine, example.call).run({example.call, inputs, outputs, 1 + which % 3, none});
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const Values found = to_values(outputs[o]);
      const Values wanted = to_values(expected[o].view());
      for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_TRUE(found[i] == wanted[i] || (std::isnan(found[i]) && std::isnan(wanted[i])))
            << "output " << o << " [" << i << "]";
      }
    }
  };
  EXPECT_GT(for_every_op(4, body), 0);
}

TEST(EveryOp, TheTablesOfDomainsAndExceptionsNameOps) {
  for (const Domain& domain : kDomains) {
    EXPECT_FALSE(domain.reason.empty()) << domain.op;
  }
  for (const Exception& exception : kExceptions) {
    EXPECT_TRUE(!exception.specials || !exception.same_bits) << exception.op;
    EXPECT_NO_THROW(find_op(exception.op));
  }
}

}  // namespace
}  // namespace siliconprof::cpu
