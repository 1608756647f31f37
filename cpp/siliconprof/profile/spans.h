#pragma once

// The stretches of a profile. Most who ask for a prediction want its totals alone, and a step of
// GPT-2 XL has two thousand calls: those of single calls may be made when somebody first looks.

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "siliconprof/profile/span.h"

namespace siliconprof {

class Spans {
 public:
  using All = std::vector<Span>;
  using const_iterator = All::const_iterator;

  Spans() = default;
  Spans(All all) : known_(std::move(all)) {}  // NOLINT(google-explicit-constructor): a list of them
  /// `outline`: the step and its phases, which come before all others. `make` gives the whole list
  /// with as many stretches in front, in whose place the outline stands; it is asked at most once.
  Spans(All outline, std::function<All()> make);

  /// Step and phases are among these, whatever else is.
  std::span<const Span> outline() const { return known_; }
  const Span& front() const { return known_.front(); }
  const All& all() const;
  /// To change them; all are made first.
  All& edit();

  std::size_t size() const { return all().size(); }
  bool empty() const { return known_.empty(); }
  const Span& operator[](std::size_t i) const { return all()[i]; }
  const_iterator begin() const { return all().begin(); }
  const_iterator end() const { return all().end(); }
  const Span& back() const { return all().back(); }
  bool operator==(const Spans& other) const { return all() == other.all(); }

 private:
  struct Later {
    std::function<All()> make;
    std::once_flag once;
    All all;
  };

  All known_;
  std::shared_ptr<Later> later_;  // shared by copies; null where all are known
};

}  // namespace siliconprof
