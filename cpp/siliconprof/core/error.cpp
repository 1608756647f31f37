#include "siliconprof/core/error.h"

#include "siliconprof/core/nearest.h"

namespace siliconprof {
namespace {

/// A name short enough to have been meant, cut between characters of UTF-8.
std::string shown(std::string_view name) {
  constexpr std::size_t kLongest = 60;
  if (name.size() <= kLongest) return std::string(name);
  std::size_t end = kLongest - 3;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
  return std::string(name.substr(0, end)) + "...";
}

}  // namespace

void throw_unknown_name(std::string_view place, std::string_view what, std::string_view found,
                        std::span<const std::string_view> valid) {
  std::string message = "[" + std::string(place) + "] unknown " + std::string(what) + " '" +
                        shown(found) + "'" + did_you_mean(found, valid);
  message += "; valid: ";
  for (std::size_t i = 0; i < valid.size(); ++i) {
    message += (i ? ", " : "") + std::string(valid[i]);
  }
  throw UnknownNameError(message);
}

}  // namespace siliconprof
