#pragma once

// What nothing else beats: the choices of which no other is at least as good in every respect and
// better in one.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace siliconprof {

inline constexpr std::size_t kRespects = 4;
/// Of one choice, the less the better: a step's time, its energy, the price, the memory that it
/// needs.
using Costs = std::array<double, kRespects>;

/// Whether `a` is nowhere worse than `b` and somewhere better.
bool dominates(const Costs& a, const Costs& b);

/// For each choice, whether it is on the frontier. Equal choices are, or aren't, together.
std::vector<bool> frontier(std::span<const Costs> choices);

}  // namespace siliconprof
