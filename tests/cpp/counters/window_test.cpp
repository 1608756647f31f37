#include "siliconprof/counters/window.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>

#include "siliconprof/core/error.h"
#include "siliconprof/counters/table.h"

namespace siliconprof {
namespace {

// ThreadSanitizer keeps two pages of its own for each page.
#if defined(__SANITIZE_THREAD__)
constexpr double kFaultsOfAPage = 3.0;
#else
constexpr double kFaultsOfAPage = 1.0;
#endif

TEST(Window, CountsOneFaultPerFreshPage) {
  const auto page = std::size_t(sysconf(_SC_PAGESIZE));
  constexpr std::size_t kPages = 64;
  constexpr std::array<std::string_view, 1> kNames{"minor_faults"};
  Window window(kNames);
  void* memory =
      mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, kPages * page, MADV_NOHUGEPAGE);
  window.start();
  for (std::size_t i = 0; i < kPages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
  window.stop();
  munmap(memory, kPages * page);
  // Other threads of the process may fault too, never fewer than ours. Sanitizers add their own.
  EXPECT_GE(window.value("minor_faults").value(), double(kPages));
  EXPECT_LE(window.value("minor_faults").value(), kFaultsOfAPage * double(kPages) + 64);
}

TEST(Window, HasNoValueWhileOpenAndSaysWhy) {
  Window window;
  window.stop();
  EXPECT_FALSE(window.value("wall_s"));
  EXPECT_EQ(window.reason("wall_s"), "the window was never opened");
  window.start();
  EXPECT_FALSE(window.value("wall_s"));
  EXPECT_EQ(window.reason("wall_s"), "the window is still open");
  window.stop();
  EXPECT_TRUE(window.value("wall_s"));
  EXPECT_EQ(window.reason("wall_s"), "");
}

TEST(Window, ReadsEveryCounterOfTheTableByDefault) {
  Window window;
  window.start();
  window.stop();
  const auto readings = window.readings();
  ASSERT_EQ(readings.size(), counter_names().size());
  for (const CounterReading& reading : readings) {
    EXPECT_TRUE(reading.value || !reading.reason.empty()) << reading.name;
  }
}

TEST(Window, RefusesUnknownNamesAndCountersThatWereNotChosen) {
  constexpr std::array<std::string_view, 1> kWrong{"minor_fault"};
  EXPECT_THROW(Window{kWrong}, UnknownNameError);
  constexpr std::array<std::string_view, 1> kWall{"wall_s"};
  const Window window(kWall);
  EXPECT_THROW(window.value("minor_faults"), ArgumentError);
  EXPECT_THROW(window.value("nothing"), UnknownNameError);
}

TEST(Window, LevelsAreAbsoluteAndDeltasRelative) {
  Window window;
  window.start();
  window.stop();
  EXPECT_GT(window.value("peak_rss_bytes").value(), 1e6);
  EXPECT_LT(window.value("cpu_s").value(), 1.0);
}

TEST(CounterReading, SummaryHasTheValueAndItsUnitOrTheReason) {
  const CounterReading known{"rss_bytes", "bytes", 4096.0, ""};
  EXPECT_EQ(known.summary(), "<CounterReading rss_bytes: 4096 bytes>");
  const CounterReading missing{"energy_joules", "joules", std::nullopt, "no meter"};
  EXPECT_EQ(missing.summary(), "<CounterReading energy_joules: unavailable, no meter>");
}

}  // namespace
}  // namespace siliconprof
