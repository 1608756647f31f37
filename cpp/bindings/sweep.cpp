#include "siliconprof/devices/sweep.h"

#include <pybind11/functional.h>
#include <pybind11/numpy.h>

#include <algorithm>
#include <limits>

#include "bindings.h"
#include "gil.h"
#include "siliconprof/core/error.h"
#include "siliconprof/devices/frontier.h"
#include "siliconprof/devices/size_memory.h"
#include "siliconprof/devices/step_prediction.h"

namespace siliconprof::bindings {
namespace {

using Size = std::pair<std::int64_t, std::int64_t>;

StepSize to_size(const Size& size) { return {size.first, size.second}; }

// In an array, what a row lacks.
constexpr Interval kNone{std::numeric_limits<double>::quiet_NaN(),
                         std::numeric_limits<double>::quiet_NaN()};

// Rows with what they are rows of: labels of the entries, and sizes.
struct SweepChunk {
  std::vector<SweepEntry> entries;  // labels and prices alone
  std::vector<StepSize> sizes;
  std::vector<SweepRow> rows;

  std::string text() const { return sweep_text(entries, sizes, rows); }
};

SweepChunk make_chunk(const std::vector<std::string>& labels,
                      const std::vector<std::reference_wrapper<const Model>>& models,
                      const std::vector<std::reference_wrapper<const StepFamily>>& families,
                      const std::vector<Size>& sizes, int threads, std::int64_t micro_batches) {
  SweepChunk chunk;
  chunk.entries.reserve(labels.size());
  chunk.sizes.reserve(sizes.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const Model& model = models.at(i).get();
    chunk.entries.push_back({labels[i], &model, &families.at(i).get(),
                             launch_price_usd(model.device()), micro_batches});
  }
  for (const Size& size : sizes) chunk.sizes.push_back(to_size(size));
  const GilRelease release;
  chunk.rows = sweep(chunk.entries, chunk.sizes, threads);
  return chunk;
}

// One number of every row.
template <class Value, class Read>
py::array_t<Value> column(const SweepChunk& chunk, Read read) {
  py::array_t<Value> values(py::ssize_t(chunk.rows.size()));
  Value* out = values.mutable_data();
  for (std::size_t i = 0; i < chunk.rows.size(); ++i) out[i] = read(i);
  return values;
}

py::dict columns(const SweepChunk& chunk) {
  const std::size_t entries = chunk.entries.size();
  const auto row = [&](std::size_t i) -> const SweepRow& { return chunk.rows[i]; };
  const auto size = [&](std::size_t i) -> const StepSize& { return chunk.sizes[i / entries]; };
  py::dict named;
  named["entry"] = column<std::int64_t>(chunk, [&](std::size_t i) { return i % entries; });
  named["batch"] = column<std::int64_t>(chunk, [&](std::size_t i) { return size(i).batch; });
  named["length"] = column<std::int64_t>(chunk, [&](std::size_t i) { return size(i).length; });
  named["time_s"] = column<double>(chunk, [&](std::size_t i) { return row(i).time_s; });
  named["lo_s"] = column<double>(chunk, [&](std::size_t i) { return row(i).interval_s.lo; });
  named["hi_s"] = column<double>(chunk, [&](std::size_t i) { return row(i).interval_s.hi; });
  named["peak_memory_bytes"] =
      column<std::int64_t>(chunk, [&](std::size_t i) { return row(i).peak_bytes; });
  const auto ends = [](const std::optional<Interval>& found) { return found.value_or(kNone); };
  named["lo_bytes"] =
      column<double>(chunk, [&](std::size_t i) { return ends(row(i).peak_interval_bytes).lo; });
  named["hi_bytes"] =
      column<double>(chunk, [&](std::size_t i) { return ends(row(i).peak_interval_bytes).hi; });
  const auto energy = [&](std::size_t i) {
    return row(i).energy.value_or(StepEnergy{kNone.lo, kNone});
  };
  named["energy_joules"] = column<double>(chunk, [&](std::size_t i) { return energy(i).joules; });
  named["lo_joules"] = column<double>(chunk, [&](std::size_t i) { return energy(i).interval.lo; });
  named["hi_joules"] = column<double>(chunk, [&](std::size_t i) { return energy(i).interval.hi; });
  named["fits"] = column<bool>(chunk, [&](std::size_t i) { return row(i).fits; });
  named["frontier"] = column<bool>(chunk, [&](std::size_t i) { return row(i).on_frontier; });
  named["price_usd"] = column<double>(chunk, [&](std::size_t i) {
    return chunk.entries[i % entries].price_usd.value_or(kNone.lo);
  });
  const auto items_of = [&](std::size_t i) { return items(chunk.entries[i % entries], size(i)); };
  named["time_per_item_s"] =
      column<double>(chunk, [&](std::size_t i) { return row(i).time_s / items_of(i); });
  named["joules_per_item"] =
      column<double>(chunk, [&](std::size_t i) { return energy(i).joules / items_of(i); });
  return named;
}

// Rows of four costs each.
py::array_t<bool> on_frontier(const py::array_t<double, py::array::c_style>& costs) {
  if (costs.ndim() != 2 || costs.shape(1) != py::ssize_t(kRespects)) {
    throw ArgumentError("[frontier] an array of another shape; needed: (n, 4)");
  }
  std::vector<Costs> choices(std::size_t(costs.shape(0)));
  for (std::size_t i = 0; i < choices.size(); ++i) {
    std::copy_n(costs.data(py::ssize_t(i), 0), kRespects, choices[i].begin());
  }
  const std::vector<bool> is_on = frontier(choices);
  py::array_t<bool> found(py::ssize_t(is_on.size()));
  std::copy(is_on.begin(), is_on.end(), found.mutable_data());
  return found;
}

// (time, lo, hi) of a step at a size.
std::array<double, 3> time_of(const StepFamily& family, const Model& model, const Size& size) {
  const StepSummary step = family.at(to_size(size));
  SizeMemory memory(to_size(size));
  memory.set_step(family, step);
  const StepPrediction found = predict_step(model, step, memory.peak_bytes(model.rates()));
  return {found.time_s, found.interval_s.lo, found.interval_s.hi};
}

}  // namespace

void bind_sweep(py::module_& module) {
  py::class_<StepFamily>(
      module, "StepFamily",
      "The steps of a workload at every batch and length, known from a few of them.\n\nbuild: the "
      "Trace of (batch, length), asked at the corners of [least, most] and between; both are "
      "(batch, length).\nRaises: ArgumentError where calls depend on the sizes in another way.")
      .def(py::init([](const std::function<Trace(std::int64_t, std::int64_t)>& build,
                       const Size& least, const Size& most) {
             return StepFamily([&](const StepSize& s) { return build(s.batch, s.length); },
                               to_size(least), to_size(most));
           }),
           py::arg("build"), py::arg("least"), py::arg("most"))
      .def(
          "predict",
          [](const StepFamily& family, const Model& model, const Size& size) {
            return time_of(family, model, size);
          },
          py::arg("model"), py::arg("size"),
          "(time, lo, hi) of the step at (batch, length).\n\nUnits: seconds.\nRaises: DtypeError.")
      .def(
          "assumed_host",
          [](const StepFamily& family, const Model& model, const Size& size) {
            return model.assumed_host(family.at(to_size(size)).placed);
          },
          py::arg("model"), py::arg("size"),
          "Says that the step keeps some of it on a host of which nothing is known there; None of "
          "another step, or where it is known.")
      .def(
          "peak_memory_bytes",
          [](const StepFamily& family, const Size& size) {
            return family.at(to_size(size)).peak_bytes;
          },
          py::arg("size"), "Most that the tensors take at once, at (batch, length).");
  py::class_<SweepChunk>(module, "SweepChunk", "Rows of a sweep.")
      .def("text", &SweepChunk::text, "Lines of comma-separated values, without a header.")
      .def("columns", &columns,
           "Arrays by name; `entry` is the place in the lists that the rows were asked with. Of "
           "bytes' intervals and energies NaN is what a row lacks.")
      .def("__len__", [](const SweepChunk& chunk) { return chunk.rows.size(); });
  module.def("frontier", &on_frontier, py::arg("costs"),
             "Of rows of four costs, the less the better, those that no other row beats.");
  module.def("sweep_chunk", &make_chunk, py::arg("labels"), py::arg("models"), py::arg("families"),
             py::arg("sizes"), py::arg("threads") = 1, py::arg("micro_batches") = 1,
             "Predictions of every entry (a label, a Model and a StepFamily each) at every (batch, "
             "length); a step has so many micro-batches of that batch.\n\nUnits: seconds, bytes, "
             "joules.\nRaises: DtypeError for a format that a device "
             "lacks, DeviceError for one without a capacity.");
}

}  // namespace siliconprof::bindings
