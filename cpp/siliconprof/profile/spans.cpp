#include "siliconprof/profile/spans.h"

#include <algorithm>
#include <utility>

namespace siliconprof {

Spans::Spans(All outline, std::function<All()> make)
    : known_(std::move(outline)), later_(std::make_shared<Later>()) {
  later_->make = std::move(make);
}

const Spans::All& Spans::all() const {
  if (!later_) return known_;
  std::call_once(later_->once, [this] {
    later_->all = later_->make();
    std::copy(known_.begin(), known_.end(), later_->all.begin());
    later_->make = nullptr;  // and what it holds
  });
  return later_->all;
}

Spans::All& Spans::edit() {
  if (later_) {
    known_ = all();
    later_ = nullptr;
  }
  return known_;
}

}  // namespace siliconprof
