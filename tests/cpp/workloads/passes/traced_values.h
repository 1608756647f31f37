#pragma once

// Runs whole traces in float64 on the reference engine, with parameters and inputs by name.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "siliconprof/kernels/cpu/bound_trace.h"
#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/workloads/passes/differentiate.h"

namespace siliconprof {

using NamedValues = std::map<std::string, std::vector<double>>;

/// What a run left in the tensors that own memory, by name; of results under their names.
class TracedValues {
 public:
  /// Tensors of `given` start with those values, all others as the trace says.
  explicit TracedValues(const Trace& trace, const NamedValues& given = {},
                        std::string_view engine = "reference", int threads = 1)
      : trace_(trace), bound_(trace_, cpu::find_engine(engine), threads, {}) {
    for (std::size_t id = 0; id < trace.tensors().size(); ++id) {
      const TensorInfo& info = trace.tensors()[id];
      const auto found = given.find(info.name);
      const bool starts = info.role == Role::Parameter || info.role == Role::Input ||
                          info.role == Role::OptimizerState;
      if (info.is_view() || !starts || found == given.end()) continue;
      write(bound_.view(TensorId(id)), found->second);
    }
    for (std::size_t call = 0; call < trace.calls().size(); ++call) bound_.run(call, {});
  }

  std::vector<double> of(TensorId id) const {
    const TensorView& view = bound_.view(id);
    std::vector<double> values;
    cpu::with_element_type(view.dtype, [&]<class T>() {
      for (std::int64_t i = 0; i < view.elements(); ++i) {
        values.push_back(static_cast<double>(view.as<T>()[i]));
      }
    });
    return values;
  }
  /// Of the first tensor of that name.
  std::vector<double> of(const std::string& name) const {
    for (std::size_t id = 0; id < trace_.tensors().size(); ++id) {
      if (trace_.tensors()[id].name == name) return of(TensorId(id));
    }
    ADD_FAILURE() << "no tensor " << name;
    return {};
  }
  double loss() const { return of(trace_.results().at(0)).at(0); }
  /// Of each parameter, by its name.
  NamedValues gradients() const {
    NamedValues all;
    for (const auto& [parameter, gradient] : trace_.gradients()) {
      all[trace_.tensors()[std::size_t(parameter)].name] = of(gradient);
    }
    return all;
  }
  NamedValues parameters() const {
    NamedValues all;
    for (std::size_t id = 0; id < trace_.tensors().size(); ++id) {
      const TensorInfo& info = trace_.tensors()[id];
      if (info.role == Role::Parameter && !info.is_view()) all[info.name] = of(TensorId(id));
    }
    return all;
  }

 private:
  static void write(const TensorView& view, const std::vector<double>& values) {
    ASSERT_EQ(view.elements(), std::int64_t(values.size()));
    if (view.dtype == Dtype::Int32) {
      std::copy(values.begin(), values.end(), view.as<std::int32_t>());
      return;
    }
    cpu::with_element_type(view.dtype, [&]<class T>() {
      for (std::size_t i = 0; i < values.size(); ++i) view.as<T>()[i] = T(float(values[i]));
    });
    if (view.dtype == Dtype::Float64) std::copy(values.begin(), values.end(), view.as<double>());
  }

  Trace trace_;  // what bound_ points to
  cpu::BoundTrace bound_;
};

/// Checks every gradient of a forward trace in float64 against central differences at two step
/// widths, extrapolated to none, at most `elements` of each parameter, spread over it.
inline void expect_gradients_agree(const Trace& forward, double tolerance, int elements = 4) {
  const Trace trace = differentiate(forward);
  const TracedValues values(trace);
  const NamedValues parameters = values.parameters();
  const auto slope = [&](const std::string& name, std::size_t i, double h) {
    std::vector<double> moved = parameters.at(name);
    const double centre = moved[i];
    moved[i] = centre + h;
    const double up = TracedValues(forward, {{name, moved}}).loss();
    moved[i] = centre - h;
    return (up - TracedValues(forward, {{name, moved}}).loss()) / (2 * h);
  };
  for (const auto& [name, gradient] : values.gradients()) {
    const std::size_t stride = std::max<std::size_t>(1, gradient.size() / std::size_t(elements));
    for (std::size_t i = 0; i < gradient.size(); i += stride) {
      const double h = 2e-5;
      const double limit = (4 * slope(name, i, h / 2) - slope(name, i, h)) / 3;
      EXPECT_NEAR(gradient[i], limit, tolerance) << name << " [" << i << "]";
    }
  }
}

}  // namespace siliconprof
