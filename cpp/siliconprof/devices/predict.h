#pragma once

// What `predict` is from Python: a step's totals at once, what its calls take when somebody looks.

#include <memory>

#include "siliconprof/devices/model_backend.h"

namespace siliconprof {

/// As Model::predict; keeps model and trace while nobody has looked at the calls.
Profile predict(const std::shared_ptr<const Model>& model,
                const std::shared_ptr<const Trace>& trace);

}  // namespace siliconprof
