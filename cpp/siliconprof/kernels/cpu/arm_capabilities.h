#pragma once

// Instruction sets of an arm64 CPU; all false on others.

namespace siliconprof::cpu {

struct ArmCapabilities {
  bool neon = false;
  bool asimdhp = false;
  bool bf16 = false;
};

ArmCapabilities arm_capabilities();

}  // namespace siliconprof::cpu
