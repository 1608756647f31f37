#include "siliconprof/core/thrown.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

namespace siliconprof {
namespace {

TEST(Thrown, TheFirstIsKeptAndThrownOn) {
  Thrown thrown;
  thrown.keep_of([] {});
  EXPECT_FALSE(thrown.any());
  EXPECT_NO_THROW(thrown.rethrow());
  thrown.keep_of([] { throw std::runtime_error("first"); });
  thrown.keep_of([] { throw std::logic_error("second"); });
  EXPECT_TRUE(thrown.any());
  EXPECT_THROW(thrown.rethrow(), std::runtime_error);
}

TEST(Thrown, OneOfManyThreadsIsKept) {
  Thrown thrown;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { thrown.keep_of([] { throw std::runtime_error("x"); }); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THROW(thrown.rethrow(), std::runtime_error);
}

}  // namespace
}  // namespace siliconprof
