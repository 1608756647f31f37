#include "siliconprof/kernels/cpu/log_mel_shared.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "engine_agreement.h"

namespace siliconprof::cpu {
namespace {

TEST(LogMelShared, BandsAreWhereFiltersAndWhoTakesABinAreNotZero) {
  // 3 filters of 3 bins; the last takes none, nobody takes the first bin.
  const std::array<float, 9> filters{0, 1, 2, 0, 0, 3, 0, 0, 0};
  const LogMelSizes sizes{.batch = 1, .samples = 9, .mels = 3, .fft = 4, .hop = 1};
  const LogMelShared<float> shared(sizes, filters.data());
  const LogMelTables tables = shared.tables();
  const auto expect = [](const LogMelBand& band, std::int64_t begin, std::int64_t end) {
    EXPECT_EQ(band.begin, begin);
    EXPECT_EQ(band.end, end);
  };
  expect(tables.bands[0], 1, 3);
  expect(tables.bands[1], 2, 3);
  EXPECT_EQ(tables.bands[2].begin, tables.bands[2].end);
  EXPECT_EQ(tables.takers[0].begin, tables.takers[0].end);
  expect(tables.takers[1], 0, 1);
  expect(tables.takers[2], 0, 2);
  EXPECT_EQ(tables.filters, filters.data());
}

TEST(LogMelShared, BlocksAreNumberedItemByItemAndEndWithIt) {
  const LogMelSizes sizes{.batch = 2, .samples = 130, .mels = 1, .fft = 2, .hop = 1};
  EXPECT_EQ(log_mel_blocks_of_item(sizes), 3);
  const LogMelBlockFrames last = log_mel_block(sizes, 2);
  EXPECT_EQ(last.item, 0);
  EXPECT_EQ(last.begin, 128);
  EXPECT_EQ(last.end, 130);
  const LogMelBlockFrames next = log_mel_block(sizes, 3);
  EXPECT_EQ(next.item, 1);
  EXPECT_EQ(next.begin, 0);
  EXPECT_EQ(next.end, 64);
}

TEST(LogMelShared, EachTaskIsDoneOnceAndPollsComeBetween) {
  // A task is 64 frames of 2·51201·51201 flops: more than between two polls.
  const Example example("log_mel", {1, 4, 1}, Dtype::Float32, {102400, 1}, 1);
  std::vector<TensorView> none;
  int polls = 0;
  const Poll poll = [&polls] { ++polls; };
  std::array<std::atomic<int>, 6> done{};
  share_log_mel_blocks({example.call, none, none, 2, poll}, 6, 1,
                       [&](std::int64_t task, int) { ++done[std::size_t(task)]; });
  for (const auto& count : done) EXPECT_EQ(count, 1);
  EXPECT_EQ(polls, 2);  // two tasks at a time
}

TEST(LogMelShared, TasksThatTakeLongerArePolledMoreOften) {
  // A block's forward pass is 2·64·2166·2166 flops, 0.6e9: three and a bit lie between two polls.
  const Example example("log_mel", {1, 4, 1}, Dtype::Float32, {4330, 1}, 1);
  std::vector<TensorView> none;
  int polls = 0;
  const Poll poll = [&polls] { ++polls; };
  const KernelCall call{example.call, none, none, 2, poll};
  share_log_mel_blocks(call, 8, 1, [](std::int64_t, int) {});
  EXPECT_EQ(polls, 0);
  share_log_mel_blocks(call, 8, 4, [](std::int64_t, int) {});
  EXPECT_EQ(polls, 3);
}

}  // namespace
}  // namespace siliconprof::cpu
