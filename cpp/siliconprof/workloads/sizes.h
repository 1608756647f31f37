#pragma once

// Sizes of a model and of its batch by name: what a model is built from.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "siliconprof/core/dtype.h"

namespace siliconprof {

using Sizes = std::map<std::string, std::int64_t, std::less<>>;

/// What a model builds its forward trace from.
struct ForwardConfig {
  std::string id;  // of the model, which errors name
  Sizes sizes;     // all that the model has
  Dtype dtype = Dtype::Float32;
  double dropout = 0.0;

  /// A size that the model's table has.
  std::int64_t at(std::string_view size) const { return sizes.at(std::string(size)); }
  /// The same. Throws ArgumentError outside [least, most]; `limit` says what sets the most.
  std::int64_t at(std::string_view size, std::int64_t least, std::int64_t most,
                  std::string_view limit) const;
  /// Throws ArgumentError, naming the largest that would fit, unless `divisor` divides `size`.
  void check_divides(std::string_view divisor, std::string_view size) const;
};

inline constexpr std::int64_t kNoLimit = std::int64_t{1} << 40;

}  // namespace siliconprof
