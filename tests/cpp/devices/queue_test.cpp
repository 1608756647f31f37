#include "siliconprof/devices/queue.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

TEST(Queue, LaunchesHideBehindLongKernels) {
  Queue queue(true);
  EXPECT_DOUBLE_EQ(queue.run(1.0, 10.0), 11.0);  // the first one waits for its launch
  EXPECT_DOUBLE_EQ(queue.run(1.0, 10.0), 10.0);
  EXPECT_DOUBLE_EQ(queue.run(1.0, 10.0), 10.0);
}

TEST(Queue, KernelsHideBehindLongLaunches) {
  Queue queue(true);
  EXPECT_DOUBLE_EQ(queue.run(10.0, 1.0), 11.0);
  EXPECT_DOUBLE_EQ(queue.run(10.0, 1.0), 10.0);
  EXPECT_DOUBLE_EQ(queue.run(10.0, 4.0), 13.0);
}

TEST(Queue, AHeadStartOfTheHostIsUsedUpByShortKernels) {
  Queue queue(true);
  queue.run(1.0, 5.0);                         // ends at 6, the host is at 1
  EXPECT_DOUBLE_EQ(queue.run(2.0, 1.0), 1.0);  // issued at 3, 6 to 7
  EXPECT_DOUBLE_EQ(queue.run(5.0, 1.0), 2.0);  // issued at 8, 8 to 9
}

TEST(Queue, ASynchronousHostAddsEveryLaunch) {
  Queue queue(false);
  EXPECT_DOUBLE_EQ(queue.run(1.0, 10.0), 11.0);
  EXPECT_DOUBLE_EQ(queue.run(1.0, 10.0), 11.0);
}

TEST(Queue, AfterAWaitTheNextLaunchIsNotHidden) {
  Queue queue(true);
  queue.run(1.0, 10.0);
  queue.wait();
  EXPECT_DOUBLE_EQ(queue.run(1.0, 10.0), 11.0);
}

}  // namespace
}  // namespace siliconprof
