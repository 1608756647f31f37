#include <pybind11/operators.h>

#include "bindings.h"
#include "gil.h"
#include "siliconprof/kernels/cpu/bound_trace.h"
#include "siliconprof/ops/liveness.h"
#include "siliconprof/ops/memory_plan.h"
#include "siliconprof/ops/table.h"
#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/passes/replicate.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof::bindings {
namespace {

template <class T>
std::vector<T> used(std::span<const T> ids) {
  std::vector<T> present;
  for (const T id : ids) {
    if (id != kNoTensor) present.push_back(id);
  }
  return present;
}

std::map<std::string, std::int64_t> dims_by_name(const OpCall& call) {
  std::map<std::string, std::int64_t> dims;
  for (std::size_t i = 0; i < call.op->dim_names.size(); ++i) {
    dims[std::string(call.op->dim_names[i])] = call.dims[i];
  }
  return dims;
}

std::map<std::string, double> attributes_by_name(const OpCall& call) {
  std::map<std::string, double> attributes;
  for (std::size_t i = 0; i < call.op->attributes.size(); ++i) {
    attributes[std::string(call.op->attributes[i].name)] = call.attributes[i];
  }
  return attributes;
}

std::map<std::string, std::int64_t> bytes_by_role(const MemoryPoint& point) {
  std::map<std::string, std::int64_t> bytes;
  for (std::size_t role = 0; role < kRoleCount; ++role) {
    if (point.by_role_bytes[role] != 0) {
      bytes[std::string(name(static_cast<Role>(role)))] = point.by_role_bytes[role];
    }
  }
  return bytes;
}

py::tuple shape_tuple(const Shape& shape) {
  return py::tuple(py::cast(std::vector<std::int64_t>(shape.view().begin(), shape.view().end())));
}

void bind_cost(py::module_& module) {
  py::class_<Cost>(
      module, "Cost",
      "What an operation must do.\n\nUnits: FLOP (a multiply-add is 2), bytes of "
      "compulsory traffic (each input read once, each output written once). matrix_flops "
      "are what PyTorch's FlopCounterMode counts, but that attention has the pairs that "
      "a causal query sees, and convolutions the taps that fall on data.")
      .def_readonly("matrix_flops", &Cost::matrix_flops, "FLOP of matrix products.")
      .def_readonly("vector_flops", &Cost::vector_flops, "FLOP of everything else.")
      .def_readonly("bytes_read", &Cost::bytes_read, "Bytes of the inputs.")
      .def_readonly("bytes_written", &Cost::bytes_written, "Bytes of the outputs.")
      .def_property_readonly("flops", &Cost::flops, "Both kinds together.")
      .def_property_readonly("bytes", &Cost::bytes, "Read and written.")
      .def(py::self == py::self)
      .def("__repr__", [](const Cost& c) {
        return py::str("<Cost {:.4g} FLOP, {:.4g} bytes>")
            .format(double(c.flops()), double(c.bytes()));
      });
}

void bind_calls(py::module_& module) {
  py::class_<OpCall>(module, "OpCall", "One call of an operation in a trace.")
      .def_property_readonly(
          "op", [](const OpCall& c) { return std::string(c.op->name); }, "Name of the operation.")
      .def_property_readonly(
          "op_class", [](const OpCall& c) { return std::string(name(c.op->op_class)); },
          "How a device works on it, as matrix_product.")
      .def_property_readonly("dims", &dims_by_name, "Sizes by name.")
      .def_property_readonly("attributes", &attributes_by_name,
                             "Numbers that are no sizes, by name.")
      .def_property_readonly(
          "dtype", [](const OpCall& c) { return std::string(name(c.dtype)); },
          "Of its tensors, as float32.")
      .def_property_readonly(
          "phase", [](const OpCall& c) { return std::string(name(c.phase)); },
          "forward, backward, optimizer or transfer.")
      .def_property_readonly(
          "joins_launch", [](const OpCall& c) { return c.joins_launch; },
          "Whether it runs in the launch of the call before it.")
      .def_property_readonly(
          "inputs", [](const OpCall& c) { return used<TensorId>(c.inputs); },
          "Indices into the trace's tensors.")
      .def_property_readonly(
          "outputs", [](const OpCall& c) { return used<TensorId>(c.outputs); },
          "Indices into the trace's tensors.")
      .def_property_readonly(
          "cost", [](const OpCall& c) { return cost_of(c); }, "What the call must do.")
      .def("__repr__", [](const OpCall& c) { return "<OpCall " + to_string(c) + ">"; });
}

void bind_tensors(py::module_& module) {
  py::class_<TensorInfo>(module, "TensorInfo", "A row of a trace's tensor table.")
      .def_readonly("name", &TensorInfo::name, "As the workload calls it.")
      .def_property_readonly(
          "shape", [](const TensorInfo& t) { return shape_tuple(t.shape); },
          "Sizes, the last one contiguous.")
      .def_property_readonly(
          "dtype", [](const TensorInfo& t) { return std::string(name(t.dtype)); }, "As float32.")
      .def_property_readonly(
          "role", [](const TensorInfo& t) { return std::string(name(t.role)); },
          "As parameter, gradient, activation.")
      .def_property_readonly("bytes", &TensorInfo::bytes, "Of its elements.")
      .def_readonly("index_limit", &TensorInfo::index_limit, "Of int32: indices lie below it.")
      .def_property_readonly(
          "is_given", [](const TensorInfo& t) { return cpu::is_given(t); },
          "True where a caller of sp.bind may give it.")
      .def_readonly("frozen", &TensorInfo::frozen, "True for a parameter that isn't trained.")
      .def_readonly("on_host", &TensorInfo::on_host, "True where it lies in the host's memory.")
      .def_property_readonly(
          "base",
          [](const TensorInfo& t) { return t.is_view() ? std::optional(t.base) : std::nullopt; },
          "Index of the tensor whose memory it shares; None for one with its own.")
      .def_property_readonly("is_view", &TensorInfo::is_view,
                             "True where it shares another's memory.")
      .def("__repr__", [](const TensorInfo& t) {
        return "<TensorInfo '" + t.name + "', " + std::string(name(t.role)) + ", " +
               std::string(name(t.dtype)) + " " + std::string(py::repr(shape_tuple(t.shape))) + ">";
      });
}

MemoryPoint make_memory_point(std::int32_t call, const std::map<std::string, std::int64_t>& roles) {
  MemoryPoint point{call, {}};
  for (const auto& [role, bytes] : roles) {
    point.by_role_bytes[static_cast<std::size_t>(parse_role(role))] = bytes;
  }
  return point;
}

/// The section of each call; empty before the first.
std::vector<std::string> section_names(const Trace& trace) {
  std::vector<std::string> names;
  for (const std::int32_t section : trace.section_of_calls()) {
    names.push_back(section < 0 ? "" : trace.sections()[std::size_t(section)].name);
  }
  return names;
}

// Of a step of many micro-batches it takes seconds.
std::int64_t planned_without_lock(const Trace& trace) {
  const GilRelease free;
  return planned_bytes(trace);
}

void bind_trace(py::module_& module) {
  py::class_<MemoryPoint>(module, "MemoryPoint", "Live bytes while a call runs, by role.")
      .def(py::init(&make_memory_point), py::arg("call"), py::arg("by_role"))
      .def_readonly("call", &MemoryPoint::call, "Index of the call.")
      .def_property_readonly("live_bytes", &MemoryPoint::live_bytes, "Of all roles.")
      .def_property_readonly("by_role", &bytes_by_role, "Bytes by role.")
      .def(py::self == py::self)
      .def("__repr__", [](const MemoryPoint& p) {
        return py::str("<MemoryPoint call {}: {:.4g} bytes>")
            .format(p.call, double(p.live_bytes()));
      });
  py::class_<Trace, std::shared_ptr<Trace>>(
      module, "Trace", "A program: a flat list of op calls and the table of its tensors.")
      .def_property_readonly("label", &Trace::label, "Workload and sizes, in one line.")
      .def_property_readonly("work", &Trace::work,
                             "What it does, whichever kernels it is made of; empty where only its "
                             "calls say.")
      .def_property_readonly("calls", &Trace::calls, "In the order in which they run.")
      .def_property_readonly("tensors", &Trace::tensors, "All that the calls name by index.")
      .def_property_readonly("cost", &Trace::cost, "Of all calls.")
      .def_property_readonly(
          "flops", [](const Trace& t) { return t.cost().flops(); },
          "FLOP of all calls (a multiply-add is 2).")
      .def_property_readonly(
          "bytes", [](const Trace& t) { return t.cost().bytes(); },
          "Compulsory traffic of all calls, call by call.")
      .def_property_readonly("parameters", &Trace::parameters, "Numbers in all parameters.")
      .def_property_readonly("trained_parameters", &Trace::trained_parameters,
                             "Numbers in those that aren't frozen.")
      .def_property_readonly("results", &Trace::results,
                             "Indices of the tensors that a run leaves to the caller.")
      .def_property_readonly("sections", &section_names,
                             "Of each call, as layers are called; empty before the first.")
      .def_property_readonly(
          "host_memory_bytes",
          [](const Trace& t) { return memory_timeline(t, MemoryOf::Host).peak_bytes(); },
          "Most bytes held at once in the host's memory.")
      .def_property_readonly(
          "peak_memory_bytes", [](const Trace& t) { return t.memory().peak_bytes(); },
          "Most bytes held at once, each tensor for as long as it is needed.")
      .def_property_readonly("planned_memory_bytes", &planned_without_lock,
                             "What a run on this CPU takes for them.")
      .def_property_readonly(
          "memory_timeline", [](const Trace& t) { return t.memory().points(); },
          "Live bytes by role while each call runs.")
      .def(py::self == py::self)
      .def("__len__", [](const Trace& t) { return t.calls().size(); })
      .def("__repr__", [](const Trace& t) {
        return "<Trace '" + t.label() + "', " + std::to_string(t.calls().size()) + " calls>";
      });
}

void bind_attribute_needs(py::module_& module) {
  module.def(
      "attribute_needs",
      [](const std::string& op, const std::string& attribute, double value) {
        for (const AttributeInfo& info : find_op(op).attributes) {
          if (info.name == attribute && !info.values.holds(value)) {
            return std::string(info.values.needed);
          }
        }
        return std::string();
      },
      py::arg("op"), py::arg("attribute"), py::arg("value"),
      "What an operation's attribute has to be, where a finite value isn't; else empty.\n\nRaises: "
      "UnknownNameError.");
}

}  // namespace

void bind_ops(py::module_& module) {
  bind_cost(module);
  bind_calls(module);
  bind_tensors(module);
  bind_attribute_needs(module);
  bind_trace(module);
  module.def(
      "op_names", [] { return to_strings(op_names()); }, "Operations, in table order.");
  module.def(
      "op_summary", [](const std::string& op) { return std::string(find_op(op).summary); },
      py::arg("name"), "Formula and shapes of an operation.\n\nRaises: UnknownNameError.");
  module.def(
      "op_dims", [](const std::string& op) { return to_strings(find_op(op).dim_names); },
      py::arg("name"), "Names of an operation's dimensions.\n\nRaises: UnknownNameError.");
  module.def(
      "op_attributes",
      [](const std::string& op) {
        std::map<std::string, double> defaults;
        for (const auto& info : find_op(op).attributes) {
          defaults[std::string(info.name)] = info.default_value;
        }
        return defaults;
      },
      py::arg("name"),
      "An operation's attributes and their defaults.\n\nRaises: UnknownNameError.");
  module.def(
      "single_op",
      [](const std::string& op, const std::map<std::string, std::int64_t>& dims,
         const std::string& dtype, const std::map<std::string, double>& attributes,
         bool vjp) { return single_op(op, dims, parse_dtype(dtype), attributes, vjp); },
      py::arg("name"), py::arg("dims"), py::arg("dtype") = "float32",
      py::arg("attributes") = std::map<std::string, double>{}, py::arg("vjp") = false,
      "Trace of one call of an operation, or of its vector-Jacobian product: the backward calls "
      "from inputs and cotangents to the gradients of all inputs.\n\nRaises: UnknownNameError, "
      "ShapeError, ArgumentError.");
  module.def("replicate", &replicate, py::arg("trace"), py::arg("copies"), py::arg("repeats"),
             py::arg("update"), py::arg("bytes_between") = 0,
             "Copies of a trace one after the other, each on tensors of its own, each call run "
             "`repeats` times in a row; with `update`, outputs that may take an input's memory do; "
             "after each copy a sum over `bytes_between` of other memory, none for "
             "0.\n\nRaises: ArgumentError.");
}

}  // namespace siliconprof::bindings
