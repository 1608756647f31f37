#include "siliconprof/devices/alone_error.h"

#include <string>

#include "siliconprof/devices/unit_rates.h"

namespace siliconprof {

double AloneErrors::of(OpClass op_class, double seconds) const {
  return (seconds < short_s ? short_part : part)[static_cast<std::size_t>(op_class)];
}

AloneErrors alone_errors(const Device& device, const Framework& framework) {
  const auto value = [&](const std::string& key, double otherwise) {
    const Number* number = find_scoped(device, framework, "call", key);
    return number != nullptr ? number->value : otherwise;
  };
  AloneErrors errors;
  errors.short_s = value("short_s", 0.0);
  for (int i = 0; i < kOpClassCount; ++i) {
    const std::string stem(name(static_cast<OpClass>(i)));
    const auto op_class = static_cast<std::size_t>(i);
    errors.part[op_class] = value(stem + ".calibrated_error_part", 0.0);
    errors.short_part[op_class] =
        value(stem + ".calibrated_short_error_part", errors.part[op_class]);
  }
  return errors;
}

}  // namespace siliconprof
