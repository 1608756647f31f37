#pragma once

// An array that remembers which of its elements were read and which were written.

#include <cstdint>
#include <set>
#include <stdexcept>
#include <vector>

namespace siliconprof::reference {

template <class T>
class RecordingArray {
 public:
  using value_type = T;

  class Element {
   public:
    Element(RecordingArray& array, std::int64_t index) : array_(array), index_(index) {}
    operator T() const {  // NOLINT(google-explicit-constructor): it stands for the element
      array_.read_.insert(index_);
      return array_.values_.at(std::size_t(index_));
    }
    const Element& operator=(const T& value) const {
      array_.written_.insert(index_);
      array_.values_.at(std::size_t(index_)) = value;
      return *this;
    }

   private:
    RecordingArray& array_;
    std::int64_t index_;
  };

  explicit RecordingArray(std::vector<T> values) : values_(std::move(values)) {}

  Element operator[](std::int64_t index) { return {*this, index}; }

  const std::vector<T>& values() const { return values_; }
  std::int64_t distinct_reads() const { return std::int64_t(read_.size()); }
  std::int64_t distinct_writes() const { return std::int64_t(written_.size()); }

 private:
  std::vector<T> values_;
  std::set<std::int64_t> read_;
  std::set<std::int64_t> written_;
};

}  // namespace siliconprof::reference
