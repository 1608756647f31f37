#include "siliconprof/core/number_text.h"

#include <algorithm>
#include <array>

namespace siliconprof {
namespace {

constexpr int kMostDigits = 17;  // that a double has

// Of the largest double as %f: a sign, its 309 digits, the point, and those after it.
using Buffer = std::array<char, 1 + 309 + 1 + kMostDigits>;

}  // namespace

std::string number_text(double value) {
  Buffer text{};
  char* const begin = text.data();
  return {begin, std::to_chars(begin, begin + text.size(), value, std::chars_format::general).ptr};
}

std::string number_text(double value, std::chars_format format, int digits) {
  Buffer text{};
  char* const begin = text.data();
  const int asked = std::clamp(digits, 0, kMostDigits);
  return {begin, std::to_chars(begin, begin + text.size(), value, format, asked).ptr};
}

std::string gigabytes_text(double bytes) {
  return number_text(bytes / 1e9, std::chars_format::general, 4) + " GB";
}

}  // namespace siliconprof
