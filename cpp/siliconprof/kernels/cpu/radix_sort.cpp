#include "siliconprof/kernels/cpu/radix_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <utility>

#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/scratch.h"

namespace siliconprof::cpu {
namespace {

constexpr int kDigitBits = 11;
constexpr std::int64_t kDigits = std::int64_t{1} << kDigitBits;

/// Unsigned integers in the order of the values.
template <class Bits, class Float>
Bits key_of(Float x, bool descending) {
  constexpr Bits sign = Bits{1} << (8 * sizeof(Bits) - 1);
  Bits key = std::bit_cast<Bits>(x);
  if (x == Float(0)) key = 0;
  key = (key & sign) != 0 ? Bits(~key) : Bits(key | sign);
  if (x != x) key = Bits(~Bits{0});
  return descending ? Bits(~key) : key;
}

template <class Bits>
struct Entry {
  Bits key;
  std::int32_t place;
};

/// From `from` to `to` by one digit; false, and nothing done, where all have the same.
template <class Bits>
bool pass(const Entry<Bits>* from, Entry<Bits>* to, std::int64_t n, int shift, const Poll& poll) {
  std::array<std::int64_t, std::size_t(kDigits)> next{};
  const auto digit = [shift](Bits key) { return std::size_t(key >> shift) % kDigits; };
  in_steps(n, poll, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) ++next[digit(from[i].key)];
  });
  if (next[digit(from[0].key)] == n) return false;
  std::int64_t start = 0;
  for (std::int64_t& count : next) start += std::exchange(count, start);
  in_steps(n, poll, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) to[next[digit(from[i].key)]++] = from[i];
  });
  return true;
}

}  // namespace

template <class T>
void radix_sort(const SortedColumn<T>& column, bool descending, const Poll& poll) {
  using Float = std::conditional_t<sizeof(T) == 8, double, float>;
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  static thread_local Scratch scratch;
  const std::int64_t n = column.size;
  if (n == 0) return;
  const auto floats = std::int64_t(sizeof(Entry<Bits>) / sizeof(float));
  auto* entries = reinterpret_cast<Entry<Bits>*>(scratch.floats(2 * n * floats));
  Entry<Bits>* other = entries + n;
  in_steps(n, poll, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto value = static_cast<Float>(column.x[i * column.stride]);
      entries[i] = {key_of<Bits>(value, descending), std::int32_t(i)};
    }
  });
  for (int shift = 0; shift < int(8 * sizeof(Bits)); shift += kDigitBits) {
    if (pass(entries, other, n, shift, poll)) std::swap(entries, other);
  }
  in_steps(n, poll, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int32_t place = entries[i].place;
      column.values[i * column.stride] = column.x[place * column.stride];
      column.order[i * column.stride] = place;
    }
  });
  scratch.trim();
}

template void radix_sort(const SortedColumn<double>&, bool, const Poll&);
template void radix_sort(const SortedColumn<float>&, bool, const Poll&);
template void radix_sort(const SortedColumn<float16>&, bool, const Poll&);
template void radix_sort(const SortedColumn<bfloat16>&, bool, const Poll&);

}  // namespace siliconprof::cpu
