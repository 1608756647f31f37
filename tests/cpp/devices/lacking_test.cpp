#include "siliconprof/devices/lacking.h"

#include <gtest/gtest.h>

#include "devices/made_device.h"
#include "siliconprof/core/error.h"
#include "siliconprof/devices/step_prediction.h"
#include "siliconprof/workloads/single_op.h"
#include "siliconprof/workloads/training_step.h"

namespace siliconprof {
namespace {

Framework without(const char* what) {
  Framework framework = made_framework();
  framework.lacks[what] = "it came later";
  return framework;
}

Trace small_step(Precision precision) {
  return training_step({.workload = "gpt2-small",
                        .sizes = {{"layers", 1}, {"batch", 1}, {"seq", 8}},
                        .precision = precision});
}

TEST(Lacking, AutocastIsACastAmongOtherCalls) {
  const Trace mixed = small_step(Precision::AmpFp16);
  EXPECT_THROW(check_lacking(without("amp-fp16"), mixed), DtypeError);
  EXPECT_THROW(check_lacking(without("amp-fp16"), summarise(mixed)), DtypeError);
  EXPECT_NO_THROW(check_lacking(without("amp-bf16"), mixed));
  EXPECT_NO_THROW(check_lacking(without("amp-fp16"), small_step(Precision::Fp32)));
  EXPECT_NO_THROW(check_lacking(made_framework(), mixed));
  const Trace cast = single_op("cast_float16", {{"n", 8}}, Dtype::Float32, {}, false);
  EXPECT_NO_THROW(check_lacking(without("amp-fp16"), cast));
}

TEST(Lacking, AFormatIsLackingInEachCall) {
  const Trace half = single_op("relu", {{"n", 8}}, Dtype::Float16, {}, false);
  EXPECT_THROW(check_lacking(without("float16"), half), DtypeError);
  EXPECT_NO_THROW(check_lacking(without("bfloat16"), half));
}

TEST(Lacking, OffloadIsATransferAmongOtherCalls) {
  const Trace plain = small_step(Precision::Fp32);
  const Trace offloaded = training_step({.workload = "gpt2-small",
                                         .sizes = {{"layers", 1}, {"batch", 1}, {"seq", 8}},
                                         .offload = OffloadMode::Overlapped});
  EXPECT_NO_THROW(check_lacking(without("offload"), plain));
  EXPECT_THROW(check_lacking(without("offload"), offloaded), DtypeError);
  EXPECT_THROW(check_lacking(without("offload"), summarise(offloaded)), DtypeError);
}

TEST(Lacking, EveryPredictionSaysWhy) {
  const Model model(made_device(), without("amp-fp16"));
  const Trace mixed = small_step(Precision::AmpFp16);
  try {
    model.predict(mixed);
    FAIL() << "predicted";
  } catch (const DtypeError& error) {
    EXPECT_NE(std::string(error.what()).find("made-fw has no amp-fp16: it came later"),
              std::string::npos);
  }
  EXPECT_THROW(model.totals(mixed), DtypeError);
  EXPECT_THROW(predict_step(model, summarise(mixed), model.held_bytes(mixed)), DtypeError);
}

}  // namespace
}  // namespace siliconprof
