# Packages, demo, tests and benchmarks; included by the Makefile.

# ---- deps: Debian packages for the build, and for the demo and the tests
BUILD_PACKAGES := build-essential pkgconf zlib1g-dev libxxhash-dev libfftw3-dev libhdf5-dev
PACKAGES := gnuplot-nox bats mandoc python3 openssh-client openssh-server python3-xxhash python3-numpy datamash strace clang-format \
	python3-h5py time
# Debian has ISA-L only for these processors; elsewhere zlib decompresses .gz
ISAL_PACKAGE := $(if $(filter x86_64 aarch64,$(shell uname -m)),libisal-dev)
# Commands that tests ask for and do without: what Debian's own archive lacks or a checkout must not
# need. tests/project/commands reads PACKAGES and WITHOUT, and fails where a test starts something
# that neither has.
WITHOUT := groff gmx 7z lz4 zstd unzip zig ziglang tclsh yaml nvcc nvidia-smi nvidia-cuda-mps-control compute-sanitizer clang clang-format-14 git debootstrap buildah conda-build sudo lmp MDAnalysis dynasor numba nmrformd mlr Rscript pandas xarray h5py gsd ase zsh fish shellcheck chromium chromium-browser google-chrome \
	universalmutator munged slurmctld slurmd sbatch scancel scontrol sinfo squeue parallel snakemake nextflow groovy faketime original-awk busybox ruby

# what check-cluster starts; without one of them its tests are skipped aloud. Only programs are
# wanted: services that come with them may stay off.
CLUSTER := slurm-wlm slurmctld slurmd munge parallel openssh-client openssh-server snakemake groovy default-jre-headless faketime strace

# what the comparisons with other programs need; without them those comparisons are skipped aloud
PEERS := python3-mdanalysis lammps hyperfine

.PHONY: deps deps-build deps-peers deps-cluster
deps:
	@tests/deps $(BUILD_PACKAGES) $(ISAL_PACKAGE) -- $(PACKAGES)
deps-build:
	@tests/deps $(BUILD_PACKAGES) $(ISAL_PACKAGE)
deps-peers:
	@tests/deps $(PEERS)
deps-cluster:
	@tests/deps $(CLUSTER)

# ---- demo
.PHONY: demo
demo: | $(AFTER_DEPS)
	@$(MAKE) $(PARALLEL) --no-print-directory CUDA=0 all
	@BIN="$(abspath $(B))" OUT="$(abspath $(O))/demo" pipelines/argon-spectrum.sh

.PHONY: report
report: | $(AFTER_DEPS)
	@$(MAKE) $(PARALLEL) --no-print-directory all
	@BIN="$(abspath $(B))" OUT="$(abspath $(O))/report" pipelines/report.sh

# ---- tests
UNIT := $(patsubst tests/%.c,$(O)/tests/%,$(wildcard tests/unit/test_*.c tests/prop/prop_*.c))
HELPERS := $(patsubst tests/%.c,$(O)/tests/%,$(filter-out tests/unit/test_%.c tests/unit/preload_%.c,$(wildcard tests/unit/*.c)))
# what threads share, once more under ThreadSanitizer: these files alone
TSAN := $(if $(SAN),,$(patsubst tests/unit/%.c,$(O)/tests/tsan/%,$(wildcard tests/unit/test_conveyor.c tests/unit/test_pool.c)))
$(O)/tests/tsan/%: tests/unit/%.c lib/base/conveyor.c lib/base/pool.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,TSAN) $(CC) $(CPPFLAGS) -Ilib -std=c11 -O1 -g -fsanitize=thread -MMD -MP -o $@ $(filter %.c,$^) -lpthread
-include $(wildcard $(O)/tests/tsan/*.d)
FUZZ := $(patsubst tests/%.c,$(O)/tests/%,$(wildcard tests/fuzz/fuzz_*.c))
TEST_LINK = $(call say,LD) $(CC) $(CPPFLAGS) -Ilib -Itests/unit $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $(filter %.c,$^) $(LIB) -lfftw3 $(LDLIBS)
# CUDA engines on an emulated machine (tests/emu), with plain C++: their kernels are tested without
# a GPU.
EMU := $(if $(SAN),,$(ON_GPU:%=$(O)/emu/%-gpu))
EMU_FLAGS = -O1 -std=c++17 -ffp-contract=off -Wall -Wno-unknown-pragmas -Wno-maybe-uninitialized -Itests/emu -I$(O)/emu -Ilib -Icuda
# what each of them begins with takes longer to read than most of them: it is read once
EMU_FIRST := $(O)/emu/first.h
$(EMU_FIRST).gch: tests/emu/cuda_runtime.h $(FLAGS_FILE)
	@mkdir -p $(@D)
	@echo '#include "cuda_runtime.h"' >$(EMU_FIRST)
	$(call say,EMU) $(CXX) $(EMU_FLAGS) -x c++-header -MMD -MP -o $@ $(EMU_FIRST)
-include $(EMU_FIRST).d
EMU_CUH := $(patsubst cuda/%,$(O)/emu/%,$(wildcard cuda/*/*.cuh))
$(O)/emu/%.cc: cuda/%.cu tests/emu/emu.sed
	@mkdir -p $(@D)
	@sed -zE -f tests/emu/emu.sed $< >$@
$(O)/emu/%.cuh: cuda/%.cuh tests/emu/emu.sed
	@mkdir -p $(@D)
	@sed -zE -f tests/emu/emu.sed $< >$@
$(O)/emu/%.o: $(O)/emu/%.cc $(EMU_CUH) $(EMU_FIRST).gch $(FLAGS_FILE)
	$(call say,EMU) $(CXX) $(EMU_FLAGS) -include $(EMU_FIRST) -MMD -MP -c -o $@ $<
$(O)/emu/host/%.o: tests/emu/%.cc $(EMU_FIRST).gch $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,EMU) $(CXX) $(EMU_FLAGS) -include $(EMU_FIRST) -MMD -MP -c -o $@ $<
EMU_ENGINE = $(patsubst $(O)/cuda/%,$(O)/emu/%,$(call CUDA_ENGINE,$(1))) \
	$(patsubst tests/emu/%.cc,$(O)/emu/host/%.o,$(wildcard $(foreach r,$(CUDA_BELOW) $(1),tests/emu/$(r)/*.cc))) $(O)/emu/host/emu.o
define EMU_PROGRAM
$(1): $(O)/tools/$(notdir $(1)).o $(call EMU_ENGINE,$(patsubst %-gpu,%,$(notdir $(1)))) $(LIB)
	$$(call say,LD) $(CXX) -rdynamic -o $$@ $$^ -Wl,--as-needed -lfftw3 -ldl $(LDLIBS)
endef
$(foreach p,$(EMU),$(eval $(call EMU_PROGRAM,$(p))))
-include $(wildcard $(O)/emu/*/*.d $(O)/emu/*/*/*.d)

# the engines of cuda/ under drivers of their own, which look inside (rdf_ladder includes
# rdf_gpu.cu) and keep what they replaced to measure it against
LADDERS := $(patsubst tests/%.cu,$(O)/tests/%,$(wildcard tests/bench/*_ladder.cu))
$(O)/tests/bench/%.o: tests/bench/%.cu $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,NVCC) $(NVCC) $(NVFLAGS) -Ilib -Icuda -MMD -MP -c -o $@ $<
INCLUDED = $(patsubst %.cu,$(O)/cuda/%.o,$(shell sed -n 's/^.include "\(.*\.cu\)".*/\1/p' tests/bench/$(notdir $(1)).cu))
define LADDER
$(1): $(1).o $(filter-out $(call INCLUDED,$(1)),$(call CUDA_ENGINE,$(notdir $(1:_ladder=)))) $(LIB)
	$$(call say,LD) $(NVCC) $(NVFLAGS) -o $$@ $$^ -ldl $(LDLIBS)
endef
$(foreach l,$(LADDERS),$(eval $(call LADDER,$(l))))
-include $(LADDERS:=.d)
.PHONY: ladders
ladders: $(if $(GPU_TOOLS),$(LADDERS))

.PHONY: programs unit check check-unit check-all check-arm check-bare check-packages check-cluster check-engines check-gpu check-long check-macos bench bench-gpu fuzz soak coverage mutants
programs: all unit $(HELPERS) $(FUZZ)
unit: $(UNIT)
$(O)/tests/fuzz/fuzz_options: LDLIBS += -Wl,--wrap=exit
$(O)/tests/fuzz/%: tests/fuzz/%.c tests/fuzz/replay.c $(LIB) $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(TEST_LINK)
$(O)/tests/%: tests/%.c $(LIB) $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(TEST_LINK)

SANITIZED := $(O)/asan
check: | $(AFTER_DEPS)
	@$(MAKE) $(PARALLEL) --no-print-directory programs $(TSAN)
	@tests/check $(O)
# the unit tests alone, which need no Linux
check-unit:
	@$(MAKE) $(PARALLEL) --no-print-directory unit
	@for t in $(filter $(O)/tests/unit/%,$(UNIT)); do echo "$$t" && $$t >$$t.tap || { grep -A 5 '^not ok' $$t.tap; exit 1; }; done
check-all: check
	@$(MAKE) $(PARALLEL) --no-print-directory $(EMU)
	@$(MAKE) $(PARALLEL) --no-print-directory O=$(SANITIZED) SAN="address undefined" CUDA=0 ISAL=0 programs # zlib is tested, too
	@$(MAKE) $(PARALLEL) --no-print-directory O=$(O)/posix PORTABLE=1 CUDA=0 programs
	@CHECK_ALL=1 tests/check $(O) $(SANITIZED)
check-bare:
	@tests/check-bare
# Debian packages, a tarball, a wheel, a container, the recipe for conda, each built and tried in an
# empty root; and check-macos
check-packages:
	@$(MAKE) $(PARALLEL) --no-print-directory CUDA=0 all
	@BIN="$(abspath $(B))" tests/check-packages
# for aarch64 by a cross compiler, under qemu-user, against the programs here
check-arm:
	@$(MAKE) $(PARALLEL) --no-print-directory CUDA=0 all
	@BIN="$(abspath $(B))" tests/check-arm
# for macOS by zig cc, as far as a compiler and a linker can check it
check-macos:
	@O=$(O) PYTHON=$(PYTHON) tests/check-macos
check-cluster: | $(filter deps-cluster,$(MAKECMDGOALS))
	@$(MAKE) $(PARALLEL) --no-print-directory programs
	@BIN="$(abspath $(B))" tests/check-cluster
check-gpu:
	@$(MAKE) $(PARALLEL) --no-print-directory programs
	@REQUIRE_GPU=$(or $(REQUIRE_GPU),0) tests/check-gpu $(O)
# GROMACS and LAMMPS, installed if they are missing, against mbf on the same files
check-engines:
	@tests/deps gromacs lammps
	@$(MAKE) $(PARALLEL) --no-print-directory CUDA=0 all
	@BIN="$(abspath $(B))" tests/check-engines
check-long:
	@$(MAKE) $(PARALLEL) --no-print-directory programs
	@BIN="$(abspath $(B))" tests/check-long
bench:
	@$(MAKE) $(PARALLEL) --no-print-directory programs
	@BIN="$(abspath $(B))" O="$(abspath $(O))" tests/bench/run
bench-gpu:
	@$(MAKE) $(PARALLEL) --no-print-directory programs ladders
	@BIN="$(abspath $(B))" O="$(abspath $(O))" tests/bench/run-gpu

# random pipelines under random trouble, for as long; GPU=1: with the GPU programs among them
SOAK_SECONDS ?= 3600
soak:
	@$(MAKE) $(PARALLEL) --no-print-directory programs
	@BIN="$(abspath $(B))" TREE="$(abspath $(O))" tests/soak --seconds $(SOAK_SECONDS) $(if $(SEED),--seed $(SEED)) $(if $(GPU),--gpu)

# what the tests reach of the rooms that read and write, and every gap with its reason
coverage:
	@$(MAKE) $(PARALLEL) --no-print-directory O=$(O)/coverage SAN=coverage OPT="-O0 -g --coverage -fprofile-update=atomic" CUDA=0 programs
	@tests/coverage/run $(O)/coverage

# one wrong change at a time into a copy of the tree: the tests see it, or a reason says why not.
# MUTANTS of them by universalmutator (python3 -m venv DIR && DIR/bin/pip install universalmutator;
# PYTHON=DIR/bin/python), 0: only those at edges; SEED to repeat
MUTANTS ?= 300
mutants:
	@$(PYTHON) tests/mutants/run $(O)/mutants --most $(MUTANTS) $(if $(SEED),--seed $(SEED))

# libFuzzer, for as long as FUZZ_SECONDS each; needs clang
FUZZ_SECONDS ?= 600
fuzz:
	@tests/fuzz/run $(O)/fuzz $(FUZZ_SECONDS)
