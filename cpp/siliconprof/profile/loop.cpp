#include "siliconprof/profile/loop.h"

#include <algorithm>
#include <array>

#include "siliconprof/core/error.h"
#include "siliconprof/core/number_text.h"
#include "siliconprof/profile/disturbances.h"

namespace siliconprof {
namespace {

// Lays out step, phases and ops; times are filled in afterwards.
std::vector<Span> lay_out(const Trace& trace) {
  std::array<std::int32_t, kPhaseCount> phases{};
  phases.fill(-1);
  std::vector<Span> spans;
  const std::size_t calls = trace.calls().size();
  spans.reserve(1 + std::min(calls, std::size_t(kPhaseCount)) + calls);
  Span& step = spans.emplace_back();
  step.name = "step";
  step.kind = SpanKind::Step;
  step.cost = trace.cost();
  for (const OpCall& call : trace.calls()) {
    auto& index = phases[static_cast<std::size_t>(call.phase)];
    if (index >= 0) continue;
    index = std::int32_t(spans.size());
    Span& phase = spans.emplace_back();
    phase.name = name(call.phase);
    phase.kind = SpanKind::Phase;
    phase.phase = call.phase;
    phase.parent = 0;
    phase.cost.emplace();
  }
  for (std::size_t i = 0; i < trace.calls().size(); ++i) {
    const OpCall& call = trace.calls()[i];
    Span& span = spans.emplace_back();
    span.name = call.op->name;
    span.phase = call.phase;
    span.parent = phases[static_cast<std::size_t>(call.phase)];
    span.call = std::int32_t(i);
    span.cost = cost_of(call);
    *spans[std::size_t(span.parent)].cost += *span.cost;
  }
  return spans;
}

// A phase's time in one step is the sum over its ops.
void predict_step(const Trace& trace, Backend& backend, std::vector<Span>& spans) {
  const std::size_t first_op = spans.size() - trace.calls().size();
  const double begin_s = backend.now_s();
  Span& step = spans.front();
  step.terms.emplace();
  step.interval_s.emplace();
  for (std::size_t i = 0; i < trace.calls().size(); ++i) {
    Span& span = spans[first_op + i];
    backend.execute(trace.calls()[i], span);
    for (Span* above : {&spans[std::size_t(span.parent)], &step}) {
      if (!above->terms) above->terms.emplace();
      if (!above->interval_s) above->interval_s.emplace();
      if (above != &step) above->wall_s += span.wall_s;
      above->interval_s->lo += span.interval_s->lo;
      above->interval_s->hi += span.interval_s->hi;
      for (std::size_t t = 0; t < kTermCount; ++t) (*above->terms)[t] += (*span.terms)[t];
    }
  }
  step.wall_s = backend.now_s() - begin_s;
}

/// Seconds of the step; those of its ops are in `spans`.
double measure_step(const Trace& trace, Backend& backend, std::vector<Span>& spans) {
  const std::size_t first_op = spans.size() - trace.calls().size();
  backend.begin_step();
  const double begin_s = backend.now_s();
  for (std::size_t i = 0; i < trace.calls().size(); ++i) {
    backend.execute(trace.calls()[i], spans[first_op + i]);
  }
  return backend.now_s() - begin_s;
}

// Apart from the step, whose counters would have the memory that this touches.
void keep_sample(double step_s, std::size_t first_op, std::vector<Span>& spans) {
  for (std::size_t p = 1; p < first_op; ++p) spans[p].samples_s.push_back(0.0);
  for (std::size_t i = first_op; i < spans.size(); ++i) {
    Span& span = spans[i];
    span.samples_s.push_back(span.wall_s);
    spans[std::size_t(span.parent)].samples_s.back() += span.wall_s;
  }
  spans.front().samples_s.push_back(step_s);
}

// Deltas are summed over the steps and then divided by their number; levels keep the last.
class CounterTotals {
 public:
  explicit CounterTotals(std::span<const std::string_view> names) : window_(names) {}

  void start() { window_.start(); }
  void stop(bool keep) {
    window_.stop();
    if (!keep) return;
    ++steps_;
    std::vector<CounterReading> now = window_.readings();
    if (sums_.empty()) {
      sums_ = std::move(now);
      return;
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (!sums_[i].value) continue;  // refused in one step, it has no mean over all
      if (!now[i].value || now[i].kind == CounterKind::Level) {
        sums_[i] = now[i];
      } else {
        *sums_[i].value += *now[i].value;
      }
    }
  }
  std::vector<CounterReading> per_step() {
    for (CounterReading& reading : sums_) {
      const bool summed = reading.value && reading.kind == CounterKind::Delta;
      if (summed) *reading.value /= double(steps_);
    }
    return std::move(sums_);
  }

 private:
  Window window_;
  std::vector<CounterReading> sums_;
  int steps_ = 0;
};

// Whoever reads an interval takes it for one at the usual confidence, 95 %.
void note_confidence(const Sampling& sampling, const Span& step, Profile& result) {
  if (sampling.confidence == Sampling{}.confidence || !step.interval_s) return;
  result.notes.push_back("intervals have a confidence of " +
                         number_text(100.0 * sampling.confidence, std::chars_format::general, 6) +
                         " %");
}

void measure(const Trace& trace, Backend& backend, std::span<const std::string_view> counters,
             const Sampling& sampling, std::vector<Span>& spans, Profile& result) {
  Sampler sampler(sampling);
  CounterTotals totals(counters);
  const std::size_t first_op = spans.size() - trace.calls().size();
  const double begin_s = backend.now_s();
  for (;;) {
    const Sampler::Next next = sampler.next(backend.now_s() - begin_s);
    if (next == Sampler::Next::Stop) break;
    const bool keep = next == Sampler::Next::Sample;
    totals.start();
    const double step_s = measure_step(trace, backend, spans);
    totals.stop(keep);
    if (keep) keep_sample(step_s, first_op, spans);
    sampler.add(step_s, next);
  }
  for (Span& span : spans) {
    span.wall_s = sampler.centre(span.samples_s);
    span.interval_s = sampler.interval(span.samples_s);
  }
  result.warmups_s = sampler.warmups_s();
  result.stop_reason = sampler.stop_reason();
  result.sampling = sampling.name;
  result.statistic = sampling.statistic;
  result.counters = totals.per_step();
  result.notes = disturbance_notes(result.counters, sampler.samples_s());
  note_confidence(sampling, spans.front(), result);
}

}  // namespace

Profile profile(const Trace& trace, Backend& backend, std::span<const std::string_view> counters,
                const Sampling& sampling) {
  if (trace.calls().empty()) {
    throw ArgumentError("[profile] trace '" + trace.label() +
                        "' has no calls; needed: at least one");
  }
  Profile result;
  result.origin = backend.origin();
  result.label = trace.label();
  result.work = trace.work();
  result.device = backend.device();
  result.framework = backend.framework();
  backend.prepare(trace);
  std::vector<Span> spans = lay_out(trace);
  if (result.origin == Origin::Predicted) {
    predict_step(trace, backend, spans);
  } else {
    measure(trace, backend, counters, sampling, spans, result);
  }
  result.spans = std::move(spans);
  result.environment = backend.environment();
  return result;
}

}  // namespace siliconprof
