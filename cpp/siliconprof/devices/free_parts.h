#pragma once

// The free parts of an allocator, by size, for whoever wants the smallest that will do.

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "siliconprof/devices/flat_set.h"

namespace siliconprof {

/// Some bytes of memory at an address, known by a number.
struct FreePart {
  std::int64_t bytes = 0;
  std::int64_t address = 0;
  std::int32_t number = -1;

  friend bool operator<(const FreePart& a, const FreePart& b) {
    return int(a.bytes < b.bytes) | (int(a.bytes == b.bytes) & int(a.address < b.address));
  }
  bool operator==(const FreePart&) const = default;
};

/// In classes of sizes, four from one power of two to the next: steps of many layers leave hundreds
/// of parts, of which only those of about the right size are looked at.
class FreeParts {
 public:
  /// Of a part that isn't there.
  void insert(const FreePart& part) {
    const std::size_t place = class_of(part.bytes);
    classes_[place].insert(part);
    mark(place);
  }
  /// Of one that is.
  void erase(const FreePart& part) {
    const std::size_t place = class_of(part.bytes);
    classes_[place].erase(part);
    mark(place);
  }
  /// The smallest of at least so many bytes, the lowest of several, which is no longer there; none
  /// where all are smaller.
  std::optional<FreePart> take(std::int64_t bytes) {
    const std::size_t place = class_of(bytes);
    const auto found = classes_[place].lower_bound({bytes, -1});
    if (found != classes_[place].end()) return taken(place, found);
    const std::size_t next = next_filled(place + 1);
    if (next == kClasses) return std::nullopt;
    return taken(next, classes_[next].begin());
  }

 private:
  static constexpr std::size_t kClasses = 256;
  static constexpr std::size_t kWord = 64;

  static std::size_t class_of(std::int64_t bytes) {
    const auto size = static_cast<std::uint64_t>(bytes);
    const int width = std::bit_width(size);
    if (width <= 2) return std::size_t(size);
    return (std::size_t(width) << 2) | std::size_t((size >> (width - 3)) & 3);
  }
  void mark(std::size_t place) {
    const std::uint64_t bit = std::uint64_t{1} << (place % kWord);
    std::uint64_t& word = filled_[place / kWord];
    word = classes_[place].empty() ? word & ~bit : word | bit;
  }
  std::size_t next_filled(std::size_t from) const {
    for (std::size_t word = from / kWord; word < filled_.size(); ++word) {
      const std::uint64_t above =
          word == from / kWord ? ~std::uint64_t{0} << (from % kWord) : ~std::uint64_t{0};
      const std::uint64_t left = filled_[word] & above;
      if (left != 0) return word * kWord + std::size_t(std::countr_zero(left));
    }
    return kClasses;
  }
  FreePart taken(std::size_t place, FlatSet<FreePart>::Place found) {
    const FreePart part = *found;
    classes_[place].erase(found);
    mark(place);
    return part;
  }

  std::array<FlatSet<FreePart>, kClasses> classes_;
  std::array<std::uint64_t, kClasses / kWord> filled_{};
};

}  // namespace siliconprof
