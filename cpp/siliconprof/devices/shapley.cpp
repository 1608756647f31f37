#include "siliconprof/devices/shapley.h"

#include <bit>
#include <string>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

// weight[s] = s! (n - s - 1)! / n!: how often, among all orders, a player finds exactly a given set
// of s others before it.
std::vector<double> weights(int players) {
  std::vector<double> found(std::size_t(players), 0.0);
  double weight = players > 0 ? 1.0 / players : 0.0;
  for (int s = 0; s < players; ++s) {
    found[std::size_t(s)] = weight;
    if (s + 1 < players) weight *= double(s + 1) / double(players - s - 1);
  }
  return found;
}

}  // namespace

std::vector<double> shapley(int players, std::span<const double> worth) {
  if (players < 0 || players > kMaxPlayers || worth.size() != std::size_t(1) << players) {
    throw ArgumentError("[shapley] " + std::to_string(worth.size()) + " worths for " +
                        std::to_string(players) + " players; needed: 2^players, at most 2^" +
                        std::to_string(kMaxPlayers));
  }
  const std::vector<double> weight = weights(players);
  std::vector<double> parts(std::size_t(players), 0.0);
  for (int player = 0; player < players; ++player) {
    const PlayerSet own = PlayerSet(1) << player;
    for (PlayerSet before = 0; before < worth.size(); ++before) {
      if ((before & own) != 0) continue;
      parts[std::size_t(player)] +=
          weight[std::size_t(std::popcount(before))] * (worth[before | own] - worth[before]);
    }
  }
  return parts;
}

}  // namespace siliconprof
