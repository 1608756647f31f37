#pragma once

// Which pages of a process leave its limited memory, and which come back: Linux' lists of active
// and inactive pages, for memory that isn't a file's. A clock, not a queue of the least recently
// used: pages come in at the inactive list's head; from its tail one goes, unless it was used since
// it was last looked at: then it gets a second round, and a third time makes it active. The active
// list gives its oldest back when the inactive one is the shorter, used or not. [linux-reclaim]

#include <array>
#include <cstdint>
#include <vector>

namespace siliconprof::cpu {

/// What a process shows while its memory is limited; all counted since the start.
struct PageCounts {
  std::int64_t major_faults = 0;  // that wait for a page from swap
  std::int64_t minor_faults = 0;  // first touches, and pages that were read ahead
  std::int64_t pages_in = 0;
  std::int64_t pages_out = 0;

  bool operator==(const PageCounts&) const = default;
};

PageCounts operator-(const PageCounts& a, const PageCounts& b);

/// Pages are numbered from 0. One that leaves goes to the next slot of the swap space, and one that
/// comes back brings others from slots around its own with it.
class PageReplacement {
 public:
  /// The first `huge_pages` pages, in whole groups of 512, are taken as huge pages: at once, and at
  /// once they leave; single they come back. `read_ahead`: pages that a fault may read, at most.
  /// Throws ArgumentError for a limit of fewer than kFewest pages.
  PageReplacement(std::int64_t pages, std::int64_t huge_pages, std::int64_t limit_pages,
                  std::int64_t read_ahead);

  static constexpr std::int64_t kFewest = 1024;

  void touch(std::int64_t page);
  const PageCounts& counts() const { return counts_; }
  std::int64_t resident_pages() const { return lengths_[kInactive] + lengths_[kActive]; }

 private:
  // By the number of a group's first page; a group is a huge page, or a single one.
  struct Group {
    std::int32_t before = 0;
    std::int32_t after = 0;
    std::int32_t pages = 0;
    bool is_active = false;
    bool was_used = false;     // since it was last looked at
    bool was_kept = false;     // when it was last looked at, for having been used
    bool is_unmapped = false;  // read ahead, not asked for yet
  };
  enum class Place : std::uint8_t { Nowhere, Memory, Swap };
  struct Page {
    std::int32_t group = 0;
    Place place = Place::Nowhere;
    std::int64_t slot = 0;
    std::int64_t left_at = 0;  // age_ when it left
  };
  static constexpr int kInactive = 0;
  static constexpr int kActive = 1;

  void bring_back(std::int64_t page, bool is_asked_for);
  void fault(std::int64_t page);
  void take(std::int64_t first, std::int64_t pages);
  void make_room(std::int64_t pages);
  std::int64_t reclaim(std::int64_t wanted);
  std::int64_t shrink_inactive(std::int64_t pages);
  void shrink_active(std::int64_t pages);
  bool is_inactive_low() const;
  void evict(std::int32_t group);
  void add(std::int32_t group, int list);
  void remove(std::int32_t group);
  std::int32_t last(int list) const { return groups_[std::size_t(head(list))].before; }
  std::int32_t head(int list) const { return std::int32_t(pages_.size()) + list; }
  std::int64_t window(std::int64_t slot);

  std::vector<Page> pages_;
  std::vector<Group> groups_;              // and the heads of both lists behind them
  std::array<std::int64_t, 2> lengths_{};  // in pages
  std::vector<std::int32_t> in_slot_;      // page of each slot; -1: none any more
  std::int64_t huge_pages_;
  std::int64_t limit_;
  std::int64_t read_ahead_;
  std::int64_t age_ = 0;  // pages that left or became active
  bool has_come_back_active_ = false;
  std::int64_t hits_ = 0;  // of pages that were read ahead
  std::int64_t last_window_ = 1;
  std::int64_t last_slot_ = -2;
  PageCounts counts_;
};

}  // namespace siliconprof::cpu
