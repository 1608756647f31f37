#include "bindings.h"
#include "siliconprof/core/dtype.h"
#include "siliconprof/core/nearest.h"

namespace siliconprof::bindings {

void bind_core(py::module_& module) {
  module.def(
      "quantile", [](const std::vector<double>& samples, double q) { return quantile(samples, q); },
      py::arg("samples"), py::arg("q"),
      "The q-quantile by linear interpolation.\n\nRaises: ArgumentError for no samples, a NaN, or "
      "q "
      "outside [0, 1].\nSource: Hyndman & Fan 1996, type 7.");
  module.def(
      "median", [](const std::vector<double>& samples) { return median(samples); },
      py::arg("samples"), "The middle of the samples.\n\nRaises: ArgumentError for no samples.");
  module.def(
      "median_absolute_deviation",
      [](const std::vector<double>& samples) { return median_absolute_deviation(samples); },
      py::arg("samples"),
      "Median of |x - median|, in the samples' unit.\n\nRaises: ArgumentError.");
  module.def(
      "median_interval",
      [](const std::vector<double>& samples, double confidence) {
        return to_pair(median_interval(samples, confidence));
      },
      py::arg("samples"), py::arg("confidence") = 0.95,
      "Distribution-free interval for the median from order statistics; None for too few samples "
      "(below 6 at 95 %).\n\nRaises: ArgumentError for a confidence outside (0, 1).");
  module.def(
      "median_interval_of_series",
      [](const std::vector<double>& samples, double confidence) {
        return to_pair(median_interval_of_series(samples, confidence));
      },
      py::arg("samples"), py::arg("confidence") = 0.95,
      "The same of samples in the order in which they were taken: wider where neighbours are more "
      "alike than by chance.\n\nRaises: ArgumentError for a confidence outside (0, 1).");
  module.def(
      "nearest_names",
      [](const std::string& found, const std::vector<std::string>& valid) {
        return to_strings(nearest_names(found, to_views(valid)));
      },
      py::arg("found"), py::arg("valid"),
      "The valid names close to a misspelt one, nearest first.");
  module.def(
      "dtype_names", [] { return to_strings(dtype_names()); }, "Number formats, in order.");
}

}  // namespace siliconprof::bindings
