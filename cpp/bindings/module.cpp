// The contents page of the compiled core: one file per folder of cpp/siliconprof.

#include "bindings.h"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled core of siliconprof.";
  module.attr("__version__") = SILICONPROF_VERSION;
  siliconprof::bindings::bind_errors(module);
  siliconprof::bindings::bind_core(module);
  siliconprof::bindings::bind_ops(module);
  siliconprof::bindings::bind_workloads(module);
  siliconprof::bindings::bind_counters(module);
  siliconprof::bindings::bind_profile(module);
  siliconprof::bindings::bind_compare(module);
  siliconprof::bindings::bind_devices(module);
  siliconprof::bindings::bind_explain(module);
  siliconprof::bindings::bind_sweep(module);
  siliconprof::bindings::bind_kernels(module);
  siliconprof::bindings::bind_bound(module);
}
