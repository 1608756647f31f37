#pragma once

// Random calls of any op: small sizes with 0 and 1 among them, attributes on and off, and inputs
// from the op's domain. An op that needs another domain than [-1, 1) says so in kDomains; one whose
// results may differ in what is special to floating point, or from one thread count to another,
// says so in kExceptions.

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "engine_agreement.h"
#include "siliconprof/core/error.h"

namespace siliconprof::cpu {

using Random = std::mt19937_64;

struct Domain {
  std::string_view op;
  std::string_view reason;
  void (*fit)(Example&, Random&);
};

/// What the generic test doesn't ask of an op, and why.
struct Exception {
  std::string_view op;
  std::string_view reason;
  bool specials = true;   // NaN, infinities and denormals among the inputs
  bool same_bits = true;  // for any thread count
};

template <class Change>
void change(Example& example, std::size_t input, const Change& value_of) {
  const TensorView& view = example.inputs[input].view();
  with_element_type(view.dtype, [&]<class T>() {
    for (std::int64_t i = 0; i < view.elements(); ++i) {
      view.as<T>()[i] = T(value_of(double(view.as<T>()[i])));
    }
  });
}

/// Overwrites an input with a forward op's output, both sides at the same sizes.
inline void take_forward(Example& example, std::size_t input, std::string_view forward,
                         std::size_t output, std::uint64_t seed, std::size_t shared_inputs = 0) {
  const auto dims = example.call.op->dim_names.size();
  const auto attributes = example.call.op->attributes.size();
  Example made(forward,
               {example.call.dims.begin(), example.call.dims.begin() + std::ptrdiff_t(dims)},
               example.call.dtype,
               {example.call.attributes.begin(),
                example.call.attributes.begin() + std::ptrdiff_t(attributes)},
               seed);
  std::vector<Values> in;
  for (std::size_t i = 0; i < made.inputs.size(); ++i) {
    in.push_back(to_values((i < shared_inputs ? example : made).inputs[i].view()));
  }
  const Values values = define_all(made.call, in)[output];
  const TensorView& view = example.inputs[input].view();
  if (view.dtype == Dtype::Int32) {
    std::copy(values.begin(), values.end(), view.as<std::int32_t>());
  } else {
    with_element_type(view.dtype, [&]<class T>() {
      for (std::size_t i = 0; i < values.size(); ++i) view.as<T>()[i] = T(float(values[i]));
    });
  }
}

inline void fit_predictions(Example& example, Random&) {
  const std::size_t count = example.call.op->name == "bce_target_backward" ? 1 : 2;
  for (std::size_t i = 0; i < count; ++i) {
    change(example, i, [](double x) { return 0.5 + 0.45 * x; });
  }
}

inline void fit_log_mel_gradient(Example& example, Random& random) {
  change(example, 1, [](double x) { return 0.6 + 0.5 * x; });
  take_forward(example, 2, "log_mel", 0, random(), 2);
}

inline constexpr std::array kDomains{
    Domain{"bce", "predictions and targets lie between 0 and 1", fit_predictions},
    Domain{"bce_backward", "as bce", fit_predictions},
    Domain{"bce_target_backward", "as bce", fit_predictions},
    Domain{"adamw", "the mean of squares is positive, and divides",
           [](Example& e, Random&) { change(e, 3, [](double x) { return 0.6 + 0.5 * x; }); }},
    Domain{"clip", "a sum of squares, above and below the limit",
           [](Example& e, Random&) { change(e, 1, [](double x) { return 1.5 + 1.4 * x; }); }},
    Domain{"unscale", "a scale is a power of two, the flag is 0 or 1",
           [](Example& e, Random& random) {
             change(e, 1, [](double) { return 1024.0; });
             change(e, 2, [&](double) { return double(random() % 2); });
           }},
    Domain{"update_scale", "a scale, a count and a flag",
           [](Example& e, Random& random) {
             change(e, 0, [](double) { return 1024.0; });
             change(e, 1, [&](double) { return double(random() % 3); });
             change(e, 2, [&](double) { return double(random() % 2); });
           }},
    Domain{"log_mel", "filters aren't negative: a logarithm follows",
           [](Example& e, Random&) { change(e, 1, [](double x) { return 0.6 + 0.5 * x; }); }},
    Domain{"log_mel_backward", "as log_mel, and y is what it makes", fit_log_mel_gradient},
    Domain{"log_mel_filters_backward", "as log_mel_backward", fit_log_mel_gradient},
    Domain{"sort_backward", "an order is one that sorting found",
           [](Example& e, Random& random) { take_forward(e, 0, "sort", 1, random()); }},
    Domain{"max_pool2d_backward", "positions are those that pooling found",
           [](Example& e, Random& random) { take_forward(e, 0, "max_pool2d", 1, random()); }},
    Domain{"scatter_max_backward", "y is the largest of the updates",
           [](Example& e, Random& random) { take_forward(e, 2, "scatter_max", 0, random(), 2); }},
};

constexpr std::string_view kMasked =
    "a masked key's NaN meets its share of 0 in a tile, as in PyTorch's fused kernels";

constexpr std::string_view kLogMelNan = "y of any item with a NaN is NaN";

inline constexpr std::array kExceptions{
    Exception{"matmul", "a library shares the terms of a sum among threads as it likes", true,
              false},
    Exception{"matvec", "as matmul", true, false},
    Exception{"attention", kMasked, false},
    Exception{"attention_backward", kMasked, false},
    Exception{"attention_qkv", kMasked, false},
    Exception{"attention_qkv_backward", kMasked, false},
    Exception{"log_mel", "the definition's larger of NaN and 1e-10 is 1e-10, PyTorch's NaN", false},
    Exception{"log_mel_backward", kLogMelNan, false},
    Exception{"log_mel_filters_backward", kLogMelNan, false},
};

inline const Exception* find_exception(std::string_view op) {
  const auto* found = std::find_if(kExceptions.begin(), kExceptions.end(),
                                   [op](const Exception& e) { return e.op == op; });
  return found == kExceptions.end() ? nullptr : found;
}

/// Attributes that change what an op does: any of these values; the others keep their defaults.
inline double any_attribute(const AttributeInfo& info, Random& random) {
  if (info.name == "stride") return double(1 + random() % 3);
  if (info.name == "padding" || info.name == "begin") return double(random() % 3);
  if (info.name == "fft") return double(8 + 2 * (random() % 5));
  if (info.name == "hop") return double(1 + random() % 5);
  for (const std::string_view flag :
       {"transpose", "transpose_a", "transpose_b", "causal", "nesterov", "descending"}) {
    if (info.name == flag) return double(random() % 2);
  }
  return info.default_value;
}

inline std::int64_t any_dim(Random& random) {
  const std::uint64_t kind = random() % 16;
  if (kind == 0) return 0;
  if (kind < 4) return 1;
  if (kind < 13) return 2 + std::int64_t(random() % 8);
  return 10 + std::int64_t(random() % 60);
}

/// A call that the op takes and that is done in an instant; nothing when it refused the sizes.
inline std::optional<Example> any_example(const Op& op, Dtype dtype, Random& random) {
  std::vector<std::int64_t> dims(op.dim_names.size());
  for (std::int64_t& dim : dims) dim = any_dim(random);
  std::vector<double> attributes;
  for (const AttributeInfo& info : op.attributes) attributes.push_back(any_attribute(info, random));
  try {
    const OpCall call = make_call(op, dims, dtype, attributes);
    const Cost cost = op.cost(call);
    if (cost.flops() > 400'000 || cost.bytes() > 400'000) return std::nullopt;
    Example example(op.name, dims, dtype, attributes, random());
    for (const Domain& domain : kDomains) {
      if (domain.op == op.name) domain.fit(example, random);
    }
    return example;
  } catch (const ShapeError&) {
    return std::nullopt;
  } catch (const ArgumentError&) {  // of an attribute that those sizes don't allow
    return std::nullopt;
  }
}

/// Some NaN, zeros and denormals among the numbers of each input, and infinities if wanted.
inline void sprinkle(Example& example, Random& random, bool infinities) {
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<double> specials{std::nan(""), 0.0, -0.0, 1e-40, -1e-40, 6e-8};
  if (infinities) specials.insert(specials.end(), {inf, -inf});
  for (std::size_t i = 0; i < example.inputs.size(); ++i) {
    if (example.inputs[i].view().dtype == Dtype::Int32) continue;
    change(example, i,
           [&](double x) { return random() % 12 == 0 ? specials[random() % specials.size()] : x; });
  }
}

}  // namespace siliconprof::cpu
