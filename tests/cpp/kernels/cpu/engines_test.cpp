#include <gtest/gtest.h>

#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/ops/table.h"

namespace siliconprof::cpu {
namespace {

template <class Exception, class Function>
std::string message_of(const Function& function) {
  try {
    function();
  } catch (const Exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Engines, AreFoundByName) {
  for (const auto name : engine_names()) EXPECT_EQ(find_engine(name).name, name);
  EXPECT_EQ(all_engines().size(), engine_names().size());
}

TEST(Engines, AnUnknownNameGetsTheNearest) {
  const std::string message = message_of<UnknownNameError>([] { find_engine("openblass"); });
  EXPECT_TRUE(contains(message, "did you mean 'openblas'?")) << message;
}

TEST(Engines, EveryEngineHasAKernelForEveryOp) {
  for (const Engine* engine : all_engines()) {
    for (const Op* op : all_ops()) {
      const std::vector<std::int64_t> dims(op->dim_names.size(), 2);
      if (!engine->info().available) continue;
      EXPECT_EQ(find_kernel(*engine, make_call(*op, dims, Dtype::Float32, {})).op, op->name);
    }
  }
}

TEST(Engines, Tf32IsRefusedWithTheDtypesThatAreThere) {
  const std::vector<std::int64_t> dims{4};
  const OpCall call = make_call(find_op("copy"), dims, Dtype::Tf32, {});
  const std::string message =
      message_of<DtypeError>([&] { find_kernel(find_engine("reference"), call); });
  EXPECT_TRUE(contains(message, "tf32; needed: one of float64, float32, float16, bfloat16"))
      << message;
}

TEST(Engines, AnOpWithoutAKernelIsRefusedWithTheOpsThatAreThere) {
  Op other = find_op("copy");
  other.name = "unsort";
  OpCall call;
  call.op = &other;
  const std::string message =
      message_of<ArgumentError>([&] { find_kernel(find_engine("eigen"), call); });
  EXPECT_TRUE(contains(message, "op is unsort; needed: one of matmul")) << message;
}

}  // namespace
}  // namespace siliconprof::cpu
