# The outer shell: installs what is missing, then hands over to CMake. See CONTRIBUTING.md.
BUILD := build
PREFIX ?= /usr/local
SECONDS ?= 600
PYTHON := /usr/bin/python3

.PHONY: build demo check test format fuzz bench install deb clean

build: ## build/scant and build/libscant.so, optimised
	@tools/install_packages build
	@tools/build_release

demo: build ## nine labels: a classifier, predictions and reports, on the crabs that ship
	@tools/install_packages demo || echo "make: going on without gnuplot: the report will have no pictures" >&2
	@tools/demo

check: ## C units that are not slow, layers and format: after each change, in under a minute
	@tools/install_packages build test
	@$(PYTHON) tools/run_tests --only check

test: ## every kind of test; the last line counts them
	@tools/install_packages build test
	@$(PYTHON) tools/run_tests

format: ## rewrites sources as .clang-format says
	@tools/install_packages test
	@tools/check_format --fix

fuzz: ## every reader for SECONDS each
	@tools/install_packages build test
	@$(PYTHON) tools/run_tests --only fuzz --fuzz-seconds $(SECONDS)

bench: ## scant beside its peers; bench/run --help for parts of it
	@tools/install_packages build bench
	@tools/build_release
	@bench/run

install: build
	cmake --install $(BUILD) --prefix $(PREFIX)

deb: build ## a Debian package in build/
	cpack --config $(BUILD)/CPackConfig.cmake -B $(BUILD)

clean:
	rm -rf build build-debug build-asan-ubsan build-tsan build-coverage build-fuzz
