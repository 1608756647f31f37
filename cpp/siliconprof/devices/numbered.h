#pragma once

// Things that are known by number, as an allocator's blocks are.

#include <cstdint>
#include <vector>

namespace siliconprof {

/// Numbers count from 0; those of what was removed serve again, the latest first.
template <class Thing>
class Numbered {
 public:
  std::int32_t add(const Thing& thing) {
    if (unused_.empty()) {
      things_.push_back(thing);
      return std::int32_t(things_.size()) - 1;
    }
    const std::int32_t number = unused_.back();
    unused_.pop_back();
    things_[std::size_t(number)] = thing;
    return number;
  }
  void remove(std::int32_t number) { unused_.push_back(number); }

  Thing& operator[](std::int32_t number) { return things_[std::size_t(number)]; }
  const Thing& operator[](std::int32_t number) const { return things_[std::size_t(number)]; }

 private:
  std::vector<Thing> things_;
  std::vector<std::int32_t> unused_;
};

}  // namespace siliconprof
