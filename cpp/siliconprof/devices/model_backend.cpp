#include "siliconprof/devices/model_backend.h"

#include <utility>

#include "siliconprof/core/error.h"
#include "siliconprof/profile/loop.h"

namespace siliconprof {
namespace {

[[noreturn]] void throw_missing_dtype(const Device& device, const ClassRates& rates, Dtype dtype) {
  std::string listed;
  for (int i = 0; i < kDtypeCount; ++i) {
    if (!rates.matrix[std::size_t(i)]) continue;
    listed += (listed.empty() ? "" : ", ") + std::string(name(static_cast<Dtype>(i)));
  }
  throw DtypeError("[predict] " + device.id + " has no peak rate for " + std::string(name(dtype)) +
                   "; it has " + listed);
}

double& at(Terms& terms, Term term) { return terms[static_cast<std::size_t>(term)]; }

// The bounds of amount / rate when the rate is off by its relative error either way.
Interval bounds(double seconds, double relative_error) {
  return {seconds / (1.0 + relative_error), seconds / std::max(1.0 - relative_error, 0.1)};
}

}  // namespace

Model::Model(Device device, Framework framework)
    : device_(std::move(device)), framework_(std::move(framework)) {
  check(device_.numbers, device_.id);
  check(framework_.numbers, framework_.id);
  check_support(framework_, device_);
  rates_ = look_up_rates(device_, framework_);
}

void Model::predict(const OpCall& call, Span& span) const {
  const ClassRates& rates = rates_.by_class[static_cast<std::size_t>(call.op->op_class)];
  const auto& matrix_rate = rates.matrix[static_cast<std::size_t>(call.dtype)];
  const auto& vector_rate = rates.vector[static_cast<std::size_t>(call.dtype)];
  if (!matrix_rate || !vector_rate) throw_missing_dtype(device_, rates, call.dtype);

  const auto& products = rates_.products[static_cast<std::size_t>(call.dtype)];
  if (call.op->product != nullptr && products) return predict_product(call, *products, span);

  const double matrix_s = time_at(double(span.cost->matrix_flops), *matrix_rate);
  const double vector_s = time_at(double(span.cost->vector_flops), *vector_rate);
  const double traffic_s = time_at(double(span.cost->bytes()), rates.bandwidth);
  const double launch_s = call.joins_launch ? 0.0 : rates_.launch_s;
  Terms& terms = span.terms.emplace();
  at(terms, Term::Matrix) = matrix_s;
  at(terms, Term::Vector) = vector_s;
  at(terms, Term::Bandwidth) = traffic_s;
  at(terms, Term::Launch) = launch_s;
  span.wall_s = launch_s + roofline_s(matrix_s + vector_s, traffic_s);

  const Interval matrix = bounds(matrix_s, matrix_rate->relative_error);
  const Interval vector = bounds(vector_s, vector_rate->relative_error);
  const Interval traffic = bounds(traffic_s, rates.bandwidth.relative_error);
  const double launch_error_s = launch_s * rates_.launch_relative_error;
  span.interval_s = {launch_s - launch_error_s + roofline_s(matrix.lo + vector.lo, traffic.lo),
                     launch_s + launch_error_s + roofline_s(matrix.hi + vector.hi, traffic.hi)};
}

void Model::predict_product(const OpCall& call, const ProductRate& rate, Span& span) const {
  const ProductTime time = product_time(call.op->product(call), rate.unit);
  Terms& terms = span.terms.emplace();
  at(terms, Term::Matrix) = time.start_s + time.arithmetic_s;
  at(terms, Term::Bandwidth) = time.traffic_s;
  at(terms, Term::Launch) = rates_.launch_s;
  span.wall_s = rates_.launch_s + time.total_s();
  const Interval total = bounds(time.total_s(), rate.relative_error);
  const double launch_error_s = rates_.launch_s * rates_.launch_relative_error;
  span.interval_s = {rates_.launch_s - launch_error_s + total.lo,
                     rates_.launch_s + launch_error_s + total.hi};
}

Profile Model::predict(const Trace& trace) const {
  ModelBackend backend(*this);
  return profile(trace, backend, {}, Sampling::fixed(1, 0));
}

void ModelBackend::execute(const OpCall& call, Span& span) {
  model_.predict(call, span);
  now_s_ += span.wall_s;
}

}  // namespace siliconprof
