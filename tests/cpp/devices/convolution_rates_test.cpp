#include <gtest/gtest.h>

#include "devices/made_device.h"
#include "siliconprof/core/error.h"
#include "siliconprof/devices/unit_rates.h"

namespace siliconprof {
namespace {

TEST(ConvolutionRates, AFamilysNumberComesBeforeItsVendors) {
  Framework framework = made_framework();
  framework.numbers["convolution.apple.float32.forward.work"] = made_number(2.0);
  framework.numbers["convolution.apple.float32.forward.start_s"] = made_number(1e-6);
  framework.numbers["convolution.apple-m2.float32.forward.work"] = made_number(3.0);
  const auto rates = convolution_rates(made_device(), framework, Dtype::Float32);
  ASSERT_TRUE(rates[0]);
  EXPECT_EQ(rates[0]->unit.work, 3.0);
  EXPECT_EQ(rates[0]->unit.copy_bytes_per_s, 0.0);
}

TEST(ConvolutionRates, AConvolutionsTransformsAreBySizeAndNeedEveryConstant) {
  Framework framework = made_framework();
  const std::string stem = "convolution.apple.float32.forward.";
  framework.numbers[stem + "work"] = made_number(2.0);
  framework.numbers[stem + "start_s"] = made_number(1e-6);
  framework.numbers[stem + "fourier_32.work"] = made_number(1.5);
  EXPECT_THROW(convolution_rates(made_device(), framework, Dtype::Float32), DeviceError);
  for (const char* key :
       {"elements", "most_elements", "side", "most_side", "channels", "most_channels"}) {
    framework.numbers[stem + "fourier_32." + key] = made_number(64.0);
  }
  EXPECT_THROW(convolution_rates(made_device(), framework, Dtype::Float32), DeviceError);
  framework.numbers[stem + "transforms"] = made_number(0.5);
  const Device device = made_device();
  const auto rates = convolution_rates(device, framework, Dtype::Float32);
  ASSERT_TRUE(rates[0]);
  EXPECT_EQ(rates[0]->unit.fourier[0].tile, 0);
  EXPECT_EQ(rates[0]->unit.fourier[2].tile, 32);
  EXPECT_EQ(rates[0]->unit.fourier[2].work, 1.5);
  EXPECT_EQ(rates[0]->unit.fourier[2].images, 0.0) << "any number of them";
  framework.numbers[stem + "fourier_32.images"] = made_number(24.0);
  EXPECT_EQ(convolution_rates(device, framework, Dtype::Float32)[0]->unit.fourier[2].images, 24.0);
  EXPECT_FALSE(rates[0]->unit.fourier[2].cuts);
  EXPECT_EQ(rates[0]->unit.transform_bytes_per_s,
            0.5 * device.numbers.at("memory.bandwidth_bytes_per_s").value);
}

TEST(ConvolutionRates, CopiesAreWhatCoresKeepUpWithOrMostOfTheMemory) {
  Framework framework = made_framework();
  const std::string stem = "convolution.apple.float32.forward.";
  framework.numbers[stem + "work"] = made_number(2.0);
  framework.numbers[stem + "start_s"] = made_number(1e-6);
  Device device = made_device(4.0, 1e6);
  const double bandwidth = device.numbers.at("memory.bandwidth_bytes_per_s").value;
  const auto copied = [&](double bytes_per_cycle) {
    framework.numbers[stem + "copy_bytes_per_cycle"] = made_number(bytes_per_cycle);
    const auto rates = convolution_rates(device, framework, Dtype::Float32);
    return rates[0].value().unit.copy_bytes_per_s;
  };
  EXPECT_DOUBLE_EQ(copied(2.0), 8e6);
  EXPECT_DOUBLE_EQ(copied(1e12), 0.92 * bandwidth);
  device.numbers.erase("compute.cores");
  EXPECT_DOUBLE_EQ(copied(2.0), 0.92 * bandwidth);
}

TEST(ConvolutionRates, WindowsOfOnePlaceHaveAWorkOfTheirOwnWhereOneIsKnown) {
  Framework framework = made_framework();
  const std::string stem = "convolution.apple.float32.forward.";
  framework.numbers[stem + "work"] = made_number(2.0);
  framework.numbers[stem + "start_s"] = made_number(1e-6);
  EXPECT_EQ(convolution_rates(made_device(), framework, Dtype::Float32)[0].value().unit.pointwise,
            0.0);
  framework.numbers[stem + "pointwise"] = made_number(1.25);
  EXPECT_EQ(convolution_rates(made_device(), framework, Dtype::Float32)[0].value().unit.pointwise,
            1.25);
}

TEST(ConvolutionRates, GradientsOfWeightsHaveConstantsOfTheirOwnWhereThereAreSome) {
  Framework framework = made_framework();
  for (const char* direction : {"backward", "weight"}) {
    const std::string stem = "convolution.apple.float32." + std::string(direction) + ".";
    framework.numbers[stem + "start_s"] = made_number(1e-6);
  }
  framework.numbers["convolution.apple.float32.backward.work"] = made_number(2.0);
  EXPECT_EQ(convolution_rates(made_device(), framework, Dtype::Float32)[2].value().unit.work, 2.0);
  framework.numbers["convolution.apple.float32.weight.work"] = made_number(3.0);
  const auto rates = convolution_rates(made_device(), framework, Dtype::Float32);
  EXPECT_EQ(rates[1].value().unit.work, 2.0);
  EXPECT_EQ(rates[2].value().unit.work, 3.0);
}

TEST(ConvolutionRates, ConvolutionsWithAReachHaveTilesAndNeedEveryConstant) {
  Framework framework = made_framework();
  const std::string stem = "convolution.apple.float32.forward.";
  framework.numbers[stem + "reach"] = made_number(0.5, 0.1);
  EXPECT_THROW(convolution_rates(made_device(), framework, Dtype::Float32), DeviceError);
  for (const char* key : {"start_s", "bandwidth", "outputs_tile", "channels_tile"}) {
    framework.numbers[stem + key] = made_number(1.0);
  }
  const auto rates = convolution_rates(made_device(), framework, Dtype::Float32);
  ASSERT_TRUE(rates[0]);
  EXPECT_DOUBLE_EQ(rates[0]->unit.flops_per_s, 5e12);
  EXPECT_EQ(rates[0]->unit.unfolded_elements_per_s, 0.0);
  framework.numbers[stem + "channels_tile"] = made_number(0.1);
  EXPECT_EQ(convolution_rates(made_device(), framework, Dtype::Float32)[0]->unit.channels_tile, 1);
  framework.numbers[stem + "unfolded_per_flop"] = made_number(1e-3);
  const auto unfolding = convolution_rates(made_device(), framework, Dtype::Float32);
  EXPECT_DOUBLE_EQ(unfolding[0].value().unit.unfolded_elements_per_s, 1e10);
  EXPECT_EQ(unfolding[0].value().unit.row_outputs_tile, 1);
  EXPECT_EQ(unfolding[0].value().unit.copy_bytes_per_s, 0.0);
  framework.numbers[stem + "row_outputs_tile"] = made_number(64.0);
  framework.numbers[stem + "copy"] = made_number(0.5);
  const auto own = convolution_rates(made_device(), framework, Dtype::Float32);
  const double bytes_per_s = made_device().numbers.at("memory.bandwidth_bytes_per_s").value;
  EXPECT_EQ(own[0].value().unit.row_outputs_tile, 64);
  EXPECT_DOUBLE_EQ(own[0].value().unit.copy_bytes_per_s, 0.5 * bytes_per_s);
}

TEST(ConvolutionRates, StagedConvolutionsScaleWithIndexArithmeticAndKnowWhatTheyWriteOut) {
  Framework framework = made_framework();
  const std::string stem = "convolution.apple.float32.forward.";
  for (const char* key : {"start_s", "bandwidth", "reach", "few_part", "two_axes_part"}) {
    framework.numbers[stem + key] = made_number(0.5);
  }
  framework.numbers[stem + "staged_per_flop"] = made_number(0.02);
  const auto staged = [&] {
    return convolution_rates(made_device(), framework, Dtype::Float32)[0].value().unit.staged;
  };
  EXPECT_DOUBLE_EQ(staged().staged_elements_per_s, 0.02 * 1e13);
  EXPECT_EQ(staged().writes_out, WritesOut::None);
  framework.numbers[stem + "index_part"] = made_number(0.5);
  EXPECT_DOUBLE_EQ(staged().staged_elements_per_s, 0.01 * 1e13);
  framework.numbers[stem + "unfolds"] = made_number(1.0);
  EXPECT_THROW(staged(), DeviceError);  // without a rate of writing
  framework.numbers[stem + "unfolded_per_flop"] = made_number(2e-3);
  EXPECT_DOUBLE_EQ(staged().written_elements_per_s, 1e-3 * 1e13);
  EXPECT_EQ(staged().writes_out, WritesOut::Unfit);
  framework.numbers.erase(stem + "unfolds");
  framework.numbers[stem + "unfolds_all"] = made_number(1.0);
  EXPECT_EQ(staged().writes_out, WritesOut::All);
}

TEST(ConvolutionRates, AFormatsOwnGradientsStandBeforeFloat32sWeights) {
  Framework framework = made_framework();
  for (const char* stem : {"float32.weight.", "float16.backward."}) {
    for (const char* key : {"start_s", "bandwidth", "reach", "few_part", "staged_per_flop"}) {
      framework.numbers[std::string("convolution.apple.") + stem + key] = made_number(0.5);
    }
  }
  const ConvolutionRates rates = convolution_rates(made_device(), framework, Dtype::Float16);
  ASSERT_TRUE(rates[2]);
  EXPECT_FALSE(rates[2]->is_least);
}

TEST(ConvolutionRates, SixteenBitsThatWereNotTimedHaveAtLeastTheTilesOfFloat32) {
  Framework framework = made_framework();
  const std::string stem = "convolution.apple.float32.forward.";
  for (const char* key : {"start_s", "bandwidth", "reach", "few_part"}) {
    framework.numbers[stem + key] = made_number(0.5);
  }
  framework.numbers[stem + "staged_per_flop"] = made_number(0.02);
  const auto of = [&](Dtype dtype) {
    return convolution_rates(made_device(), framework, dtype)[0];
  };
  ASSERT_TRUE(of(Dtype::Float16));
  EXPECT_TRUE(of(Dtype::Float16)->is_least);
  EXPECT_DOUBLE_EQ(of(Dtype::Float16)->unit.flops_per_s, 0.5 * 4e13);
  EXPECT_DOUBLE_EQ(of(Dtype::Float16)->unit.staged.staged_elements_per_s, 0.02 * 1e13);
  EXPECT_FALSE(of(Dtype::Float32)->is_least);
  EXPECT_FALSE(of(Dtype::BFloat16)) << "the device has no peak of it";
  EXPECT_FALSE(of(Dtype::Tf32));
}

}  // namespace
}  // namespace siliconprof
