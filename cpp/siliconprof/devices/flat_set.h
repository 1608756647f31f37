#pragma once

// A set in one stretch of memory: for tens to hundreds of things, which come and go all the time,
// quicker than a tree's nodes.

#include <cstddef>
#include <vector>

namespace siliconprof {

template <class Thing>
class FlatSet {
 public:
  using Place = typename std::vector<Thing>::const_iterator;

  bool empty() const { return things_.empty(); }
  std::size_t size() const { return things_.size(); }
  Place begin() const { return things_.begin(); }
  Place end() const { return things_.end(); }
  const Thing& operator[](std::size_t i) const { return things_[i]; }
  const Thing& back() const { return things_.back(); }

  /// The first that isn't less. Halves without a branch: which half it is can't be foreseen.
  Place lower_bound(const Thing& thing) const {
    const Thing* first = things_.data();
    std::size_t many = things_.size();
    while (many > 0) {
      const std::size_t half = (many + 1) / 2;
      first += first[half - 1] < thing ? half : 0;
      many -= half;
    }
    return things_.begin() + (first - things_.data());
  }
  /// Of a thing that isn't there.
  void insert(const Thing& thing) { things_.insert(lower_bound(thing), thing); }
  /// Of one that is.
  void erase(const Thing& thing) { things_.erase(lower_bound(thing)); }
  void erase(Place place) { things_.erase(place); }

 private:
  std::vector<Thing> things_;  // in order
};

}  // namespace siliconprof
