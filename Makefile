# The commands of siliconprof. `make` alone prints them. GNU make 4.3; the work is CMake's.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

# On Debian, Debian's own tools: the `python3` that a version manager puts on PATH lacks Debian's
# numpy, and the `cmake` beside it may be too new for Debian's pybind11.
DEBIAN := $(shell command -v dpkg-query)
PYTHON ?= $(if $(DEBIAN),/usr/bin/python3,$(shell command -v python3))
CMAKE ?= $(if $(DEBIAN),/usr/bin/cmake,cmake)
JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
BUILD ?= build
OUT ?= report
# Extra words for the commands: make report REPORT_FLAGS=--quick, make test PYTEST_FLAGS=-x
REPORT_FLAGS ?=
PYTEST_FLAGS ?=
PIP_FLAGS ?=
KERNEL_FLAGS ?=
FIT_FLAGS ?=
# What OpenBLAS does on its threads is not instrumented, and takes long beside what is.
TSAN_FILTER ?= *
CMAKE_FLAGS ?=

PACKAGE := $(abspath $(BUILD)/python)
RUN := PYTHONPATH="$(PACKAGE)" $(PYTHON)
INSTALL := PYTHON="$(PYTHON)" scripts/install_packages.sh
CONFIGURE = $(CMAKE) --log-level=NOTICE -DPython_EXECUTABLE="$(PYTHON)" $(CMAKE_FLAGS)
CPP_FILES = $(shell find cpp tests/cpp benchmarks -name '*.cpp' -o -name '*.h' -o -name '*.inc' | sort)

.PHONY: help setup build report test bench bench-kernels bench-training memory fit asan tsan tidy format \
  format-check lint wheel-check install-check clean

help: ## print this
	@echo "siliconprof: make TARGET"
	grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 18 | sed 's/^/  /'

setup: ## install the Debian packages that are missing (as root), or name them
	@$(INSTALL) report test lint

build: ## build the importable package in build/python
	@$(INSTALL) report
	echo "build: configuring and compiling in $(BUILD)"
	if [ -e $(BUILD)/build.ninja ]; then extra=; else extra="-DSILICONPROF_TESTS=OFF -DSILICONPROF_BENCH=OFF"; fi
	$(CONFIGURE) --preset release -B $(BUILD) $$extra
	$(CMAKE) --build $(BUILD) --parallel $(JOBS) --target _core

report: build ## measure this machine, predict the paper's devices, write report/index.html
	@$(RUN) -m siliconprof reproduce --out $(OUT) $(REPORT_FLAGS)
	echo "report: $(abspath $(OUT))/index.html"

test: ## every test: GoogleTest and pytest
	@$(INSTALL) report test
	echo "test: configuring and compiling in $(BUILD)"
	$(CONFIGURE) --preset release -B $(BUILD) -DSILICONPROF_TESTS=ON
	$(CMAKE) --build $(BUILD) --parallel $(JOBS) --target _core siliconprof_tests
	$(BUILD)/siliconprof_tests --gtest_brief=1
	$(RUN) -m pytest $(PYTEST_FLAGS)

bench: ## print the library's own speed figures, each as a ratio
	@$(INSTALL) report
	$(CONFIGURE) --preset release -B $(BUILD) -DSILICONPROF_BENCH=ON
	$(CMAKE) --build $(BUILD) --parallel $(JOBS) --target _core siliconprof_bench
	$(RUN) benchmarks/bench.py $(BUILD)/siliconprof_bench

memory: build ## predicted memory of steps against what their processes take; minutes
	@$(RUN) -m siliconprof.experiments.memory

bench-kernels: build ## time every kernel against PyTorch and the machine (KERNEL_FLAGS='--only ReLU')
	@$(RUN) benchmarks/bench_kernels.py $(KERNEL_FLAGS)

bench-training: build ## whole training steps beside PyTorch's (TRAINING_FLAGS='--only whisper')
	@$(RUN) benchmarks/bench_training.py $(TRAINING_FLAGS)

fit: build ## every constant of the frameworks again into build/fit (FIT_FLAGS='--data DIR --only host')
	@$(RUN) tools/fit.py $(FIT_FLAGS)

asan: ## GoogleTest under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(INSTALL) report test
	$(CONFIGURE) --preset asan
	$(CMAKE) --build --preset asan --parallel $(JOBS) --target siliconprof_tests
	# A test asks for more memory than there is: that has to come back as null, as it does elsewhere.
	ASAN_OPTIONS=allocator_may_return_null=1 \
	  scripts/shards.sh $(JOBS) build/asan/siliconprof_tests --gtest_brief=1

tsan: ## GoogleTest under ThreadSanitizer (TSAN_FILTER=... for some tests)
	@$(INSTALL) report test
	$(CONFIGURE) --preset tsan
	$(CMAKE) --build --preset tsan --parallel $(JOBS) --target siliconprof_tests
	# Its shadow memory has fixed places: addresses must not be random.
	TSAN_OPTIONS=halt_on_error=1:allocator_may_return_null=1:suppressions=$(abspath scripts/tsan_suppressions.txt) \
	  scripts/shards.sh $(JOBS) setarch -R build/tsan/siliconprof_tests --gtest_brief=1 \
	  --gtest_filter='$(TSAN_FILTER)'

tidy: ## clang-tidy on the C++ sources (FILES=... to name some)
	@$(INSTALL) report test lint
	$(CONFIGURE) --preset tidy
	scripts/tidy.sh build/tidy $(JOBS) $(FILES)

format: ## clang-format the C++ files in place, and ruff the Python files where it is installed
	@$(INSTALL) lint
	clang-format -i $(CPP_FILES)
	if ruff --version >/dev/null 2>&1; then ruff format python tests/python scripts benchmarks tools; fi

format-check: ## fail if clang-format would change a C++ file
	@$(INSTALL) lint
	clang-format --dry-run --Werror $(CPP_FILES)
	echo "format-check: $(words $(CPP_FILES)) files"

lint: ## ruff where it is installed, and mypy
	@$(INSTALL) report lint
	PYTHON="$(PYTHON)" scripts/lint.sh

install-check: build ## cmake --install into an empty prefix, and import from there
	@prefix=$$(mktemp -d)
	trap 'rm -rf "$$prefix"' EXIT
	$(CMAKE) --install $(BUILD) --prefix "$$prefix" >/dev/null
	cd "$$prefix" && PYTHONPATH="$$prefix" $(PYTHON) "$(CURDIR)/scripts/check_install.py" "$$prefix"

wheel-check: ## pip install . into a fresh environment, and predict there (needs a package index)
	@$(INSTALL) report lint
	prefix=$$(mktemp -d)
	trap 'rm -rf "$$prefix"' EXIT
	$(PYTHON) -m venv "$$prefix"
	"$$prefix/bin/python" -m pip install --quiet $(PIP_FLAGS) "$(CURDIR)"
	cd "$$prefix" && "$$prefix/bin/python" "$(CURDIR)/scripts/check_install.py" "$$prefix"
	"$$prefix/bin/siliconprof" --help >/dev/null

clean: ## remove build/ and report/
	@rm -rf build report
