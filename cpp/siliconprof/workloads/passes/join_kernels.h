#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// What a compiler makes of a trace that updates no activation: element-wise calls, and those that
/// go over rows, run in one kernel with calls of as many elements whose results or operands they
/// read, where no other call has to run between them. The calls of a kernel stand one behind the
/// other; all but the first join its launch, and what only they read stays inside it. Updates of
/// parameters are left alone.
/// Source: J. Ansel et al., "PyTorch 2: Faster Machine Learning Through Dynamic Python Bytecode
/// Transformation and Graph Compilation", ASPLOS 2024, section 4.4 (fusion and scheduling).
Trace join_kernels(const Trace& trace);

}  // namespace siliconprof
