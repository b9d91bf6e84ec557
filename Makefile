# mbf: many-body filters for molecular dynamics.  make help
.SUFFIXES:
.DELETE_ON_ERROR:

O ?= build
PREFIX ?= /usr/local
DESTDIR ?=
PROGRAM_PREFIX ?=
SAN ?=
CUDA ?= auto
# machine code for Turing, Ampere/Ada and Hopper; the newest as PTX too, for what comes later
CUDA_ARCH ?= 75 80 90
CC ?= cc
NVCC ?= $(or $(shell command -v nvcc 2>/dev/null),$(wildcard /usr/local/cuda/bin/nvcc))

# Rounding is a decision: never contract, never reorder (CONTRIBUTING.md).
OPT = -O3 -g
CFLAGS = $(OPT) -std=gnu11 -ffp-contract=off -fno-math-errno -fno-trapping-math -Wall -Wextra -Wshadow -Wstrict-prototypes -Wvla
CPPFLAGS = -D_FILE_OFFSET_BITS=64 -D_GNU_SOURCE
LDLIBS = -lz -lpthread -lm
ifneq ($(SAN),)
comma := ,
empty :=
OPT = -O1 -g -fno-omit-frame-pointer -fsanitize=$(subst $(empty) $(empty),$(comma),$(strip $(SAN))) -fno-sanitize-recover=all
endif

B := $(O)/bin
LIB := $(O)/libmbf.a
LIB_SRC := $(filter-out %_simd.c,$(wildcard lib/*/*.c))
SIMD_SRC := $(wildcard lib/*/*_simd.c)
LIB_OBJ := $(LIB_SRC:%.c=$(O)/%.o) $(foreach l,2 3 4,$(SIMD_SRC:%.c=$(O)/%.v$(l).o))

# Programs: tools/X.c is X; where there is an engine lib/X/X_cpu.c it is X-cpu, and where there is cuda/X/X_gpu.cu also X-gpu.
NAMES := $(patsubst tools/%.c,%,$(wildcard tools/*.c))
TWICE := $(foreach t,$(NAMES),$(if $(wildcard lib/$(t)/$(t)_cpu.c),$(t)))
PLAIN := $(filter-out $(TWICE),$(NAMES))
ON_GPU := $(foreach t,$(TWICE),$(if $(wildcard cuda/$(t)/$(t)_gpu.cu),$(t)))
GPU_TOOLS := $(ON_GPU:%=%-gpu)
TOOLS := $(PLAIN) $(TWICE:%=%-cpu)

ifeq ($(CUDA),1)
WITH_CUDA := $(if $(NVCC),1,$(error CUDA=1, but there is no nvcc on PATH or in /usr/local/cuda))
else ifeq ($(CUDA),auto)
WITH_CUDA := $(if $(SAN),,$(if $(NVCC),1))
endif

# "make deps demo" and "make -j deps check" install before they compile.
AFTER_DEPS := $(filter deps,$(MAKECMDGOALS))
PARALLEL = $(if $(findstring j,$(firstword -$(MAKEFLAGS))),,-j$(shell nproc 2>/dev/null || echo 2))

# One short line a command; V=1 shows the commands themselves.
say = $(if $(V),,@printf '  %-4s %s\n' $(1) $@;)
.SECONDARY:

.PHONY: all lib gpu help clean
all: $(TOOLS:%=$(B)/%) gpu
lib: $(LIB)
help:
	@echo "make            programs into $(B) (make O=build/asan SAN=\"address undefined\" for another tree)"
	@echo "make deps       install the missing Debian packages (elsewhere: print what is missing)"
	@echo "make demo       light scattering of liquid argon on the CPU: numbers and a plot in $(O)/demo"
	@echo "make check      all tests; make check-gpu: the same with the GPU programs; make check-long: hours;"
	@echo "                make check-bare: make deps demo and make deps check on a Debian that has nothing else"
	@echo "make bench      speed, as ratios measured in one run; make bench-gpu"
	@echo "make install    PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) PROGRAM_PREFIX=$(PROGRAM_PREFIX); make uninstall"
	@echo "variables       CUDA=auto|0|1 CUDA_ARCH=\"75 80 90\" CC NVCC O SAN V"
clean:
	rm -rf $(O)
ifeq ($(WITH_CUDA),1)
gpu: $(GPU_TOOLS:%=$(B)/%)
else
gpu:
	@echo "note: skipping $(GPU_TOOLS): $(if $(SAN),a sanitizer build,$(if $(filter auto,$(CUDA)),no nvcc on PATH or in /usr/local/cuda (CUDA=1 makes this an error),CUDA=$(CUDA)))"
endif

# ---- objects: headers are tracked by the compiler, flags by a stamp
FLAGS_NOW := $(CC) $(CFLAGS) $(CPPFLAGS) $(NVCC) $(CUDA_ARCH)
FLAGS_FILE := $(O)/flags
ifneq ($(FLAGS_NOW),$(shell cat $(FLAGS_FILE) 2>/dev/null))
$(shell mkdir -p $(O) && printf '%s\n' '$(FLAGS_NOW)' >$(FLAGS_FILE))
endif

$(O)/%.o: %.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) -Ilib $(CFLAGS) -MMD -MP -c -o $@ $<
$(O)/%_simd.v2.o: %_simd.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) -Ilib $(CFLAGS) -march=x86-64-v2 -DSIMD_LEVEL=2 -MMD -MP -c -o $@ $<
$(O)/%_simd.v3.o: %_simd.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) -Ilib $(CFLAGS) -march=x86-64-v3 -DSIMD_LEVEL=3 -MMD -MP -c -o $@ $<
$(O)/%_simd.v4.o: %_simd.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) -Ilib $(CFLAGS) -march=x86-64-v4 -mprefer-vector-width=512 -DSIMD_LEVEL=4 -MMD -MP -c -o $@ $<
$(LIB): $(LIB_OBJ)
	@rm -f $@
	$(call say,AR) $(AR) rcs $@ $^

# ---- programs
$(O)/tools/%-cpu.o: tools/%.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) -Ilib -DENGINE='"cpu"' $(CFLAGS) -MMD -MP -c -o $@ $<
$(O)/tools/%-gpu.o: tools/%.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) -Ilib -DENGINE='"gpu"' -DENGINE_GPU $(CFLAGS) -MMD -MP -c -o $@ $<
$(B)/%: $(O)/tools/%.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LD) $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIB) -Wl,--as-needed -lfftw3 $(LDLIBS)

# ---- CUDA: the engine objects come before the library, so that the CPU engine stays out; cudart is static
comma_ := ,
NEWEST_ARCH = $(lastword $(CUDA_ARCH))
GENCODE = $(foreach a,$(CUDA_ARCH),-gencode arch=compute_$(a)$(comma_)code=sm_$(a)) \
	-gencode arch=compute_$(NEWEST_ARCH)$(comma_)code=compute_$(NEWEST_ARCH)
NVFLAGS = -O3 -std=c++17 --fmad=false $(GENCODE) -Xcompiler -O3$(comma_)-g$(comma_)-ffp-contract=off$(comma_)-Wall -cudart static \
	--threads 0
CUDA_ENGINE = $(patsubst %.cu,$(O)/%.o,$(wildcard cuda/base/*.cu cuda/$(1)/*.cu))
$(O)/cuda/%.o: cuda/%.cu $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,NVCC) $(NVCC) $(NVFLAGS) -Ilib -Icuda -MMD -MP -c -o $@ $<
define GPU_PROGRAM
$(B)/$(1)-gpu: $(O)/tools/$(1)-gpu.o $(call CUDA_ENGINE,$(1)) $(LIB)
	@mkdir -p $$(@D)
	$$(call say,LD) $(NVCC) $(NVFLAGS) -o $$@ $$^ -ldl $(LDLIBS)
endef
$(foreach t,$(ON_GPU),$(eval $(call GPU_PROGRAM,$(t))))

# ---- installing: PROGRAM_PREFIX goes before every program and page (ImageMagick has a compare, too)
BINDIR = $(DESTDIR)$(PREFIX)/bin
MANDIR = $(DESTDIR)$(PREFIX)/share/man
INSTALLED = $(TOOLS) $(if $(filter 1,$(WITH_CUDA)),$(GPU_TOOLS))
.PHONY: install uninstall
install: all
	install -d "$(BINDIR)" "$(MANDIR)/man1" "$(MANDIR)/man5" "$(MANDIR)/man7"
	set -e; for t in $(INSTALLED); do install -m 755 $(B)/$$t "$(BINDIR)/$(PROGRAM_PREFIX)$$t"; done
	set -e; for p in $(wildcard man/*.1); do \
	    sed 's,^\.so man1/,.so man1/$(PROGRAM_PREFIX),' $$p >"$(MANDIR)/man1/$(PROGRAM_PREFIX)$${p#man/}"; done
	install -m 644 man/mbf.5 "$(MANDIR)/man5/"
	install -m 644 man/mbf.7 "$(MANDIR)/man7/"
uninstall:
	rm -f $(foreach t,$(TOOLS) $(GPU_TOOLS),"$(BINDIR)/$(PROGRAM_PREFIX)$(t)")
	rm -f $(foreach p,$(notdir $(wildcard man/*.1)),"$(MANDIR)/man1/$(PROGRAM_PREFIX)$(p)")
	rm -f "$(MANDIR)/man5/mbf.5" "$(MANDIR)/man7/mbf.7"

include tests/tests.mk
-include $(shell find $(O) -name '*.d' 2>/dev/null)
