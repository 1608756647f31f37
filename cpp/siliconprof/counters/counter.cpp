#include "siliconprof/counters/counter.h"

namespace siliconprof {

std::string_view name(CounterKind kind) { return kind == CounterKind::Delta ? "delta" : "level"; }

}  // namespace siliconprof
