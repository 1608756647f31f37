#include "siliconprof/workloads/catalogue.h"

#include <utility>

#include "siliconprof/core/error.h"
#include "siliconprof/workloads/models/bert.h"
#include "siliconprof/workloads/models/gpt2.h"
#include "siliconprof/workloads/models/llama.h"
#include "siliconprof/workloads/models/resnet.h"
#include "siliconprof/workloads/models/transformer_lm.h"
#include "siliconprof/workloads/models/vgg.h"
#include "siliconprof/workloads/models/whisper.h"

namespace siliconprof {
namespace {

using Id = std::string_view;

CatalogueEntry gpt2_model(Id id, std::int64_t layers, std::int64_t width, std::int64_t heads,
                          std::int64_t parameters) {
  return {id,
          "GPT-2: tied head, learned positions, gelu_tanh",
          gpt2,
          {{"batch", 1},
           {"seq", 256},
           {"context", 1024},
           {"vocab", 50257},
           {"layers", layers},
           {"width", width},
           {"heads", heads}},
          parameters,
          {"attn.c_attn"}};
}

CatalogueEntry whisper_model(Id id, std::int64_t layers, std::int64_t width, std::int64_t heads,
                             std::int64_t parameters) {
  return {id,
          "Whisper: 3000 mel frames in, text out, tied head",
          whisper,
          {{"batch", 1},
           {"label_len", 64},
           {"frames", 3000},
           {"mels", 80},
           {"context", 448},
           {"vocab", 51865},
           {"layers", layers},
           {"width", width},
           {"heads", heads}},
          parameters,
          {"q_proj", "v_proj"},
          true};
}

/// Blocks of the four stages.
struct Blocks {
  std::int64_t first, second, third, fourth;
};

Sizes resnet_sizes(std::int64_t batch, std::int64_t image, bool small, bool bottleneck,
                   Blocks blocks) {
  return {{"batch", batch},           {"image", image},           {"channels", 64},
          {"small", small},           {"bottleneck", bottleneck}, {"blocks1", blocks.first},
          {"blocks2", blocks.second}, {"blocks3", blocks.third},  {"blocks4", blocks.fourth}};
}

CatalogueEntry resnet_model(Id id, bool bottleneck, Blocks blocks, std::int64_t parameters) {
  Sizes sizes = resnet_sizes(32, 224, false, bottleneck, blocks);
  sizes["classes"] = 1000;
  return {id, "ResNet on ImageNet's images", resnet, std::move(sizes), parameters, {}};
}

CatalogueEntry simclr_model(Id id, Blocks blocks, std::int64_t parameters) {
  Sizes sizes = resnet_sizes(128, 32, true, false, blocks);
  sizes["projection"] = 128;
  return {id,         "SimCLR on CIFAR's images: ResNet, projection head, NT-Xent over two views",
          simclr,     std::move(sizes),
          parameters, {}};
}

CatalogueEntry vgg_model(Id id, bool norm, std::int64_t parameters) {
  return {id,
          norm ? "VGG-16 with batch norms on ImageNet's images" : "VGG-16 on ImageNet's images",
          vgg16,
          {{"batch", 32},
           {"image", 224},
           {"classes", 1000},
           {"channels", 64},
           {"hidden", 4096},
           {"norm", norm}},
          parameters,
          {}};
}

CatalogueEntry bert_model(Id id, std::int64_t layers, std::int64_t width, std::int64_t heads,
                          std::int64_t parameters) {
  return {id,
          "BERT with the masked-language-model head",
          bert,
          {{"batch", 1},
           {"seq", 128},
           {"context", 512},
           {"vocab", 30522},
           {"layers", layers},
           {"width", width},
           {"heads", heads},
           {"hidden", 4 * width}},
          parameters,
          {"self.query", "self.value"}};
}

CatalogueEntry transformer_lm_model(Id id, std::int64_t layers, std::int64_t width,
                                    std::int64_t heads, std::int64_t parameters) {
  return {id,
          "the decoder-only language model of the MLX examples, on PTB's 10,000 words",
          transformer_lm,
          {{"batch", 2},
           {"seq", 1024},
           {"context", 1024},
           {"vocab", 10000},
           {"layers", layers},
           {"width", width},
           {"heads", heads}},
          parameters,
          {"query_proj", "value_proj"}};
}

struct LlamaSizes {
  std::int64_t layers, width, heads, kv_heads, hidden;
};

CatalogueEntry llama_model(Id id, LlamaSizes of, std::int64_t parameters) {
  return {id,
          "LLaMA: rms norms, rotary positions, silu-gated MLP; any size by keyword",
          llama,
          {{"batch", 1},
           {"seq", 256},
           {"context", 2048},
           {"vocab", 32000},
           {"layers", of.layers},
           {"width", of.width},
           {"heads", of.heads},
           {"kv_heads", of.kv_heads},
           {"hidden", of.hidden},
           {"rotary_base", 10000},
           {"tied", 0}},
          parameters,
          {"q_proj", "v_proj"},
          false,
          true};
}

std::vector<CatalogueEntry> make_models() {
  return {
      gpt2_model("gpt2-small", 12, 768, 12, 124439808),
      gpt2_model("gpt2-medium", 24, 1024, 16, 354823168),
      gpt2_model("gpt2-large", 36, 1280, 20, 774030080),
      gpt2_model("gpt2-xl", 48, 1600, 25, 1557611200),
      whisper_model("whisper-tiny", 4, 384, 6, 37760640),
      whisper_model("whisper-base", 6, 512, 8, 72593920),
      whisper_model("whisper-small", 12, 768, 12, 241734912),
      whisper_model("whisper-medium", 24, 1024, 16, 763857920),
      whisper_model("whisper-large", 32, 1280, 20, 1543304960),
      simclr_model("simclr-resnet18", {2, 2, 2, 2}, 11497792),
      resnet_model("resnet18", false, {2, 2, 2, 2}, 11689512),
      resnet_model("resnet50", true, {3, 4, 6, 3}, 25557032),
      vgg_model("vgg16", false, 138357544),
      vgg_model("vgg16-bn", true, 138365992),
      bert_model("bert-base", 12, 768, 12, 109514298),
      bert_model("bert-large", 24, 1024, 16, 335174458),
      transformer_lm_model("transformer-lm", 12, 1024, 16, 171597584),
      transformer_lm_model("transformer-lm-gpt2-large", 36, 1280, 20, 733816080),
      llama_model("llama-1b", {22, 2048, 32, 4, 5632}, 1100048384),
      llama_model("llama-7b", {32, 4096, 32, 32, 11008}, 6738415616),
  };
}

}  // namespace

std::span<const CatalogueEntry> models() {
  static const std::vector<CatalogueEntry> all = make_models();
  return all;
}

std::vector<std::string_view> model_names() {
  std::vector<std::string_view> names;
  for (const CatalogueEntry& model : models()) names.push_back(model.id);
  return names;
}

const CatalogueEntry& find_model(std::string_view id) {
  for (const CatalogueEntry& model : models()) {
    if (model.id == id) return model;
  }
  throw_unknown_name("workload", "workload", id, model_names());
}

Trace forward_trace(const CatalogueEntry& model, const Sizes& sizes, Dtype dtype, double dropout) {
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
