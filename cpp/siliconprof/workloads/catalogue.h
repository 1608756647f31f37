#pragma once

// The table of models: a new size is one entry, a new architecture one file and its entries.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/sizes.h"

namespace siliconprof {

struct CatalogueEntry {
  std::string_view id;
  std::string_view summary;
  Trace (*build)(const ForwardConfig&);
  Sizes sizes;              // of the architecture, and of a batch where none is asked for
  std::int64_t parameters;  // of the published model
  std::vector<std::string_view> lora_targets;  // parts of the names of matrices that LoRA adapts
  bool copies_heads = false;   // as its users write it, lays out by head what attention has
  bool widens_logits = false;  // under autocast too, for the loss [transformers-loss]
};

std::span<const CatalogueEntry> models();
std::vector<std::string_view> model_names();
/// Throws UnknownNameError with the nearest id.
const CatalogueEntry& find_model(std::string_view id);

/// The forward trace, with `sizes` in place of the model's own; its result is the loss. Throws
/// UnknownNameError for a size that the model lacks, ArgumentError for one that cannot be.
Trace forward_trace(const CatalogueEntry& model, const Sizes& sizes, Dtype dtype = Dtype::Float32,
                    double dropout = 0.0);

}  // namespace siliconprof
