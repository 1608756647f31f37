#pragma once

// Constants of a framework file that stand together.

#include <algorithm>
#include <cmath>
#include <string>

#include "siliconprof/core/error.h"
#include "siliconprof/devices/unit_rates.h"

namespace siliconprof {

/// The constants of one unit, all of which must be there once the first is.
class Constants {
 public:
  Constants(const Device& device, const Framework& framework, std::string table, std::string stem)
      : device_(device), framework_(framework), table_(std::move(table)), stem_(std::move(stem)) {}

  const Number* look_up(const std::string& key) const {
    return find_scoped(device_, framework_, table_, stem_ + key);
  }

  const Number& number(const std::string& key) const {
    if (const Number* found = look_up(key)) return *found;
    throw DeviceError("[" + framework_.id + "] " + table_ + ".<scope>." + stem_ + key +
                      " is missing; needed: every constant beside the others");
  }

  double value(const std::string& key) const { return number(key).value; }

 private:
  const Device& device_;
  const Framework& framework_;
  std::string table_;
  std::string stem_;
};

/// Of cores, or the side of a tile: whole, and at least one. Constants are also tried beside what
/// they are.
inline std::int64_t at_least_one(double value) {
  return std::max<std::int64_t>(1, std::int64_t(std::lround(value)));
}

}  // namespace siliconprof
