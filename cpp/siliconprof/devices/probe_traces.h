#pragma once

// The traces of one workload at a few sizes, from which those of all others are told.

#include <string>
#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/devices/size_polynomial.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {

struct ProbeTraces {
  SizeProbes probes;
  std::vector<Trace> traces;  // one for each of the probes' sizes: the same program

  const Trace& first() const { return traces.front(); }

  /// How `read(trace)` grows with the size. Throws ArgumentError where it grows in another way.
  template <class Read>
  SizePolynomial fitted(Read read) const {
    std::vector<std::int64_t> values;
    values.reserve(traces.size());
    for (const Trace& trace : traces) values.push_back(read(trace));
    const auto polynomial = probes.fit(values);
    if (!polynomial) refuse(first(), "a size grows in another way than batch and length");
    return *polynomial;
  }

  [[noreturn]] static void refuse(const Trace& trace, const std::string& what) {
    throw ArgumentError("[sweep] '" + trace.label() + "': " + what +
                        "; needed: a workload whose calls don't depend on its sizes");
  }
};

}  // namespace siliconprof
