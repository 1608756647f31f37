#include "siliconprof/devices/predict.h"

namespace siliconprof {
namespace {

// Of fewer, what their equal calls have in common takes longer to find than they do.
constexpr std::size_t kManyCalls = 16;

}  // namespace

Profile predict(const std::shared_ptr<const Model>& model,
                const std::shared_ptr<const Trace>& trace) {
  if (trace->calls().size() < kManyCalls) return model->predict(*trace);
  std::optional<Profile> found = model->totals(*trace);
  if (!found) return model->predict(*trace);
  const auto outline = found->spans.outline();
  found->spans = Spans({outline.begin(), outline.end()},
                       [model, trace] { return model->predict(*trace).spans.all(); });
  return *std::move(found);
}

}  // namespace siliconprof
