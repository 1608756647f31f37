#pragma once

// From an op's name to its definition, for the functions of element_functions.inc.

#include <string>

#include "siliconprof/kernels/reference/activations.h"
#include "siliconprof/kernels/reference/bce.h"
#include "siliconprof/kernels/reference/prelu.h"

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

/// Runs the definition of an element-wise function or its backward op on Acc; false for any other.
template <class Acc, class In, class Out>
bool define_function(const OpCall& call, In& in, Out&& out) {
  const auto step = [](std::int64_t) {};
  const std::string name(call.op->name);
  if (name == "prelu") return prelu<Acc>(call, in[0], in[1], out, step), true;
  if (name == "prelu_backward") {
    return prelu_backward<Acc>(call, in[0], in[1], in[2], out, step), true;
  }
  if (name == "prelu_weight_backward") {
    return prelu_weight_backward<Acc>(call, in[0], in[1], out, step), true;
  }
  if (name == "bce") return bce<Acc>(call, in[0], in[1], out, step), true;
  if (name == "bce_backward") {
    return bce_backward<Acc>(call, in[0], in[1], in[2], out, step), true;
  }
  if (name == "bce_target_backward") {
    return bce_target_backward<Acc>(call, in[0], in[1], out, step), true;
  }
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
