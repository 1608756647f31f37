#include "siliconprof/devices/by_op.h"

#include <gtest/gtest.h>

#include "siliconprof/ops/table.h"

namespace siliconprof {
namespace {

TEST(ByOp, HasNothingOfAnOpThatWasNotGiven) {
  const ByOp<int> none;
  for (const Op* op : all_ops()) EXPECT_EQ(none.find(*op), nullptr);
  EXPECT_EQ(none.begin(), none.end());
}

TEST(ByOp, FindsEachOfManyAndNoneOfTheOthers) {
  ByOp<std::size_t> found;
  const auto ops = all_ops();
  for (std::size_t i = 0; i < ops.size(); i += 2) found[*ops[i]] = i;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    ASSERT_EQ(found.contains(*ops[i]), i % 2 == 0) << ops[i]->name;
    if (i % 2 == 0) {
      EXPECT_EQ(*found.find(*ops[i]), i);
    }
  }
}

TEST(ByOp, KeepsTheOrderInWhichTheyCameAndWhatWasThere) {
  ByOp<int> found;
  found[find_op("sum")] = 1;
  found[find_op("add")] = 2;
  found[find_op("sum")] += 10;
  std::vector<int> values;
  for (const auto& [op, value] : found) values.push_back(value);
  EXPECT_EQ(values, (std::vector<int>{11, 2}));
}

TEST(ByOp, IsEmptyOnceCleared) {
  ByOp<int> found;
  for (const Op* op : all_ops()) found[*op] = 1;
  found.clear();
  EXPECT_FALSE(found.contains(find_op("sum")));
  found[find_op("sum")] = 3;
  EXPECT_EQ(*found.find(find_op("sum")), 3);
}

}  // namespace
}  // namespace siliconprof
