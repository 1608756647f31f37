#include "siliconprof/devices/requests.h"

#include <gtest/gtest.h>

#include "siliconprof/workloads/builder.h"

namespace siliconprof {
namespace {

std::vector<std::int32_t> given_back(const Requests& requests, std::int32_t call) {
  const auto places = requests.given_back(call);
  return {places.begin(), places.end()};
}

TEST(Requests, AreInOrderOfTheCallsThatMakeAndEndThem) {
  const Requests requests({{.number = 7, .first = 2, .last = 2},
                           {.number = 8, .first = 0, .last = 2},
                           {.number = 9, .first = 0, .last = 1, .lasting = true},
                           {.number = 10, .first = 2, .last = 2}},
                          3);
  ASSERT_EQ(requests.size(), 4);
  EXPECT_EQ(requests.calls(), 3);
  EXPECT_EQ(requests[0].number, 8);
  EXPECT_EQ(requests[2].number, 7);
  EXPECT_EQ(requests.made(0), std::pair(0, 2));
  EXPECT_EQ(requests.made(1), std::pair(2, 2));
  EXPECT_EQ(requests.made(2), std::pair(2, 4));
  // What lasts never ends.
  EXPECT_TRUE(given_back(requests, 1).empty());
  EXPECT_EQ(given_back(requests, 2), (std::vector<std::int32_t>{0, 2, 3}));
}

TEST(Requests, AreTimedAsOthersWhateverTheyAreOf) {
  const auto of = [](std::int32_t number, std::int32_t last, bool lasting) {
    return Requests({{.number = number, .first = 0, .last = last, .lasting = lasting},
                     {.number = 3, .first = 1, .last = 2}},
                    3);
  };
  EXPECT_TRUE(of(1, 1, false).are_timed_as(of(2, 1, false)));
  EXPECT_FALSE(of(1, 1, false) == of(2, 1, false));
  EXPECT_FALSE(of(1, 1, false).are_timed_as(of(1, 2, false)));
  EXPECT_FALSE(of(1, 1, false).are_timed_as(of(1, 1, true)));
}

TEST(Requests, OfTensorsLastAsLongAsTheTraceNeedsThem) {
  Builder b("made", Dtype::Float32);
  const TensorId x = b.input("x", {10});
  const TensorId y = b.call("add", {10}, {x, x});
  const Trace trace = std::move(b).finish(b.call("relu", {10}, {y}));
  const Requests requests = tensor_requests(trace);
  ASSERT_EQ(requests.size(), 3);
  EXPECT_TRUE(requests[0].lasting);
  EXPECT_EQ(requests[0].role, Role::Input);
  EXPECT_EQ(requests[1].last, 1);
}

TEST(Requests, TakeWhatTheirTensorTakesOrAPartOfIt) {
  const Requests requests(
      {{.number = 3, .divisor = 4}, {.of = Request::Of::Workspace}, {.number = 5}}, 1);
  const auto tensor_bytes = [](TensorId id) { return std::int64_t{100} * id; };
  const auto no_call = [](std::int32_t) { return OpCall(); };
  EXPECT_EQ(bytes_of(requests, tensor_bytes, no_call, 77),
            (std::vector<std::int64_t>{75, 77, 500}));
}

}  // namespace
}  // namespace siliconprof
