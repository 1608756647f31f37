#include "siliconprof/ops/memory_plan.h"

#include <algorithm>

#include "siliconprof/core/checked.h"
#include "siliconprof/core/rounding.h"
#include "siliconprof/ops/liveness.h"

namespace siliconprof {
namespace {

constexpr std::int64_t kAlignment_bytes = 64;

struct Block {
  TensorId id;
  Lifetime life;
  std::int64_t bytes;
  std::int64_t offset_bytes;
};

std::int64_t aligned(std::int64_t bytes) { return rounded_up(bytes, kAlignment_bytes); }

std::vector<Block> blocks_by_size(const Trace& trace) {
  const std::vector<Lifetime> lives = lifetimes(trace);
  std::vector<Block> blocks;
  for (std::size_t id = 0; id < lives.size(); ++id) {
    const TensorInfo& info = trace.tensors()[id];
    if (lives[id].first < 0 || info.is_view() || is_persistent(info.role)) continue;
    blocks.push_back({TensorId(id), lives[id], aligned(info.bytes()), 0});
  }
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const Block& a, const Block& b) { return a.bytes > b.bytes; });
  return blocks;
}

/// The lowest offset where `block` meets none of `placed`, which is sorted by offset.
std::int64_t lowest_gap(const std::vector<Block>& placed, const Block& block) {
  std::int64_t offset = 0;
  for (const Block& other : placed) {
    if (other.life.first > block.life.last || other.life.last < block.life.first) continue;
    if (other.offset_bytes >= offset + block.bytes) break;
    offset = std::max(offset, other.offset_bytes + other.bytes);
  }
  return offset;
}

}  // namespace

MemoryPlan plan_memory(const Trace& trace) {
  MemoryPlan plan{std::vector<std::int64_t>(trace.tensors().size(), kNotPlanned), 0};
  std::vector<Block> placed;
  for (Block& block : blocks_by_size(trace)) {
    block.offset_bytes = lowest_gap(placed, block);
    plan.offset_bytes[std::size_t(block.id)] = block.offset_bytes;
    plan.arena_bytes = std::max(plan.arena_bytes, block.offset_bytes + block.bytes);
    const auto after = std::upper_bound(
        placed.begin(), placed.end(), block,
        [](const Block& a, const Block& b) { return a.offset_bytes < b.offset_bytes; });
    placed.insert(after, block);
  }
  return plan;
}

std::int64_t planned_bytes(const Trace& trace) {
  const std::vector<Lifetime> lives = lifetimes(trace);
  std::int64_t bytes = plan_memory(trace).arena_bytes;
  for (std::size_t id = 0; id < lives.size(); ++id) {
    const TensorInfo& info = trace.tensors()[id];
    const bool kept = !info.is_view() && lives[id].first >= 0 && is_persistent(info.role);
    if (kept) bytes = checked_sum("memory", bytes, aligned(info.bytes()));
  }
  return bytes;
}

}  // namespace siliconprof
