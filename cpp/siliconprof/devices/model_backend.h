#pragma once

// A backend whose clock is arithmetic: what a device would take for a trace.

#include <memory>
#include <string>

#include "siliconprof/devices/rates.h"
#include "siliconprof/profile/backend.h"

namespace siliconprof {

/// A device under a framework, with its rates looked up once. Immutable; share it freely.
class Model {
 public:
  /// Throws DeviceError: a number is missing or impossible, or the framework doesn't run there.
  Model(Device device, Framework framework);

  const Device& device() const { return device_; }
  const Framework& framework() const { return framework_; }
  const Rates& rates() const { return rates_; }

  /// Seconds of one call: launch + max(arithmetic, traffic), products by product_time.h where the
  /// framework has its constants. Terms and interval (90 %, from the
  /// numbers' relative errors) go into the span. Throws DtypeError when the device lacks the dtype.
  void predict(const OpCall& call, Span& span) const;

  /// The whole trace, through the one loop. Throws ArgumentError for an empty trace.
  Profile predict(const Trace& trace) const;

 private:
  void predict_product(const OpCall& call, const ProductRate& rate, Span& span) const;

  Device device_;
  Framework framework_;
  Rates rates_;
};

class ModelBackend final : public Backend {
 public:
  explicit ModelBackend(const Model& model) : model_(model) {}

  Origin origin() const override { return Origin::Predicted; }
  const std::string& device() const override { return model_.device().id; }
  const std::string& framework() const override { return model_.framework().id; }
  void execute(const OpCall& call, Span& span) override;
  double now_s() override { return now_s_; }

 private:
  const Model& model_;
  double now_s_ = 0.0;
};

}  // namespace siliconprof
