#include <cstdlib>

#include "benchmarks.h"

int main(int count, char** arguments) {
  siliconprof::bench::predict();
  siliconprof::bench::product(count > 1 ? std::atoi(arguments[1]) : 15);
  siliconprof::bench::build();
}
