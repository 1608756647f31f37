#include "siliconprof/counters/window.h"

#include "siliconprof/core/error.h"
#include "siliconprof/core/number_text.h"
#include "siliconprof/counters/table.h"

namespace siliconprof {
namespace {

// A counter's place in the table: its source, and the first counter of that source.
struct Place {
  std::size_t source;
  std::size_t first;
};

const CounterInfo& info_of(std::size_t counter, Place* place) {
  std::size_t first = 0;
  const auto sources = counter_sources();
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const auto rows = sources[s]->counters();
    if (counter < first + rows.size()) {
      *place = {s, first};
      return rows[counter - first];
    }
    first += rows.size();
  }
  throw ArgumentError("[window] counter " + std::to_string(counter) + " is not in the table");
}

}  // namespace

std::string CounterReading::summary() const {
  const std::string read = value ? number_text(*value, std::chars_format::general, 6) + " " + unit
                                 : "unavailable, " + reason;
  return "<CounterReading " + name + ": " + read + ">";
}

Window::Window() : Window(counter_names()) {}

Window::Window(std::span<const std::string_view> names) {
  for (const auto name : names) {
    const std::size_t counter = index_of(name);
    Place place{};
    info_of(counter, &place);
    chosen_ |= 1U << counter;
    if (counter_sources()[place.source]->availability().available) sources_ |= 1U << place.source;
  }
}

std::size_t Window::index_of(std::string_view name) const {
  const auto names = counter_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return i;
  }
  throw_unknown_name("window", "counter", name, names);
}

void Window::start() {
  started_ = true;
  stopped_ = false;
  failed_ = 0;
  const auto sources = counter_sources();
  std::size_t first = counter_names().size();
  for (std::size_t s = sources.size(); s-- > 0;) {
    first -= sources[s]->counters().size();
    if (!(sources_ & (1U << s))) continue;
    if (!sources[s]->read(start_.data() + first)) failed_ |= 1U << s;
  }
}

void Window::stop() {
  if (!started_) return;
  const auto sources = counter_sources();
  std::size_t first = 0;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    if ((sources_ & (1U << s)) && !sources[s]->read(stop_.data() + first)) failed_ |= 1U << s;
    first += sources[s]->counters().size();
  }
  stopped_ = true;
}

std::optional<double> Window::value(std::string_view name) const {
  const std::size_t counter = index_of(name);
  if (!(chosen_ & (1U << counter))) {
    throw ArgumentError("[window] counter " + std::string(name) +
                        " was not chosen; needed: one of those given to the window");
  }
  Place place{};
  const CounterInfo& info = info_of(counter, &place);
  if (!stopped_ || !(sources_ & ~failed_ & (1U << place.source))) return std::nullopt;
  return info.kind == CounterKind::Level ? stop_[counter] : stop_[counter] - start_[counter];
}

std::string Window::reason(std::string_view name) const {
  Place place{};
  info_of(index_of(name), &place);
  if (!(sources_ & (1U << place.source))) {
    return counter_sources()[place.source]->availability().reason;
  }
  if (failed_ & (1U << place.source)) return "the system refused a read";
  if (!started_) return "the window was never opened";
  return stopped_ ? "" : "the window is still open";
}

std::vector<CounterReading> Window::readings() const {
  std::vector<CounterReading> all;
  const auto names = counter_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!(chosen_ & (1U << i))) continue;
    Place place{};
    const CounterInfo& info = info_of(i, &place);
    all.push_back({std::string(info.name), std::string(info.unit), value(names[i]),
                   reason(names[i]), info.kind});
  }
  return all;
}

}  // namespace siliconprof
