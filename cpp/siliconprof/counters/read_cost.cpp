#include "siliconprof/counters/read_cost.h"

#include <array>
#include <string>
#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/core/quantile.h"
#include "siliconprof/counters/table.h"

namespace siliconprof {

std::optional<double> counter_read_cost_ns(std::string_view counter, int repetitions,
                                           Clock& clock) {
  constexpr int kMost = 100000;  // a second or two in all; nothing looks for Ctrl-C meanwhile
  if (repetitions < 1 || repetitions > kMost) {
    throw ArgumentError("[counter_read_cost_ns] repetitions is " + std::to_string(repetitions) +
                        "; needed: 1 to " + std::to_string(kMost));
  }
  constexpr int kBatches = 9;
  for (CounterSource* source : counter_sources()) {
    for (const CounterInfo& info : source->counters()) {
      if (info.name != counter) continue;
      if (!source->availability().available) return std::nullopt;
      std::array<double, 32> values{};
      std::vector<double> batches_ns;
      for (int batch = 0; batch < kBatches; ++batch) {
        const double begin_s = clock.now_s();
        for (int i = 0; i < repetitions; ++i) {
          if (!source->read(values.data())) return std::nullopt;
        }
        batches_ns.push_back((clock.now_s() - begin_s) * 1e9 / repetitions);
      }
      return median(batches_ns);
    }
  }
  throw_unknown_name("counter_read_cost_ns", "counter", counter, counter_names());
}

}  // namespace siliconprof
