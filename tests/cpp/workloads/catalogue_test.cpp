#include "siliconprof/workloads/catalogue.h"

#include <gtest/gtest.h>

#include <set>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

TEST(Catalogue, EveryModelHasThePublishedNumberOfParameters) {
  std::set<std::string_view> ids;
  for (const CatalogueEntry& model : models()) {
    EXPECT_EQ(forward_trace(model, {}).parameters(), model.parameters) << model.id;
    EXPECT_TRUE(ids.insert(model.id).second) << model.id;
  }
}

TEST(Catalogue, EveryForwardTraceEndsInOneLoss) {
  for (const CatalogueEntry& model : models()) {
    const Trace trace = forward_trace(model, {});
    ASSERT_EQ(trace.results().size(), 1U) << model.id;
    EXPECT_EQ(trace.tensors()[std::size_t(trace.results()[0])].shape.elements(), 1) << model.id;
    EXPECT_EQ(trace.label(), model.id);
  }
}

TEST(Catalogue, AnUnknownModelOrSizeNamesTheNearest) {
  const auto message = [](auto&& act) -> std::string {
    try {
      act();
    } catch (const UnknownNameError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(message([] { find_model("gpt2-smal"); }).find("did you mean 'gpt2-small'"),
            std::string::npos);
  EXPECT_NE(message([] {
              forward_trace(find_model("vgg16"), {{"clases", 3}});
            }).find("did you mean 'classes'"),
            std::string::npos);
}

TEST(Catalogue, SizesAreRefusedBelowOne) {
  for (const CatalogueEntry& model : models()) {
    EXPECT_THROW(forward_trace(model, {{"batch", 0}}), ArgumentError) << model.id;
  }
}

}  // namespace
}  // namespace siliconprof
