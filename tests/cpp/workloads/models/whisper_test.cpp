#include "siliconprof/workloads/models/whisper.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"
#include "siliconprof/workloads/catalogue.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

Sizes tiny() {
  return {{"batch", 2}, {"label_len", 3}, {"frames", 6}, {"mels", 3}, {"context", 4},
          {"vocab", 5}, {"layers", 1},    {"width", 4},  {"heads", 2}};
}

TEST(Whisper, HasThePublishedNumbersOfParameters) {
  for (const char* id :
       {"whisper-tiny", "whisper-base", "whisper-small", "whisper-medium", "whisper-large"}) {
    EXPECT_EQ(forward_trace(find_model(id), {}).parameters(), find_model(id).parameters) << id;
  }
  EXPECT_EQ(find_model("whisper-medium").parameters, 763857920);
  EXPECT_EQ(find_model("whisper-large").parameters, 1543304960);
}

// The published counts hold the sinusoids, which nobody trains.
TEST(Whisper, ItsSinusoidsAreParametersThatArentTrained) {
  const Trace trace = forward_trace(find_model("whisper-medium"), {});
  EXPECT_EQ(trace.parameters() - trace.trained_parameters(), 1500 * 1024);
}

TEST(Whisper, ItsGradientsAgreeWithCentralDifferences) {
  expect_gradients_agree(forward_trace(find_model("whisper-tiny"), tiny(), Dtype::Float64), 1e-7,
                         2);
}

TEST(Whisper, RefusesLabelsLongerThanItsContext) {
  EXPECT_THROW(forward_trace(find_model("whisper-tiny"), {{"label_len", 449}}), ArgumentError);
}

}  // namespace
}  // namespace siliconprof
