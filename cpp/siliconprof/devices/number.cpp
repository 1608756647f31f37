#include "siliconprof/devices/number.h"

#include <array>
#include <cmath>
#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/core/nearest.h"
#include "siliconprof/core/number_text.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 4> kNames{"spec", "measured", "fitted", "assumed"};

}  // namespace

std::string_view name(NumberKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

NumberKind parse_number_kind(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<NumberKind>(i);
  }
  throw_unknown_name("number", "kind", text, kNames);
}

const Number& find_number(const Numbers& numbers, std::string_view owner,
                          std::initializer_list<std::string> keys) {
  for (const std::string& key : keys) {
    const auto found = numbers.find(key);
    if (found != numbers.end()) return found->second;
  }
  std::string message = "[" + std::string(owner) + "] has no number";
  for (const std::string& key : keys) {
    message += (&key == keys.begin() ? " '" : " or '") + key + "'";
  }
  std::vector<std::string_view> valid;
  for (const auto& [key, number] : numbers) valid.push_back(key);
  const auto nearest = nearest_names(*keys.begin(), valid);
  if (!nearest.empty()) message += "; nearest: '" + std::string(nearest.front()) + "'";
  throw DeviceError(message);
}

void check(const Numbers& numbers, std::string_view owner) {
  for (const auto& [key, number] : numbers) {
    const std::string where = "[" + std::string(owner) + "] " + key + " is ";
    if (!std::isfinite(number.value) || number.value <= 0.0) {
      throw DeviceError(where + number_text(number.value) + "; needed: finite and above 0");
    }
    if (!(number.relative_error >= 0.0 && number.relative_error < 1.0)) {
      throw DeviceError(where + "given with relative_error " + number_text(number.relative_error) +
                        "; needed: 0 to below 1");
    }
  }
}

}  // namespace siliconprof
