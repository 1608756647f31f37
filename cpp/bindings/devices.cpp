#include <pybind11/operators.h>

#include "bindings.h"
#include "gil.h"
#include "siliconprof/core/error.h"
#include "siliconprof/core/number_text.h"
#include "siliconprof/devices/axis_shares.h"
#include "siliconprof/devices/model_backend.h"
#include "siliconprof/devices/predict.h"
#include "siliconprof/devices/unit_rates.h"
#include "siliconprof/devices/usable_memory.h"
#include "siliconprof/ops/reuse.h"

namespace siliconprof::bindings {
namespace {

Numbers to_numbers(const std::map<std::string, Number>& numbers) {
  return {numbers.begin(), numbers.end()};
}

std::map<std::string, Number> from_numbers(const Numbers& numbers) {
  return {numbers.begin(), numbers.end()};
}

void bind_data(py::module_& module) {
  py::class_<Number>(module, "Number", "A number with its kind and source.")
      .def(py::init([](double value, const std::string& kind, std::string source, double error) {
             if (!(error >= 0.0 && error < 1.0)) {
               throw ArgumentError("[number] relative_error is " + number_text(error) +
                                   "; needed: at least 0 and below 1");
             }
             return Number{value, parse_number_kind(kind), std::move(source), error};
           }),
           py::arg("value"), py::arg("kind"), py::arg("source"), py::arg("relative_error") = 0.0)
      .def_readonly("value", &Number::value, "In the unit that its key ends with.")
      .def_property_readonly(
          "kind", [](const Number& n) { return std::string(name(n.kind)); },
          "spec, measured, fitted or assumed.")
      .def_readonly("source", &Number::source, "Where it is from.")
      .def_readonly("relative_error", &Number::relative_error,
                    "Half of its 90 % interval over the value.")
      .def(py::self == py::self)
      .def("__repr__", [](const Number& n) {
        return py::str("<Number {:.4g} \u00b1 {:.2g} %, {}: {}>")
            .format(n.value, 100.0 * n.relative_error, std::string(name(n.kind)), n.source);
      });
  py::class_<Device>(module, "Device", "A machine as data; keys in docs/device-files.md.")
      .def(py::init([](std::string id, std::string full_name, std::string vendor,
                       std::string family, const std::map<std::string, Number>& numbers) {
             Device device{std::move(id), std::move(full_name), std::move(vendor),
                           std::move(family), to_numbers(numbers)};
             check(device.numbers, device.id);
             return device;
           }),
           py::arg("id"), py::arg("name"), py::arg("vendor"), py::arg("family"), py::arg("numbers"))
      .def_readonly("id", &Device::id, "As sp.device takes it.")
      .def_readonly("name", &Device::name, "As its maker writes it.")
      .def_readonly("vendor", &Device::vendor, "apple, nvidia, cpu...")
      .def_readonly("family", &Device::family, "Whose fitted constants it shares.")
      .def_property_readonly(
          "numbers", [](const Device& d) { return from_numbers(d.numbers); },
          "By key (docs/device-files.md).")
      .def(py::self == py::self)
      .def("__repr__", [](const Device& d) { return "<Device " + d.id + ">"; });
}

void bind_framework(py::module_& module) {
  py::class_<Framework>(module, "Framework", "What a framework costs and reaches, as data.")
      .def(py::init([](std::string id, std::string full_name, std::vector<std::string> vendors,
                       const std::map<std::string, Number>& numbers,
                       std::map<std::string, std::string> lacks) {
             Framework framework{std::move(id), std::move(full_name), std::move(vendors),
                                 to_numbers(numbers), std::move(lacks)};
             check(framework.numbers, framework.id);
             return framework;
           }),
           py::arg("id"), py::arg("name"), py::arg("vendors"), py::arg("numbers"),
           py::arg("lacks") = std::map<std::string, std::string>())
      .def_readonly("id", &Framework::id, "As torch-cuda.")
      .def_readonly("name", &Framework::name, "In words, with its version.")
      .def_readonly("vendors", &Framework::vendors, "Whose devices it runs on.")
      .def_property_readonly(
          "numbers", [](const Framework& f) { return from_numbers(f.numbers); },
          "By key (docs/framework-files.md).")
      .def_readonly("lacks", &Framework::lacks,
                    "Why it can't do something at its version, by what that is: a format, or "
                    "autocast to one (amp-fp16, amp-bf16), or offload. predict raises DtypeError.")
      .def(py::self == py::self)
      .def("__repr__", [](const Framework& f) { return "<Framework " + f.id + ">"; });
}

// "efficiency.<class>..." and "launch..." are looked up by scope; anything else is the device's.
const Number& number(const Model& model, const std::string& key) {
  const std::string prefix = "efficiency.";
  if (key.starts_with(prefix)) {
    return efficiency(model.device(), model.framework(), key.substr(prefix.size()));
  }
  if (key.starts_with("launch.")) {
    return launch(model.device(), model.framework(), key.substr(std::string("launch.").size()));
  }
  return find_number(model.device().numbers, model.device().id, {key});
}

void bind_axis_shares(py::module_& module) {
  module.def(
      "axis_shares",
      [](std::int64_t outer, std::int64_t size, std::int64_t inner, std::int64_t cores) {
        const AxisShares found = axis_shares(outer, size, inner, cores);
        return std::pair(found.values, found.gathered);
      },
      py::arg("outer"), py::arg("size"), py::arg("inner"), py::arg("cores"),
      "(values of a thread, parts of a result that a thread gathers) of a reduction on CUDA along "
      "an axis of `size` to results (outer, inner), on so many cores; no parts where one group of "
      "threads has the axis.\n\nSource: PyTorch, aten/src/ATen/native/cuda/Reduce.cuh.");
}

void bind_product_time(py::module_& module) {
  module.def(
      "product_time",
      [](std::array<std::int64_t, 4> dims, std::array<std::int64_t, 3> rows, bool along_depth,
         const std::map<std::string, double>& unit, bool biased) {
        ProductUnit u;
        const std::map<std::string, double*> places{{"peak_flops_per_s", &u.peak_flops_per_s},
                                                    {"bytes_per_s", &u.bytes_per_s},
                                                    {"element_bytes", &u.element_bytes},
                                                    {"reach", &u.reach},
                                                    {"tile_loss", &u.tile_loss},
                                                    {"depth_loss", &u.depth_loss},
                                                    {"start_s", &u.start_s},
                                                    {"split_s", &u.split_s},
                                                    {"unaligned", &u.unaligned},
                                                    {"turned", &u.turned},
                                                    {"unaligned_result", &u.unaligned_result},
                                                    {"biased", &u.biased}};
        for (const auto& [key, place] : places) *place = unit.at(key);
        u.cores = int(unit.at("cores"));
        const auto [batch, m, k, n] = dims;
        const ProductShape shape{batch, m, k, n, rows[0], rows[1], rows[2], along_depth};
        const ProductTime time = biased ? biased_product_time(shape, u) : product_time(shape, u);
        return std::array<double, 3>{time.start_s, time.arithmetic_s, time.traffic_s};
      },
      py::arg("dims"), py::arg("rows"), py::arg("along_depth"), py::arg("unit"),
      py::arg("biased") = false,
      "(start, arithmetic, traffic) of a matrix product on a tiled unit: dims (batch, m, k, n), "
      "elements between stored rows of the factors and the result, whether both factors' rows run "
      "along the depth, constants by name, whether the result gets a bias.\n\n"
      "Units: seconds.\nRaises: IndexError for a missing constant.\nSource: NVIDIA DU-09799, "
      "chapter 3.");
}

/// The call's amounts of work by key, those that are not zero; bytes as of call_traffic.
std::map<std::string, double> kernel_work(const OpCall& call, double bytes, double far_bytes,
                                          bool is_large) {
  const CallTraffic traffic =
      is_large ? CallTraffic{bytes, far_bytes, bytes, far_bytes} : CallTraffic{bytes, far_bytes};
  const WorkAmounts amounts = work_amounts(kernel_name(call), call, cost_of(call), traffic);
  std::map<std::string, double> named;
  for (std::size_t i = 0; i < kWorkCount; ++i) {
    if (amounts[i] != 0.0) named[std::string(work_keys()[i])] = amounts[i];
  }
  return named;
}

void bind_kernels_of_devices(py::module_& module) {
  module.def(
      "kernel_names", [] { return to_strings(kernel_names()); },
      "What calls are measured as: products by layout and length, else ops.");
  module.def(
      "work_keys", [] { return to_strings(work_keys()); },
      "The keys of a measured kernel's rates, one for each kind of work.");
  module.def(
      "kernel_name", [](const OpCall& call) { return std::string(kernel_name(call)); },
      py::arg("call"), "What a call is measured as.");
  module.def("kernel_work", &kernel_work, py::arg("call"), py::arg("bytes"), py::arg("far_bytes"),
             py::arg("is_large") = false,
             "A call's amounts of work by the key of their rate, where it reads and writes so many "
             "bytes, of which far_bytes cross the edge of the cache; is_large: it touches more "
             "memory than the cache has.\n\nUnits: 1 for start_s, FLOP for "
             "arithmetic_flops_per_s, bytes for the others.");
  module.def(
      "call_traffic",
      [](const Trace& trace, double cache_bytes) {
        std::vector<std::tuple<double, double, bool>> found;
        for (const CallTraffic& each : call_traffic(trace, cache_bytes)) {
          found.emplace_back(each.bytes, each.far_bytes, each.large_bytes > 0.0);
        }
        return found;
      },
      py::arg("trace"), py::arg("cache_bytes"),
      "Of each call of a trace that runs over and over the bytes that it reads and writes, what of "
      "them crosses the edge of a cache of that size, and whether it touches more memory than "
      "that.\n\nUnits: bytes.");
}

void bind_allocators(py::module_& module) {
  module.def("usable_memory", &usable_memory, py::arg("device"), py::arg("framework"),
             "What a step may take of a device's memory: of a unified one what its system "
             "recommends, of a board's what error correction, the driver and the framework's "
             "process leave.\n\nUnits: bytes.\nRaises: DeviceError for a device without a "
             "capacity.");
  py::class_<Replay, std::shared_ptr<Replay>>(
      module, "AllocatorReplay",
      "What a framework's allocator makes of a step that follows another.")
      .def_property_readonly(
          "peak_allocated_bytes", [](const Replay& r) { return r.peak.allocated_bytes; },
          "Bytes handed out at once at most, as it rounds them.")
      .def_property_readonly(
          "peak_reserved_bytes", [](const Replay& r) { return r.peak.reserved_bytes; },
          "Bytes that it held at most, with what it keeps for later.")
      .def_property_readonly(
          "timeline",
          [](const Replay& r) {
            std::vector<std::pair<std::int64_t, std::int64_t>> points;
            points.reserve(r.held.size());
            for (const Held& held : r.held) {
              points.emplace_back(held.allocated_bytes, held.reserved_bytes);
            }
            return points;
          },
          "(allocated, reserved) bytes during each call.")
      .def_property_readonly(
          "refused",
          [](const Replay& r) -> std::optional<std::pair<std::int32_t, std::int64_t>> {
            if (!r.refusal) return std::nullopt;
            return std::pair{r.refusal->call, r.refusal->bytes};
          },
          "The call that is refused memory first, and the bytes it asks for; None where none is. "
          "The rest is the step without that limit.");
}

}  // namespace

void bind_devices(py::module_& module) {
  bind_data(module);
  bind_framework(module);
  bind_allocators(module);
  bind_kernels_of_devices(module);
  bind_axis_shares(module);
  bind_product_time(module);
  py::class_<Model, std::shared_ptr<Model>>(
      module, "Model",
      "A device under a framework, rates looked up once.\n\nRaises: DeviceError when a "
      "number is missing or impossible, or the framework doesn't run there.")
      .def(py::init<Device, Framework>(), py::arg("device"), py::arg("framework"))
      .def_property_readonly("device", &Model::device, "That it predicts for.")
      .def_property_readonly("framework", &Model::framework, "Whose kernels it predicts.")
      .def_property_readonly(
          "has_measured_kernels", [](const Model& model) { return !model.rates().kernels.empty(); },
          "Whether kernels were measured on the device under the framework (sp.calibrate).")
      .def(
          "predict",
          [](const std::shared_ptr<const Model>& model, const std::shared_ptr<const Trace>& trace) {
            const GilRelease free;
            return predict(model, trace);
          },
          py::arg("trace"),
          "The profile that the device would show: launch + max(arithmetic, traffic) per call, "
          "with "
          "terms and 90 % interval.\n\nUnits: seconds.\nRaises: ArgumentError for an empty trace, "
          "DtypeError for a dtype that the device lacks.\nSource: Williams et al. 2009 (roofline).")
      .def(
          "memory",
          [](const Model& model, const Trace& trace) -> std::optional<Replay> {
            const auto memory = model.memory(trace);
            return memory ? std::optional(memory->replay) : std::nullopt;
          },
          py::arg("trace"),
          "The trace's memory requests replayed through the framework's allocator; None where "
          "the framework's file has no constants of it.\n\nUnits: bytes.\nSource: "
          "MPSAllocator.mm and CUDACachingAllocator.cpp of PyTorch, allocator.cpp of MLX.")
      .def("number", &number, py::arg("key"), py::return_value_policy::reference_internal,
           "The number that serves this pair: a device key (memory.bandwidth_bytes_per_s), or "
           "efficiency.<op class>.compute.<dtype>, efficiency.<op class>.bandwidth, "
           "launch.<what> by the device's family, vendor, any.\n\nRaises: DeviceError.")
      .def(
          "find_scoped",
          [](const Model& model, const std::string& table, const std::string& key) {
            return find_scoped(model.device(), model.framework(), table, key);
          },
          py::arg("table"), py::arg("key"), py::return_value_policy::reference_internal,
          "The framework's <table>.<scope>.<key> by the device's family, vendor, any, else its "
          "<table>.<key>; None where it has none.");
}

}  // namespace siliconprof::bindings
