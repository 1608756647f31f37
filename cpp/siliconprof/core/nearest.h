#pragma once

// Suggestions for a misspelt name.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace siliconprof {

/// Valid names close to `found`, nearest first: within a third of its length in edit distance
/// (insert, delete, replace; at least 2), or containing it, beginning it or having it as initials,
/// which counts as a letter away; "fp16", "float16" and "half" are one word. At most 3, and where
/// one has the very letters ("M2 Ultra"), no other. Empty when none is close.
std::vector<std::string_view> nearest_names(std::string_view found,
                                            std::span<const std::string_view> valid);

/// "; did you mean 'mlx'?" by the nearest of them, as a message goes on; empty when none is close.
std::string did_you_mean(std::string_view found, std::span<const std::string_view> valid);

}  // namespace siliconprof
