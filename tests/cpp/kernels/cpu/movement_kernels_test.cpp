#include "siliconprof/kernels/cpu/movement_kernels.h"

#include <cstring>
#include <random>

#include "exact_agreement.h"

namespace siliconprof::cpu {
namespace {

TEST(MovementKernels, EveryBuildPutsRunsOfAnyLengthInARow) {
  std::mt19937 random(3);
  std::vector<char> source(5000);
  for (char& c : source) c = char(random() % 255 + 1);
  for (const MovementKernels* kernels : runnable_movement_kernels()) {
    for (int round = 0; round < 200; ++round) {
      std::vector<siliconprof::cpu::Run> runs;
      std::vector<char> wanted;
      for (int i = 0; i < 20; ++i) {
        const std::size_t n = random() % (round % 2 == 0 ? 20 : 300);
        const char* from = random() % 5 == 0 ? nullptr : source.data() + random() % 4000;
        runs.push_back({from, std::int64_t(n)});
        for (std::size_t j = 0; j < n; ++j) wanted.push_back(from == nullptr ? '\0' : from[j]);
      }
      const Tensor memory(Dtype::Float32, Shape{3000});
      char* out = memory.view().as<char>() + random() % 130;
      std::memset(memory.view().data, 7, std::size_t(memory.view().bytes()));
      kernels->write_runs(runs.data(), std::int64_t(runs.size()), out, round % 3 != 0);
      kernels->fence();
      ASSERT_EQ(std::memcmp(out, wanted.data(), wanted.size()), 0) << kernels->instruction_set;
      EXPECT_EQ(out[wanted.size()], 7);
      if (out > memory.view().as<char>()) {
        EXPECT_EQ(out[-1], 7);
      }
    }
  }
}

TEST(MovementKernels, EveryBuildGathersLinesToAnyAddress) {
  for (const MovementKernels* kernels : runnable_movement_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (const std::int64_t columns : {16, 32, 80}) {
      const Example example("gather", {9, 50, columns}, Dtype::Float32, {}, 5);
      const Tensor wanted = run(kReferenceEngine, example, 1);
      const Tensor memory(Dtype::Float32, Shape{50 * columns + 1});
      for (const std::int64_t offset : {0, 1}) {
        float* out = memory.view().as<float>() + offset;
        kernels->gather_lines(example.inputs[0].view().data,
                              example.inputs[1].view().as<std::int32_t>(), 50, columns * 4, out,
                              true);
        kernels->fence();
        EXPECT_EQ(std::memcmp(out, wanted.view().data, std::size_t(wanted.view().bytes())), 0);
      }
    }
  }
}

template <std::size_t bytes>
void check_transpose(MovementKernels::Transpose transpose, std::int64_t m, std::int64_t n,
                     bool stream) {
  const Tensor in(Dtype::Float16, Shape{m * (n + 3), bytes / 2});
  const Tensor out(Dtype::Float16, Shape{n * (m + 16), bytes / 2});
  for (std::int64_t i = 0; i < in.view().bytes(); ++i) {
    in.view().as<std::uint8_t>()[i] = std::uint8_t(i * 31 % 251);
  }
  const std::int64_t out_stride = (m + 15) / 16 * 16;
  transpose(in.view().data, n + 3, out.view().data, out_stride, m, n, stream);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const auto size = std::int64_t(bytes);
      ASSERT_EQ(std::memcmp(in.view().as<char>() + (i * (n + 3) + j) * size,
                            out.view().as<char>() + (j * out_stride + i) * size, bytes),
                0)
          << bytes << " bytes, " << i << " " << j;
    }
  }
}

TEST(MovementKernels, EveryBuildTransposesElementsOfEverySize) {
  for (const MovementKernels* kernels : runnable_movement_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (const std::int64_t m : {1, 7, 16, 33, 64}) {
      for (const std::int64_t n : {1, 5, 16, 48, 50}) {
        for (const bool stream : {false, true}) {
          check_transpose<2>(kernels->transpose2, m, n, stream);
          check_transpose<4>(kernels->transpose4, m, n, stream);
          check_transpose<8>(kernels->transpose8, m, n, stream);
          check_transpose<16>(kernels->transpose16, m, n, stream);
        }
        kernels->fence();
      }
    }
  }
}

TEST(MovementKernels, EveryBuildFindsTheLargestIndex) {
  for (const MovementKernels* kernels : runnable_movement_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    std::vector<std::int32_t> index(100, 3);
    for (std::size_t n = 1; n <= index.size(); ++n) {
      index[n - 1] = 7;
      EXPECT_EQ(kernels->largest_index(index.data(), std::int64_t(n)), 7U);
      index[n - 1] = -1;
      EXPECT_EQ(kernels->largest_index(index.data(), std::int64_t(n)), 0xffffffffU);
      index[n - 1] = 3;
    }
    EXPECT_EQ(kernels->largest_index(index.data(), 0), 0U);
  }
}

TEST(MovementKernels, EveryBuildFindsTheFirstLargest) {
  for (const MovementKernels* kernels : runnable_movement_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (const Dtype dtype : kCpuDtypes) {
      const ArgmaxKernels& argmax = kernels->argmax[format_index(dtype)];
      for (const std::int64_t n : {1, 5, 16, 31, 64, 100, 3000}) {
        for (const bool with_nan : {false, true}) {
          const Example row("argmax", {1, n, 1}, dtype, {}, std::uint64_t(n));
          if (with_nan) set(row.inputs[0], n / 2, std::nan(""));
          double largest = 0;
          std::int64_t where = -1;
          argmax.row(row.inputs[0].view().data, n, &largest, &where);
          const Values x = to_values(row.inputs[0].view());
          EXPECT_EQ(double(where), define(row.call, {x})[0]);
          EXPECT_TRUE(same(largest, x[std::size_t(where)]));
          std::int32_t places_of_rows[2] = {-1, -1};
          argmax.rows(row.inputs[0].view().data, n, 1, places_of_rows);
          EXPECT_EQ(places_of_rows[0], where);
          EXPECT_EQ(places_of_rows[1], -1);
          if (n > kArgmaxColumns) continue;
          const Example columns("argmax", {1, 9, n}, dtype, {}, std::uint64_t(n));
          if (with_nan) set(columns.inputs[0], 4 * n, std::nan(""));
          Values most(static_cast<std::size_t>(n));
          std::vector<std::int32_t> places(most.size());
          argmax.columns(columns.inputs[0].view().data, n, 9, n, most.data(), places.data());
          EXPECT_EQ(Values(places.begin(), places.end()),
                    define(columns.call, {to_values(columns.inputs[0].view())}));
        }
      }
    }
  }
}

// Small integers: every format and every order of summation is exact.
TEST(MovementKernels, EveryBuildReducesRows) {
  for (const MovementKernels* kernels : runnable_movement_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (const Dtype dtype : kCpuDtypes) {
      for (const std::int64_t columns : {1, 2, 3, 4, 8, 16, 19, 32, 64, 70}) {
        for (const char* op : {"scatter_sum", "scatter_max"}) {
          const Example example(op, {5, 40, columns}, dtype, {}, 3);
          for (std::int64_t i = 0; i < 40 * columns; ++i) {
            set(example.inputs[0], i, double(i * 7 % 11 - 5));
          }
          const bool sum = std::string(op) == "scatter_sum";
          const ScatterKernels& scatter = kernels->scatter[format_index(dtype)];
          const auto reduce = sum ? scatter.add : scatter.largest;
          const auto* index = example.inputs[1].view().as<std::int32_t>();
          const Dtype wide = statistics_dtype(dtype);
          const Tensor table(wide, Shape{5, columns});
          for (std::int64_t i = 0; i < 5 * columns; ++i) set(table, i, sum ? 0.0 : -INFINITY);
          reduce(example.inputs[0].view().data, index, 40, columns, table.view().data);
          EXPECT_EQ(to_values(table.view()), to_values(run(kReferenceEngine, example, 1).view()))
              << to_string(example.call);
        }
      }
    }
  }
}

TEST(MovementKernels, EveryBuildCastsAsTheDefinitionDoes) {
  for (const MovementKernels* kernels : runnable_movement_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (const char* op : {"cast_float64", "cast_float32", "cast_float16", "cast_bfloat16"}) {
      for (const Dtype dtype : kCpuDtypes) {
        const Example example(op, {1500}, dtype, {}, 3);
        make_special(example);
        set(example.inputs[0], 1499, 1.0009765);
        const Tensor wanted = run(kReferenceEngine, example, 1);
        const Tensor found(wanted.view().dtype, Shape{1500});
        const std::size_t to = format_index(wanted.view().dtype);
        kernels->cast[format_index(dtype)][to](example.inputs[0].view().data, found.view().data,
                                               1500, dtype == Dtype::Float16);
        const Values want = to_values(wanted.view());
        const Values got = to_values(found.view());
        for (std::size_t i = 0; i < want.size(); ++i) {
          ASSERT_TRUE(same(got[i], want[i])) << to_string(example.call) << " " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
