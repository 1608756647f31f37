#include "siliconprof/core/number_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <limits>
#include <string>

namespace siliconprof {
namespace {

TEST(NumberText, HasTheFewestDigitsThatNameTheNumber) {
  EXPECT_EQ(number_text(0.0), "0");
  EXPECT_EQ(number_text(-1.0), "-1");
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(1.0 / 3.0), "0.3333333333333333");
  EXPECT_EQ(number_text(99999.0), "99999");
  EXPECT_EQ(number_text(1e-9), "1e-09");
  EXPECT_EQ(number_text(1e30), "1e+30");
}

TEST(NumberText, NamesWhatIsNoNumber) {
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(number_text(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(NumberText, RoundsAsPrintfDoes) {
  EXPECT_EQ(number_text(1.2345e-5, std::chars_format::scientific, 3), "1.234e-05");
  EXPECT_EQ(number_text(2.0, std::chars_format::fixed, 1), "2.0");
  EXPECT_EQ(number_text(1.9999999, std::chars_format::fixed, 2), "2.00");
  EXPECT_EQ(number_text(4096.0, std::chars_format::general, 6), "4096");
  EXPECT_EQ(number_text(2.0 / 3.0, std::chars_format::general, 3), "0.667");
}

TEST(NumberText, HasRoomForTheLongestNumber) {
  const double largest = std::numeric_limits<double>::max();
  const std::string text = number_text(-largest, std::chars_format::fixed, 17);
  EXPECT_EQ(text.size(), 1 + 309 + 1 + 17U);
  EXPECT_EQ(number_text(-largest, std::chars_format::fixed, 99), text);
  EXPECT_EQ(number_text(largest), "1.7976931348623157e+308");
}

TEST(NumberText, GigabytesHaveFourDigits) {
  EXPECT_EQ(gigabytes_text(1.5e9), "1.5 GB");
  EXPECT_EQ(gigabytes_text(24.781e9), "24.78 GB");
  EXPECT_EQ(gigabytes_text(4e6), "0.004 GB");
}

// With whatever such locale the machine has; test_decimal_commas.py makes one for the others.
TEST(NumberText, HasAPointWhereNumbersHaveCommas) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  constexpr std::array<const char*, 4> kLocales{"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
                                                "fr_FR.utf8"};
  const bool found = std::any_of(kLocales.begin(), kLocales.end(), [](const char* name) {
    return std::setlocale(LC_NUMERIC, name) != nullptr;
  });
  const std::string shortest = number_text(1.5);
  const std::string rounded = number_text(1.5, std::chars_format::scientific, 3);
  std::setlocale(LC_NUMERIC, before.c_str());
  if (!found) GTEST_SKIP() << "no locale with decimal commas is installed";
  EXPECT_EQ(shortest, "1.5");
  EXPECT_EQ(rounded, "1.500e+00");
}

}  // namespace
}  // namespace siliconprof
