#include "siliconprof/devices/sweep.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <exception>
#include <thread>

#include "siliconprof/core/thrown.h"
#include "siliconprof/devices/frontier.h"
#include "siliconprof/devices/size_memory.h"
#include "siliconprof/devices/usable_memory.h"

namespace siliconprof {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

// What a target brings to each of its rows.
struct Facts {
  double usable_bytes;
  double price_usd;
};

Facts facts_of(const Model& model) {
  return {usable_memory(model.device(), model.framework()).value,
          launch_price_usd(model.device()).value_or(kUnknown)};
}

void mark_frontier(std::span<SweepRow> rows, std::span<const Facts> facts) {
  std::vector<Costs> choices;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].fits) continue;
    const double joules = rows[i].energy ? rows[i].energy->joules : kUnknown;
    choices.push_back({rows[i].time_s, joules, facts[i].price_usd, double(rows[i].peak_bytes)});
    places.push_back(i);
  }
  const std::vector<bool> is_on = frontier(choices);
  for (std::size_t i = 0; i < places.size(); ++i) rows[places[i]].on_frontier = is_on[i];
}

// Sizes that one device is asked for in a row: it has some hundred kilobytes of rates, and all
// devices together more than caches hold.
constexpr std::size_t kMostTogether = 8;

// Fewer where threads would run out of work.
std::size_t sizes_together(std::size_t sizes, std::size_t threads) {
  return std::clamp(sizes / (4 * threads), std::size_t{1}, kMostTogether);
}

struct SizeRows {
  StepSize size;
  StepSummary step;
  SizeMemory memory;
  std::span<SweepRow> rows;  // one for each entry
  bool convolves = false;
};

SweepRow row_of(const Model& model, const Facts& facts, SizeRows& size) {
  const std::int64_t peak = size.memory.peak_bytes(model.rates());
  const PoweredPrediction found = predict_powered(model, size.step, peak);
  SweepRow row{found.step.time_s, found.step.interval_s, peak};
  if (const auto& error = model.rates().memory_error) {
    row.peak_interval_bytes = error->around(double(peak), size.convolves);
  }
  row.energy = found.energy;
  row.fits = double(peak) <= facts.usable_bytes;
  return row;
}

void predict_sizes(std::span<const SweepEntry> entries, std::span<const Facts> facts,
                   std::span<SizeRows> sizes) {
  const StepFamily* family = nullptr;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool is_next = entries[i].steps != family;
    family = entries[i].steps;
    for (SizeRows& each : sizes) {
      if (is_next) {
        each.step = family->at(each.size);
        each.memory.set_step(*family, each.step);
        each.convolves = convolves(each.step);
      }
      each.rows[i] = row_of(*entries[i].model, facts[i], each);
    }
  }
  for (SizeRows& each : sizes) mark_frontier(each.rows, facts);
}

void append_number(std::string& text, double value) {
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), end);
  text += ',';
}

void append_number(std::string& text, std::int64_t value) { text += std::to_string(value) + ','; }

void append_ends(std::string& text, const Interval& ends) {
  append_number(text, ends.lo);
  append_number(text, ends.hi);
}

// Of numbers that may not be there, as many commas.
void append_bounds(std::string& text, const SweepRow& row) {
  append_number(text, row.peak_bytes);
  if (row.peak_interval_bytes) {
    append_ends(text, *row.peak_interval_bytes);
  } else {
    text += ",,";
  }
  if (row.energy) {
    append_number(text, row.energy->joules);
    append_ends(text, row.energy->interval);
  } else {
    text += ",,,";
  }
}

/// What choices are weighed by: the price, seconds and joules of a token or image.
void append_choice(std::string& text, const SweepEntry& entry, double items, const SweepRow& row) {
  const auto append = [&](const std::optional<double>& value) {
    if (value) {
      append_number(text, *value);
    } else {
      text += ',';
    }
  };
  append(entry.price_usd);
  append_number(text, row.time_s / items);
  append(row.energy ? std::optional(row.energy->joules / items) : std::nullopt);
  text.back() = '\n';
}

}  // namespace

std::optional<double> launch_price_usd(const Device& device) {
  const auto price = device.numbers.find("price.launch_usd");
  if (price == device.numbers.end()) return std::nullopt;
  return price->second.value;
}

std::vector<SweepRow> sweep(std::span<const SweepEntry> entries, std::span<const StepSize> sizes,
                            int threads) {
  std::vector<Facts> facts;
  facts.reserve(entries.size());
  for (const SweepEntry& entry : entries) facts.push_back(facts_of(*entry.model));
  std::vector<SweepRow> rows(entries.size() * sizes.size());
  std::atomic<std::size_t> next{0};
  Thrown thrown;
  const auto workers = std::size_t(std::max(threads, 1));
  const std::size_t together = sizes_together(sizes.size(), workers);
  const auto work = [&] {
    for (std::size_t begin = next.fetch_add(together); begin < sizes.size() && !thrown.any();
         begin = next.fetch_add(together)) {
      std::vector<SizeRows> some;
      for (std::size_t s = begin; s < std::min(begin + together, sizes.size()); ++s) {
        const auto own = std::span(rows).subspan(s * entries.size(), entries.size());
        some.push_back({sizes[s], {}, SizeMemory(sizes[s]), own});
      }
      predict_sizes(entries, facts, some);
    }
  };
  std::vector<std::thread> others;
  others.reserve(workers);
  try {
    while (others.size() + 1 < workers) others.emplace_back([&] { thrown.keep_of(work); });
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): those that run do it all
  }
  thrown.keep_of(work);
  for (std::thread& other : others) other.join();
  thrown.rethrow();
  return rows;
}

std::string sweep_text(std::span<const SweepEntry> entries, std::span<const StepSize> sizes,
                       std::span<const SweepRow> rows) {
  std::string text;
  text.reserve(rows.size() * 260);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const StepSize& size = sizes[i / entries.size()];
    const SweepRow& row = rows[i];
    const SweepEntry& entry = entries[i % entries.size()];
    text += entry.label;
    text += ',';
    append_number(text, size.batch);
    append_number(text, size.length);
    append_number(text, row.time_s);
    append_ends(text, row.interval_s);
    append_bounds(text, row);
    text += row.fits ? "1," : "0,";
    text += row.on_frontier ? "1," : "0,";
    append_choice(text, entry, items(entry, size), row);
  }
  return text;
}

}  // namespace siliconprof
