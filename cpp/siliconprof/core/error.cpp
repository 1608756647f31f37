#include "siliconprof/core/error.h"

#include "siliconprof/core/nearest.h"

namespace siliconprof {

void throw_unknown_name(std::string_view place, std::string_view what, std::string_view found,
                        std::span<const std::string_view> valid) {
  std::string message =
      "[" + std::string(place) + "] unknown " + std::string(what) + " '" + std::string(found) + "'";
  const auto nearest = nearest_names(found, valid);
  if (!nearest.empty()) message += "; did you mean '" + std::string(nearest.front()) + "'?";
  message += "; valid: ";
  for (std::size_t i = 0; i < valid.size(); ++i) {
    message += (i ? ", " : "") + std::string(valid[i]);
  }
  throw UnknownNameError(message);
}

}  // namespace siliconprof
