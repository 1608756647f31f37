#pragma once

// Numbers in messages, notes and summaries: with a point, whatever LC_NUMERIC a program that
// embeds this has set. printf and std::to_string(double) follow it, and write 1,5 in Germany.

#include <charconv>
#include <string>

namespace siliconprof {

/// The fewest digits that name this number and no other: "0.1", "-1", "1e+30", "nan".
std::string number_text(double value);

/// As printf's %f, %e or %g with so many digits, up to 17, in the C locale.
std::string number_text(double value, std::chars_format format, int digits);

/// Of four digits: "1.5 GB", "24.78 GB", "0.004 GB".
std::string gigabytes_text(double bytes);

}  // namespace siliconprof
