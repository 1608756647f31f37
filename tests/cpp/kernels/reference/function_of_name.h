#pragma once

// From an op's name to its function in element_functions.inc.

#include <string>

#include "siliconprof/kernels/reference/activations.h"

namespace siliconprof::reference {

/// Calls visit.operator()<Function>(); false for the name of no activation.
template <class Visit>
bool with_activation(const std::string& name, const Visit& visit) {
  if (name == "relu") return visit.template operator()<Relu>(), true;
  if (name == "leaky_relu") return visit.template operator()<LeakyRelu>(), true;
  if (name == "selu") return visit.template operator()<Selu>(), true;
  if (name == "sigmoid") return visit.template operator()<Sigmoid>(), true;
  if (name == "softplus") return visit.template operator()<Softplus>(), true;
  if (name == "gelu_erf") return visit.template operator()<GeluErf>(), true;
  if (name == "gelu_tanh") return visit.template operator()<GeluTanh>(), true;
  if (name == "silu") return visit.template operator()<Silu>(), true;
  return false;
}

/// Runs the definition of an activation or its backward op on Acc; false for any other op.
template <class Acc, class In, class Out>
bool define_activation(const OpCall& call, In& in, Out&& out) {
  const auto step = [](std::int64_t) {};
  const std::string name(call.op->name);
  const std::string suffix = "_backward";
  if (!name.ends_with(suffix)) {
    return with_activation(name, [&]<template <class> class Function>() {
      activation<Acc, Function>(call, in[0], out, step);
    });
  }
  return with_activation(name.substr(0, name.size() - suffix.size()),
                         [&]<template <class> class Function>() {
                           activation_backward<Acc, Function>(call, in[0], in[1], out, step);
                         });
}

}  // namespace siliconprof::reference
