#pragma once

// Who brings how much, when several change a value together.
// [shapley1953] L. S. Shapley, "A Value for n-Person Games", 1953: the one split that is exact,
// gives equals equal parts and nothing to who changes nothing.

#include <cstdint>
#include <span>
#include <vector>

namespace siliconprof {

/// The players in a set: bit i for player i.
using PlayerSet = std::uint32_t;
inline constexpr int kMaxPlayers = 16;

/// Each player's part of worth(all) - worth(none): what it adds when it joins, averaged over all
/// orders in which the players may join. `worth[set]` for each of the 2^players sets. The parts sum
/// to the whole up to rounding. Throws ArgumentError when worths are missing.
std::vector<double> shapley(int players, std::span<const double> worth);

}  // namespace siliconprof
