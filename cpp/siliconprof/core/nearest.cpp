#include "siliconprof/core/nearest.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <string>
#include <utility>

namespace siliconprof {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

void replace(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// In small letters, with one spelling for formats of numbers, which go by several: "float16",
/// "fp16", "half".
std::string spelt_alike(std::string_view name) {
  constexpr std::array<std::array<std::string_view, 2>, 3> kWords{
      {{"half", "fp16"}, {"float", "fp32"}, {"double", "fp64"}}};
  std::string text(name);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [word, format] : kWords) {
    if (text == word) return std::string(format);
  }
  replace(text, "bfloat", "bf");
  replace(text, "float", "fp");
  return text;
}

bool is_letter(unsigned char c) { return std::isalnum(c) != 0; }

/// Without what stands between words: "M2 Ultra" and "m2-ultra" are one.
std::string letters_of(std::string_view name) {
  std::string text = spelt_alike(name);
  std::erase_if(text, [](unsigned char c) { return !is_letter(c); });
  return text;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether `name` is followed by more in `longer`: "h100" in "h100-sxm", "seq" in "seqlen"; where
/// it is shorter than three letters, or within a number, by further words.
bool begins(std::string_view longer, std::string_view name) {
  if (name.empty() || longer.size() <= name.size() || !longer.starts_with(name)) return false;
  const char next = longer[name.size()];
  const bool is_whole = name.size() >= 3 && !(is_digit(name.back()) && is_digit(next));
  return is_whole || !is_letter(static_cast<unsigned char>(next));
}

/// Whether the words of `name`, two or more, begin with these letters: "lr" of "learning_rate".
bool has_initials(std::string_view name, std::string_view found) {
  std::string letters;
  bool is_first = true;
  for (const char c : name) {
    const bool is_part = is_letter(static_cast<unsigned char>(c));
    if (is_part && is_first) letters += c;
    is_first = !is_part;
  }
  return letters.size() > 1 && letters == found;
}

struct Close {
  std::size_t away;  // what contains it, or begins it, counts as a letter away
  std::size_t distance;
  std::string_view name;
};

/// The nearest first; those of the same letters leave no doubt, and no others.
std::vector<std::string_view> sorted(std::vector<Close> close) {
  constexpr std::size_t kMost = 3;
  std::stable_sort(close.begin(), close.end(), [](const Close& a, const Close& b) {
    return std::pair{a.away, a.distance} < std::pair{b.away, b.distance};
  });
  std::vector<std::string_view> names;
  for (const Close& one : close) {
    if (names.size() == kMost || (one.away > 0 && close.front().away == 0)) break;
    names.push_back(one.name);
  }
  return names;
}

}  // namespace

std::vector<std::string_view> nearest_names(std::string_view found,
                                            std::span<const std::string_view> valid) {
  const std::size_t limit = std::max<std::size_t>(2, found.size() / 3);
  const std::string meant = spelt_alike(found);
  const std::string letters = letters_of(found);
  std::vector<Close> close;
  for (const auto name : valid) {
    const std::string alike = spelt_alike(name);
    const std::size_t distance = std::min(edit_distance(found, name), edit_distance(meant, alike));
    const bool contained = (found.size() >= 3 && name.find(found) != std::string_view::npos) ||
                           (meant.size() >= 3 && alike.find(meant) != std::string::npos);
    const bool is_near = contained || begins(meant, alike) || has_initials(alike, meant);
    const bool is_same = !letters.empty() && letters == letters_of(name);
    const std::size_t near = is_near ? std::min<std::size_t>(distance, 1) : distance;
    const std::size_t away = is_same ? 0 : near;
    if (away <= limit) close.push_back({away, distance, name});
  }
  return sorted(std::move(close));
}

std::string did_you_mean(std::string_view found, std::span<const std::string_view> valid) {
  const auto nearest = nearest_names(found, valid);
  return nearest.empty() ? "" : "; did you mean '" + std::string(nearest.front()) + "'?";
}

}  // namespace siliconprof
