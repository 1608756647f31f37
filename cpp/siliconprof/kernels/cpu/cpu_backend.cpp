#include "siliconprof/kernels/cpu/cpu_backend.h"

#include <utility>

#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/cpu_count.h"

namespace siliconprof::cpu {

int default_threads() { return usable_cpus(); }

int checked_threads(int threads) {
  constexpr int kMost = 4096;
  if (threads < 0 || threads > kMost) {
    throw ArgumentError("[cpu] threads is " + std::to_string(threads) + "; needed: 1 to " +
                        std::to_string(kMost) + ", or 0 for all processors");
  }
  return threads == 0 ? default_threads() : threads;
}

int engine_threads(const Engine& engine, int threads) {
  const int asked = checked_threads(threads);
  return engine.info().threading == "none" ? 1 : asked;
}

CpuBackend::CpuBackend(const Engine& engine, int threads, Clock& clock, Poll poll)
    : engine_(engine),
      threads_(engine_threads(engine, threads)),
      clock_(clock),
      poll_(std::move(poll)),
      framework_(engine.name) {
  const EngineInfo info = engine.info();
  if (!info.available) {
    throw EngineUnavailable("[cpu] engine '" + info.name + "' is unavailable: " + info.reason);
  }
  facts_ = {{"engine", info.name},
            {"engine_version", info.version},
            {"engine_kernel_family", info.kernel_family},
            {"engine_library", info.library},
            {"engine_threading", info.threading},
            {"threads", std::to_string(threads_)}};
}

void CpuBackend::prepare(const Trace& trace) {
  bound_.reset();  // gives the last trace's memory back before taking this one's
  trace_ = &trace;
  bound_.emplace(trace, engine_, threads_, std::span<const TensorView>{}, poll_);
  std::erase_if(facts_, [](const auto& fact) { return fact.first.starts_with("product_path."); });
  for (const OpCall& call : trace.calls()) {
    facts_["product_path." + std::string(name(call.dtype))] = engine_.product_path(call.dtype);
  }
}

void CpuBackend::execute(const OpCall& call, Span& span) {
  const auto index = std::size_t(&call - trace_->calls().data());
  const double begin_s = clock_.now_s();
  bound_->run(index, poll_);
  const double end_s = clock_.now_s();
  span.wall_s = end_s - begin_s;
  if (poll_ && end_s - last_poll_s_ > kPollPeriod_s) {
    last_poll_s_ = end_s;
    poll_();
  }
}

}  // namespace siliconprof::cpu
