#include "siliconprof/devices/roofline.h"

#include <algorithm>

namespace siliconprof {

double time_at(double amount, const Rate& rate) { return amount > 0.0 ? amount / rate.per_s : 0.0; }

double roofline_s(double arithmetic_s, double traffic_s) {
  return std::max(arithmetic_s, traffic_s);
}

}  // namespace siliconprof
