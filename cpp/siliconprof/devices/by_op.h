#pragma once

// Something of some of the operations, by their addresses: asked for each kernel of each row of a
// sweep, where a search among ordered entries, each as long as what it holds, takes longer than
// what is done with them.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "siliconprof/ops/op.h"

namespace siliconprof {

template <class Value>
class ByOp {
 public:
  struct Entry {
    const Op* op;
    Value value;
  };

  /// Null for an op that has none.
  const Value* find(const Op& op) const {
    const std::uint32_t number = slots_[place(op)].number;
    return number == kNone ? nullptr : &entries_[number].value;
  }
  bool contains(const Op& op) const { return find(op) != nullptr; }
  /// The op's, made where there is none.
  Value& operator[](const Op& op) {
    const std::uint32_t number = slots_[place(op)].number;
    if (number != kNone) return entries_[number].value;
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    slots_[place(op)] = {&op, std::uint32_t(entries_.size())};
    return entries_.emplace_back(Entry{&op, {}}).value;
  }
  void clear() { *this = {}; }

  /// In the order in which they were made.
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t(0);
  struct Slot {
    const Op* op = nullptr;
    std::uint32_t number = kNone;
  };

  /// Where the op is, or where it would be: half of the slots at least are free.
  std::size_t place(const Op& op) const {
    constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15U;
    std::size_t at = (reinterpret_cast<std::uintptr_t>(&op) * kGolden) >> shift_;
    while (slots_[at].op != nullptr && slots_[at].op != &op) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  void grow() {
    --shift_;
    slots_.assign(2 * slots_.size(), {});
    for (std::uint32_t i = 0; i < entries_.size(); ++i) {
      slots_[place(*entries_[i].op)] = {entries_[i].op, i};
    }
  }

  std::vector<Entry> entries_;
  std::vector<Slot> slots_ = std::vector<Slot>(2);  // a power of two
  int shift_ = 63;                                  // 64 less its exponent
};

}  // namespace siliconprof
