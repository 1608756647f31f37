#include "siliconprof/ops/call.h"

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, kPhaseCount> kNames{"forward", "backward", "optimizer",
                                                           "transfer"};

}  // namespace

std::string_view name(Phase phase) { return kNames[static_cast<std::size_t>(phase)]; }

Phase parse_phase(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<Phase>(i);
  }
  throw_unknown_name("phase", "phase", text, kNames);
}

}  // namespace siliconprof
