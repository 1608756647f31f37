#include "siliconprof/kernels/cpu/page_replacement.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "siliconprof/core/error.h"

namespace siliconprof::cpu {
namespace {

constexpr std::int64_t kHuge = 512;  // pages
constexpr std::int64_t kBatch = 32;  // pages that are looked at, and freed, at a time
constexpr int kGentlest = 12;        // the first look at the lists is at 1 / 2^12 of them
// Of it what falls to memory that isn't a file's, where all that comes back is: at the default
// swappiness 60 x 3 / 2 to 140 x 3.
constexpr double kPartOfAnonymous = 90.0 / 510.0;
constexpr std::int64_t kPagesOfAGiB = std::int64_t{1} << 18;

}  // namespace

PageCounts operator-(const PageCounts& a, const PageCounts& b) {
  return {a.major_faults - b.major_faults, a.minor_faults - b.minor_faults, a.pages_in - b.pages_in,
          a.pages_out - b.pages_out};
}

PageReplacement::PageReplacement(std::int64_t pages, std::int64_t huge_pages,
                                 std::int64_t limit_pages, std::int64_t read_ahead)
    : pages_(std::size_t(pages)),
      groups_(std::size_t(pages) + 2),
      huge_pages_(huge_pages / kHuge * kHuge),
      limit_(limit_pages),
      read_ahead_(read_ahead) {
  if (limit_pages < kFewest) {
    throw ArgumentError("[page replacement] a limit of " + std::to_string(limit_pages) +
                        " pages; needed: at least " + std::to_string(kFewest));
  }
  for (const int list : {kInactive, kActive}) {
    groups_[std::size_t(head(list))].before = head(list);
    groups_[std::size_t(head(list))].after = head(list);
  }
}

void PageReplacement::touch(std::int64_t number) {
  Page& page = pages_[std::size_t(number)];
  if (page.place == Place::Memory) {
    Group& group = groups_[std::size_t(page.group)];
    if (group.is_unmapped) {
      ++counts_.minor_faults;
      ++hits_;
      group.is_unmapped = false;
      in_slot_[std::size_t(page.slot)] = -1;
    }
    group.was_used = true;
    return;
  }
  if (page.place == Place::Swap) {
    fault(number);
    return;
  }
  ++counts_.minor_faults;
  const bool is_huge = number < huge_pages_;
  take(is_huge ? number / kHuge * kHuge : number, is_huge ? kHuge : 1);
}

void PageReplacement::take(std::int64_t first, std::int64_t pages) {
  make_room(pages);
  for (std::int64_t i = first; i < first + pages; ++i) {
    pages_[std::size_t(i)] = {std::int32_t(first), Place::Memory, 0, 0};
  }
  groups_[std::size_t(first)] = {0, 0, std::int32_t(pages), false, true, false, false};
  add(std::int32_t(first), kInactive);
}

void PageReplacement::fault(std::int64_t page) {
  ++counts_.major_faults;
  const std::int64_t slot = pages_[std::size_t(page)].slot;
  const std::int64_t size = window(slot);
  const std::int64_t begin = slot / size * size;
  for (std::int64_t s = begin; s < begin + size && s < std::int64_t(in_slot_.size()); ++s) {
    const std::int32_t other = in_slot_[std::size_t(s)];
    if (other < 0 || other == page) continue;
    if (pages_[std::size_t(other)].place == Place::Swap) bring_back(other, false);
  }
  bring_back(page, true);
}

// As many as the pages read ahead that were asked for since, and some more: a power of two, at
// least half of the last window.
std::int64_t PageReplacement::window(std::int64_t slot) {
  std::int64_t size = 1;
  if (hits_ > 0) {
    size = 4;
    while (size < hits_ + 2) size *= 2;
  } else {
    if (slot == last_slot_ + 1 || slot == last_slot_ - 1) size = 2;
    last_slot_ = slot;
  }
  hits_ = 0;
  size = std::max(std::min(size, read_ahead_), last_window_ / 2);
  last_window_ = size;
  return size;
}

void PageReplacement::bring_back(std::int64_t number, bool is_asked_for) {
  make_room(1);
  Page& page = pages_[std::size_t(number)];
  ++counts_.pages_in;
  page.place = Place::Memory;
  page.group = std::int32_t(number);
  if (is_asked_for) in_slot_[std::size_t(page.slot)] = -1;
  groups_[std::size_t(number)] = {0, 0, 1, false, is_asked_for, false, !is_asked_for};
  // It would have stayed, had the active list been the shorter by as much as has left since.
  const bool is_active = age_ - page.left_at <= lengths_[kActive];
  if (is_active) {
    ++age_;
    has_come_back_active_ = true;
  }
  add(std::int32_t(number), is_active ? kActive : kInactive);
}

void PageReplacement::make_room(std::int64_t pages) {
  while (resident_pages() + pages > limit_) reclaim(std::max(pages, kBatch));
}

std::int64_t PageReplacement::reclaim(std::int64_t wanted) {
  std::int64_t freed = 0;
  for (int priority = kGentlest; priority >= 0 && freed < wanted; --priority) {
    const bool ages_active = has_come_back_active_ || is_inactive_low();
    const double part = priority == 0 ? 1.0 : kPartOfAnonymous;
    const auto seen = [&](int list) {
      return std::int64_t(double(lengths_[std::size_t(list)] >> priority) * part);
    };
    std::int64_t inactive = seen(kInactive);
    std::int64_t active = ages_active ? seen(kActive) : 0;
    while ((inactive > 0 || active > 0) && freed < wanted) {
      if (inactive > 0) freed += shrink_inactive(std::min(inactive, kBatch));
      if (active > 0) shrink_active(std::min(active, kBatch));
      inactive -= kBatch;
      active -= kBatch;
    }
    if (is_inactive_low()) shrink_active(kBatch);
  }
  has_come_back_active_ = false;
  return freed;
}

bool PageReplacement::is_inactive_low() const {
  const std::int64_t gib = resident_pages() / kPagesOfAGiB;
  const auto ratio = gib > 0 ? std::int64_t(std::sqrt(10.0 * double(gib))) : 1;
  return lengths_[kInactive] * ratio < lengths_[kActive];
}

std::int64_t PageReplacement::shrink_inactive(std::int64_t pages) {
  std::int64_t freed = 0;
  for (std::int64_t seen = 0; seen < pages && lengths_[kInactive] > 0;) {
    const std::int32_t number = last(kInactive);
    Group& group = groups_[std::size_t(number)];
    seen += group.pages;
    const bool was_used = group.was_used;
    const bool was_kept = group.was_kept;
    group.was_used = false;
    group.was_kept = was_used;
    if (!was_used) {
      freed += group.pages;
      evict(number);
      continue;
    }
    remove(number);
    if (was_kept) age_ += group.pages;
    if (was_kept) group.was_kept = false;
    add(number, was_kept ? kActive : kInactive);
  }
  return freed;
}

void PageReplacement::shrink_active(std::int64_t pages) {
  for (std::int64_t seen = 0; seen < pages && lengths_[kActive] > 0;) {
    const std::int32_t number = last(kActive);
    Group& group = groups_[std::size_t(number)];
    seen += group.pages;
    group.was_used = false;
    remove(number);
    add(number, kInactive);
  }
}

void PageReplacement::evict(std::int32_t number) {
  Group& group = groups_[std::size_t(number)];
  remove(number);
  age_ += group.pages;
  for (std::int32_t i = number; i < number + group.pages; ++i) {
    Page& page = pages_[std::size_t(i)];
    page.place = Place::Swap;
    page.left_at = age_;
    if (group.is_unmapped) continue;  // it is still there
    page.slot = std::int64_t(in_slot_.size());
    in_slot_.push_back(i);
    ++counts_.pages_out;
  }
}

void PageReplacement::add(std::int32_t number, int list) {
  Group& group = groups_[std::size_t(number)];
  group.is_active = list == kActive;
  Group& its_head = groups_[std::size_t(head(list))];
  group.before = head(list);
  group.after = its_head.after;
  groups_[std::size_t(its_head.after)].before = number;
  its_head.after = number;
  lengths_[std::size_t(list)] += group.pages;
}

void PageReplacement::remove(std::int32_t number) {
  const Group& group = groups_[std::size_t(number)];
  groups_[std::size_t(group.before)].after = group.after;
  groups_[std::size_t(group.after)].before = group.before;
  lengths_[group.is_active ? kActive : kInactive] -= group.pages;
}

}  // namespace siliconprof::cpu
