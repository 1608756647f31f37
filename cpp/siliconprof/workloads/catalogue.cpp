#include "siliconprof/workloads/catalogue.h"

#include "siliconprof/core/error.h"
#include "siliconprof/workloads/models/gpt2.h"

namespace siliconprof {
namespace {

constexpr std::int64_t kContext = 1024;

Model gpt2_model(std::string_view id, std::int64_t layers, std::int64_t width, std::int64_t heads,
                 std::int64_t parameters) {
  return {id,
          "GPT-2: tied head, learned positions, gelu_tanh",
          gpt2,
          {{"batch", 1},
           {"seq", 256},
           {"context", kContext},
           {"vocab", 50257},
           {"layers", layers},
           {"width", width},
           {"heads", heads}},
          parameters,
          {"attn.c_attn"}};
}

std::vector<Model> make_models() {
  return {
      gpt2_model("gpt2-small", 12, 768, 12, 124439808),
      gpt2_model("gpt2-medium", 24, 1024, 16, 354823168),
      gpt2_model("gpt2-large", 36, 1280, 20, 774030080),
      gpt2_model("gpt2-xl", 48, 1600, 25, 1557611200),
  };
}

}  // namespace

std::span<const Model> models() {
  static const std::vector<Model> all = make_models();
  return all;
}

std::vector<std::string_view> model_names() {
  std::vector<std::string_view> names;
  for (const Model& model : models()) names.push_back(model.id);
  return names;
}

const Model& find_model(std::string_view id) {
  for (const Model& model : models()) {
    if (model.id == id) return model;
  }
  throw_unknown_name("workload", "workload", id, model_names());
}

Trace forward_trace(const Model& model, const Sizes& sizes, Dtype dtype, double dropout) {
  ForwardConfig config{std::string(model.id), model.sizes, dtype, dropout};
  for (const auto& [name, size] : sizes) {
    const auto found = config.sizes.find(name);
    if (found == config.sizes.end()) {
      std::vector<std::string_view> valid;
      for (const auto& [own, value] : model.sizes) valid.push_back(own);
      throw_unknown_name(model.id, "size", name, valid);
    }
    found->second = size;
  }
  return model.build(config);
}

}  // namespace siliconprof
