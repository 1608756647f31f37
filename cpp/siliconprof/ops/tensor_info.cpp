#include "siliconprof/ops/tensor_info.h"

#include <array>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, kRoleCount> kNames{
    "parameter", "gradient", "optimizer_state", "activation", "input", "temporary"};

}  // namespace

std::string_view name(Role role) { return kNames[static_cast<std::size_t>(role)]; }

Role parse_role(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<Role>(i);
  }
  throw_unknown_name("trace", "role", text, kNames);
}

}  // namespace siliconprof
