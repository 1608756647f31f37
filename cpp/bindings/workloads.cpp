#include "bindings.h"
#include "gil.h"
#include "siliconprof/ops/liveness.h"
#include "siliconprof/workloads/lowerings.h"
#include "siliconprof/workloads/training_step.h"

namespace siliconprof::bindings {
namespace {

struct ModelInfo {
  std::string id;
  std::string summary;
  std::map<std::string, std::int64_t> sizes;
  std::int64_t parameters;
};

std::vector<ModelInfo> model_infos() {
  std::vector<ModelInfo> all;
  for (const CatalogueEntry& model : models()) {
    all.push_back({std::string(model.id),
                   std::string(model.summary),
                   {model.sizes.begin(), model.sizes.end()},
                   model.parameters});
  }
  return all;
}

Trace make_step(const std::string& workload, const std::map<std::string, std::int64_t>& sizes,
                const std::string& precision, const std::string& optimizer,
                std::optional<std::int64_t> lora, const std::string& offload, bool checkpoint,
                std::optional<double> clip, int accumulate, double dropout,
                std::optional<double> learning_rate, const std::string& framework) {
  TrainingConfig config;
  config.workload = workload;
  config.sizes = {sizes.begin(), sizes.end()};
  config.precision = parse_precision(precision);
  config.optimizer = parse_optimizer(optimizer);
  config.lora_rank = lora;
  config.offload = parse_offload(offload);
  config.checkpoint = checkpoint;
  config.clip_norm = clip;
  config.accumulate = accumulate;
  config.dropout = dropout;
  config.learning_rate = learning_rate;
  config.lowering = find_lowering(framework);
  const GilRelease free;
  return training_step(config);
}

}  // namespace

void bind_workloads(py::module_& module) {
  py::class_<ModelInfo>(module, "ModelInfo", "A model that can be trained: one entry of the table.")
      .def_readonly("id", &ModelInfo::id, "As sp.workload takes it.")
      .def_readonly("summary", &ModelInfo::summary, "In one line.")
      .def_readonly("sizes", &ModelInfo::sizes, "Names of its sizes and their defaults.")
      .def_readonly("parameters", &ModelInfo::parameters, "Numbers in its weights.");
  module.def("models", &model_infos, "Every model with its sizes and number of parameters.");
  module.def(
      "precision_names", [] { return to_strings(precision_names()); }, "Precisions of a step.");
  module.def(
      "optimizer_names", [] { return to_strings(optimizer_names()); }, "Optimizers of a step.");
  module.def(
      "offload_names", [] { return to_strings(offload_names()); },
      "When what an optimizer on the host needs crosses the link.");
  module.def(
      "lowering_names", [] { return to_strings(lowering_names()); },
      "Frameworks whose kernels a step can be made of.");
  module.def("training_step", &make_step, py::arg("workload"), py::arg("sizes"),
             py::arg("precision") = "fp32", py::arg("optimizer") = "adamw",
             py::arg("lora") = py::none(), py::arg("offload") = "none",
             py::arg("checkpoint") = false, py::arg("clip") = py::none(), py::arg("accumulate") = 1,
             py::arg("dropout") = 0.0, py::arg("learning_rate") = py::none(),
             py::arg("framework") = "native",
             "Trace of one whole training step, whose first result is the loss; with the optimizer "
             "'none' up to the gradients, which are results too.\n\nRaises: UnknownNameError, "
             "ArgumentError naming what would fit.");
}

}  // namespace siliconprof::bindings
