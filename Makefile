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
# .gz is inflated by ISA-L where pkg-config finds it, else by zlib
ISAL ?= auto
# for another kind of processor: make CROSS=aarch64-linux-gnu- CUDA=0; RUN=qemu-aarch64-static
# starts its programs when they are installed
CROSS ?=
RUN ?=
ifneq ($(CROSS),)
CC := $(CROSS)gcc
AR := $(CROSS)ar
LD := $(CROSS)ld
endif
PKG_CONFIG ?= $(CROSS)pkg-config
CC ?= cc
NM ?= $(CROSS)nm
OBJCOPY ?= $(CROSS)objcopy
STRIP ?= $(if $(CROSS),--strip-program=$(CROSS)strip)
NVCC ?= $(or $(shell command -v nvcc 2>/dev/null),$(wildcard /usr/local/cuda/bin/nvcc))

# Rounding is a decision: never contract, never reorder (CONTRIBUTING.md). For a debugger: make
# OPT=-g, or SAN=address.
OPT = -O3 -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
CFLAGS = $(OPT) -std=gnu11 -ffp-contract=off$(SIGNED) -fno-math-errno -fno-trapping-math -Wall -Wextra -Wshadow -Wstrict-prototypes -Wvla
# PORTABLE=1: without the means of Linux (lib/base/portable.h), to test the other paths
PORTABLE ?=
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
MACOS := $(or $(findstring darwin,$(MACHINE)),$(findstring macos,$(MACHINE)))
# where Homebrew on arm64 and MacPorts install, which the compiler of macOS does not search
FOLDERS := $(if $(MACOS),$(wildcard /opt/homebrew /opt/local))
CPPFLAGS = -D_FILE_OFFSET_BITS=64 -D_GNU_SOURCE$(if $(PORTABLE), -DPORTABLE_POSIX)$(if $(FOLDERS), $(FOLDERS:%=-isystem %/include))
# what the loader fills in is read-only afterwards; the linker of macOS does so unasked
HARDEN = $(if $(MACOS),,-Wl,-z,relro,-z,now)
AS_NEEDED = $(if $(MACOS),$(patsubst %,-Wl$(comma_)-rpath$(comma_)%/lib,/opt/homebrew /usr/local /opt/local),-Wl$(comma_)--as-needed)
FFTW = -lfftw3
LDLIBS = $(if $(FOLDERS),$(FOLDERS:%=-L%/lib) )$(ISAL_LIBS) -lz -lpthread -ldl -lm
ifneq ($(SAN),)
comma := ,
empty :=
OPT = -O1 -g -fno-omit-frame-pointer -fsanitize=$(subst $(empty) $(empty),$(comma),$(strip $(SAN))) -fno-sanitize-recover=all
endif

# HDF5, for H5MD: the header by pkg-config; the library is loaded by who reads such a file, by the
# name that it has here
HDF5 := $(firstword $(foreach p,hdf5-serial hdf5,$(shell $(PKG_CONFIG) --atleast-version=1.10.5 $(p) 2>/dev/null && echo $(p))))
HDF5_SO := libhdf5.$(if $(MACOS),dylib,so)
HDF5_FILE := $(if $(HDF5),$(firstword $(wildcard $(patsubst -L%,%/$(HDF5_SO),$(shell $(PKG_CONFIG) --libs-only-L $(HDF5)))) \
	$(shell $(CC) -print-file-name=$(HDF5_SO) 2>/dev/null)))
HDF5_LIBRARY := $(if $(MACOS),$(HDF5_FILE),$(if $(HDF5_FILE),$(shell readelf -d $(HDF5_FILE) 2>/dev/null | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')))

B := $(O)/bin
LIB := $(O)/libmbf.a
# x86-64 has three levels of vectors (lib/base/simd.h) and signed chars, others one and what their
# ABI says
SIGNED = $(if $(filter 3,$(LEVELS)),, -fsigned-char)
LEVELS := $(if $(filter x86_64%,$(MACHINE)),2 3 4,2)
LIB_SRC := $(filter-out %_simd.c,$(wildcard lib/*/*.c))
SIMD_SRC := $(wildcard lib/*/*_simd.c)
LIB_OBJ := $(LIB_SRC:%.c=$(O)/%.o) $(foreach l,$(LEVELS),$(SIMD_SRC:%.c=$(O)/%.v$(l).o))

# Programs: tools/X.c is X; a tool that names its ENGINE is X-cpu, and one with options of
# ENGINE_GPU also X-gpu.
NAMES := $(patsubst tools/%.c,%,$(wildcard tools/*.c))
TWICE := $(patsubst tools/%.c,%,$(shell grep -lw ENGINE tools/*.c))
PLAIN := $(filter-out $(TWICE),$(NAMES))
ON_GPU := $(patsubst tools/%.c,%,$(shell grep -lw ENGINE_GPU tools/*.c))
GPU_TOOLS := $(ON_GPU:%=%-gpu)
TOOLS := $(PLAIN) $(TWICE:%=%-cpu)

ifeq ($(CUDA),1)
WITH_CUDA := $(if $(NVCC),1,$(error CUDA=1, but there is no nvcc on PATH or in /usr/local/cuda))
else ifeq ($(CUDA),auto)
WITH_CUDA := $(if $(SAN),,$(if $(NVCC),1))
endif

ifneq ($(ISAL),0)
ISAL_LIBS := $(shell $(PKG_CONFIG) --libs libisal 2>/dev/null)
ISAL_FLAGS := $(if $(ISAL_LIBS),-DWITH_ISAL $(shell $(PKG_CONFIG) --cflags libisal),$(if $(filter 1,$(ISAL)),$(error ISAL=1, but $(PKG_CONFIG) finds no libisal)))
endif

# "make deps demo" and "make -j deps check" install before they compile.
AFTER_DEPS := $(filter deps,$(MAKECMDGOALS))
PARALLEL = $(if $(findstring j,$(firstword -$(MAKEFLAGS))),,-j$(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2))

# One short line a command; V=1 shows the commands themselves.
say = $(if $(V),,@printf '  %-4s %s\n' $(1) $@;)
.SECONDARY:

.PHONY: all lib gpu isal help clean
all: $(TOOLS:%=$(B)/%) gpu isal $(if $(SAN),,shared)
lib: $(LIB)
help:
	@echo "make            programs into $(B) (make O=build/asan SAN=\"address undefined\" for another tree)"
	@echo "make deps       install the missing Debian packages (elsewhere: print what is missing); make deps-build: only those for the build"
	@echo "make demo       light scattering of liquid argon on the CPU: numbers and a plot in $(O)/demo"
	@echo "make report     every figure of the papers beside the published numbers: one page, $(O)/report/report.html"
	@echo "make check      the tests; make check-all: and what those leave (larger cases, emulated GPU programs, sanitizers); check-gpu: with the GPU programs; check-long: hours;"
	@echo "                make check-engines: GROMACS and LAMMPS, installed if missing, beside mbf;"
	@echo "                make check-bare: make deps demo and make deps check on Debian 12 and 13 that have nothing else"
	@echo "                make deps-cluster check-cluster: shares of a run under Slurm, GNU parallel over ssh and Snakemake"
	@echo "make soak       random pipelines under random trouble for SOAK_SECONDS (3600), SEED to repeat, GPU=1"
	@echo "make coverage   lines and branches of lib/stream and lib/formats that the tests reach, and every gap with its reason"
	@echo "make mutants    MUTANTS (300) wrong changes, one at a time: do the tests see them? SEED to repeat; hours"
	@echo "make bench      speed, as ratios measured in one run; make bench-gpu"
	@echo "make html       all pages as HTML in $(O)/html, the Python module's names, an index"
	@echo "make dist       the release of HEAD as a tarball, the same bytes each time, with its hash, and the recipe for Homebrew; make check-packages: Debian, pip, containers"
	@echo "make tarball    programs for any Linux with glibc 2.17 or later, compiled by zig: a tarball and a wheel in $(O)/dist (ARCH=aarch64)"
	@echo "make check-arm  for aarch64 by Debian's cross compiler; tests and content hashes under qemu-user"
	@echo "make check-macos  for macOS on arm64 and x86_64 by zig cc (pip install ziglang): compiles and links, runs nothing"
	@echo "make install    PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) PROGRAM_PREFIX=$(PROGRAM_PREFIX); make uninstall"
	@echo "variables       CUDA=auto|0|1 CUDA_ARCH=\"75 80 90\" ISAL=auto|0|1 CC CROSS NVCC O PORTABLE SAN V"
clean:
	rm -rf $(O)
ifeq ($(WITH_CUDA),1)
ifneq ($(and $(filter all gpu programs,$(or $(MAKECMDGOALS),all)),$(filter-out $(notdir $(wildcard $(B)/*)),$(GPU_TOOLS))),)
$(info note: nvcc will make $(GPU_TOOLS) for compute capability $(CUDA_ARCH), which takes minutes: CUDA=0 leaves them out, CUDA_ARCH=90 is one card)
endif
gpu: $(GPU_TOOLS:%=$(B)/%)
else
gpu:
	@echo "note: skipping $(GPU_TOOLS): $(if $(SAN),a sanitizer build,$(if $(filter auto,$(CUDA)),no nvcc on PATH or in /usr/local/cuda (CUDA=1 makes this an error),CUDA=$(CUDA)))"
endif

isal:
ifndef ISAL_LIBS
	@echo "note: zlib inflates .gz, at half the speed of ISA-L: $(if $(filter auto,$(ISAL)),$(PKG_CONFIG) finds no libisal (ISAL=1 makes this an error),ISAL=$(ISAL))"
endif

# ---- objects: headers are tracked by the compiler, flags by a stamp
FLAGS_NOW := $(CC) $(CFLAGS) $(CPPFLAGS) $(NVCC) $(CUDA_ARCH) $(HDF5_LIBRARY)
FLAGS_FILE := $(O)/flags
# installing what another make built must not have all of it built anew, with flags that were not
# repeated
STAMPED := $(if $(MAKECMDGOALS),$(filter-out install% uninstall html help dist tarball check-packages,$(MAKECMDGOALS)),all)
stamp = $(if $(STAMPED)$(if $(wildcard $(1)),,new),$(shell mkdir -p $(O); printf '%s\n' '$(2)' | cmp -s - $(1) || printf '%s\n' '$(2)' >$(1)))
$(call stamp,$(FLAGS_FILE),$(FLAGS_NOW))
$(call stamp,$(FLAGS_FILE).isal,$(ISAL_FLAGS))

SIMD_2 := $(if $(filter 3,$(LEVELS)),-march=x86-64-v2)
SIMD_3 := -march=x86-64-v3
SIMD_4 := -march=x86-64-v4 -mprefer-vector-width=512
$(O)/%.o: %.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) -Ilib $(CFLAGS) -MMD -MP -c -o $@ $<
define SIMD_OBJECTS
$(O)/%_simd.v$(1).o: %_simd.c $(FLAGS_FILE)
	@mkdir -p $$(@D)
	$$(call say,CC) $$(CC) $$(CPPFLAGS) -Ilib $$(CFLAGS) $(SIMD_$(1)) -DSIMD_LEVEL=$(1) -MMD -MP -c -o $$@ $$<
endef
$(foreach l,$(LEVELS),$(eval $(call SIMD_OBJECTS,$(l))))
$(O)/lib/io/gunzip.o: CPPFLAGS += $(ISAL_FLAGS)
$(O)/lib/io/gunzip.o: $(FLAGS_FILE).isal
# -O3 makes five times the code of it, in nine times the time, which runs no faster
$(LEVELS:%=$(O)/lib/md/md_move_simd.v%.o): CFLAGS += $(if $(filter -O3,$(OPT)),-O2 -ftree-vectorize)
# what a program that was installed as PREFIXcompare calls its fellows
$(O)/lib/cli/cli_help.o: CPPFLAGS += -DCLI_TOOLS='"$(PLAIN) $(TWICE:%=%-cpu) $(GPU_TOOLS)"'
# formats: every file of lib/formats with a line FORMAT(...) is one (lib/formats/format.h); a list
# that did not change compiles nothing
$(O)/formats.list: lib/formats $(wildcard lib/formats/*.c)
	@mkdir -p $(@D)
	@sed -nE 's/^(FORMAT(_MAGIC)?\(.*\))( = \{|;)$$/\1/p' $(filter %.c,$^) >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
LISTING := $(O)/lib/io/magic.o $(O)/lib/formats/format_list.o
$(LISTING): $(O)/formats.list
$(LISTING): CPPFLAGS += -I$(O)
ifneq ($(HDF5_LIBRARY),)
$(addprefix $(O)/lib/formats/,hdf5.o h5md.o h5md_species.o): CPPFLAGS += $(shell $(PKG_CONFIG) --cflags $(HDF5)) -DHDF5_LIBRARY='"$(HDF5_LIBRARY)"'
else
all: without-hdf5
.PHONY: without-hdf5
without-hdf5:
	@echo "note: no libhdf5 of 1.10.5 or later (pkg-config hdf5): traj2bin will not read H5MD; make deps installs it"
endif
$(LIB): $(LIB_OBJ)
	@rm -f $@
	$(call say,AR) $(AR) rcs $@ $^

# ---- the library for programs of others, mbf(3): one object, whose names are those that the public
# headers declare
PUBLIC := base/box.h base/err.h base/hd.h base/units.h cli/cli.h cli/cli_import.h stats/errors.h stats/series.h stream/atoms.h stream/frame.h \
	stream/frame_rules.h stream/meta.h stream/scalars.h stream/traj.h stream/window.h
VERSION := $(shell sed -n 's/^.define CLI_VERSION "\(.*\)"/\1/p' lib/cli/cli.h)
SONAME := $(if $(MACOS),libmbf.$(basename $(VERSION)).dylib,libmbf.so.$(basename $(VERSION)))
FULLNAME := $(if $(MACOS),libmbf.$(VERSION).dylib,libmbf.so.$(VERSION))
PIC := $(O)/pic
SHARED_ROOMS := $(foreach r,base cli formats io select stats stream,$(O)/lib/$(r)/%)
PIC_OBJ := $(filter $(SHARED_ROOMS),$(LIB_OBJ))
$(SHARED_ROOMS:%=%.o): CFLAGS += -fPIC$(if $(MACOS),, -fno-semantic-interposition) # programs use these objects, too
SHARED := $(PIC)/libmbf.$(if $(MACOS),dylib,so) $(PIC)/libmbf.a
.PHONY: shared
shared: $(SHARED)
$(PIC)/names: $(PIC_OBJ) $(PUBLIC:%=lib/%) Makefile
	@mkdir -p $(PIC)
	@printf '#include "%s"\n' $(PUBLIC) | $(CC) $(CPPFLAGS) -Ilib -E -P -x c - | grep -oE '[a-z_][a-z0-9_]*' | sort -u >$@.declared
	@$(NM) -g --defined-only $(PIC_OBJ) | awk 'NF == 3 { print $$3 }' $(if $(MACOS),| sed 's/^_//') | sort -u | comm -12 - $@.declared >$@
$(PIC)/all.a: $(PIC)/names $(PIC_OBJ)
	@rm -f $@
	@$(AR) rcs $@ $(PIC_OBJ)
$(PIC)/mbf.o: $(PIC)/names $(PIC)/all.a
	$(call say,LD) $(LD) -r -o $@ $$(sed 's/^/-u /' $<) $(PIC)/all.a
	@$(OBJCOPY) --strip-debug --keep-global-symbols=$< $@
$(PIC)/libmbf.a: $(if $(MACOS),$(PIC)/all.a,$(PIC)/mbf.o)
	@rm -f $@
	$(call say,AR) $(if $(MACOS),cp $< $@,$(AR) rcs $@ $<)
$(PIC)/libmbf.so: $(PIC)/mbf.o
	$(call say,LD) $(CC) -shared -Wl,-soname,$(SONAME) -Wl,-z,defs $(HARDEN) $(LDFLAGS) -o $@ $< $(AS_NEEDED) $(LDLIBS)
# macOS has no objcopy: the names of all objects that these need are visible
$(PIC)/libmbf.dylib: $(PIC)/names $(PIC)/all.a
	$(call say,LD) $(CC) -dynamiclib -install_name $(LIBDIR)/$(SONAME) $(LDFLAGS) -o $@ $$(sed 's/^/-Wl,-u,_/' $<) $(PIC)/all.a $(LDLIBS)

# ---- programs
$(O)/tools/%-cpu.o: tools/%.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) -Ilib -DENGINE='"cpu"' $(CFLAGS) -MMD -MP -c -o $@ $<
$(O)/tools/%-gpu.o: tools/%.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) -Ilib -DENGINE='"gpu"' -DENGINE_GPU $(CFLAGS) -MMD -MP -c -o $@ $<
$(B)/%: $(O)/tools/%.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LD) $(CC) $(CFLAGS) $(HARDEN) $(LDFLAGS) -o $@ $< $(LIB) $(AS_NEEDED) $(FFTW) $(LDLIBS)

# ---- CUDA: the engine objects come before the library, so that the CPU engine stays out; cudart is
# static, cuFFT is loaded by
# what asks for it: from where the loader looks, or the Toolkit that is here (CUDA_RPATH= where that
# is not what will be there)
CUDA_RPATH ?= $(abspath $(dir $(NVCC))..)/lib64
comma_ := ,
NEWEST_ARCH = $(lastword $(CUDA_ARCH))
GENCODE = $(foreach a,$(CUDA_ARCH),-gencode arch=compute_$(a)$(comma_)code=sm_$(a)) \
	-gencode arch=compute_$(NEWEST_ARCH)$(comma_)code=compute_$(NEWEST_ARCH)
NVFLAGS = -O3 -std=c++17 --fmad=false $(GENCODE) -Xcompiler -O3$(comma_)-g$(comma_)-ffp-contract=off$(comma_)-Wall -cudart static \
	--threads 0
# an engine is its own room, base, and the rooms without a program whose GPU headers (ROOM_gpu) or
# engine (ROOM_sum.h) its sources include
CUDA_SHARED := $(filter-out base $(ON_GPU),$(notdir $(wildcard cuda/*)))
CUDA_BELOW = $(filter $(CUDA_SHARED),$(sort $(shell sed -nE 's,^.include "([a-z]*)/\1_(gpu|sum).*,\1,p' lib/$(1)/* cuda/$(1)/*)))
CUDA_ENGINE = $(patsubst %.cu,$(O)/%.o,$(wildcard $(foreach r,base $(CUDA_BELOW) $(1),cuda/$(r)/*.cu)))
$(O)/cuda/%.o: cuda/%.cu $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,NVCC) $(NVCC) $(NVFLAGS) -Ilib -Icuda -MMD -MP -c -o $@ $<
define GPU_PROGRAM
$(B)/$(1)-gpu: $(O)/tools/$(1)-gpu.o $(call CUDA_ENGINE,$(1)) $(LIB)
	@mkdir -p $$(@D)
	$$(call say,LD) $(NVCC) $(NVFLAGS) $(if $(CUDA_RPATH),-Xlinker -rpath=$(CUDA_RPATH)) -o $$@ $$^ -ldl -Xlinker --as-needed $(LDLIBS)
endef
$(foreach t,$(ON_GPU),$(eval $(call GPU_PROGRAM,$(t))))

# ---- a release: what is committed, the same bytes from the same commit, and their hash; the
# version is CLI_VERSION of lib/cli/cli.h
DIST ?= $(O)/dist
.PHONY: dist
dist:
	@mkdir -p $(DIST)
	@command -v git >/dev/null && git archive --format=tar --prefix=mbf-$(VERSION)/ HEAD | gzip -9n >$(DIST)/mbf-$(VERSION).tar.gz
	@cd $(DIST) && $(if $(MACOS),shasum -a 256,sha256sum) mbf-$(VERSION).tar.gz | tee mbf-$(VERSION).tar.gz.sha256
	@sed "s,@DIST@,$(abspath $(DIST)),; s/@VERSION@/$(VERSION)/; s/@SHA256@/$$(cut -d ' ' -f 1 $(DIST)/mbf-$(VERSION).tar.gz.sha256)/" \
	    tests/packages/mbf-filters.rb >$(DIST)/mbf-filters.rb
	@echo "mbf $(VERSION): library $(SONAME), format MBF $(shell sed -n 's/^.define FRAME_FORMAT "\([0-9.]*\)".*/\1/p' lib/stream/*.h)"

# programs for old systems: tests/packages/tarball
.PHONY: tarball
tarball:
	@PYTHON=$(PYTHON) ARCH=$(ARCH) tests/packages/tarball $(O)/tarball $(DIST)

# ---- HTML of all pages, with links between them
.PHONY: html
html:
	@PYTHON=$(PYTHON) man/html.sh $(O)/html $(wildcard man/*.[1357])
	@echo "begin with $(O)/html/index.html"

# ---- installing: PROGRAM_PREFIX goes before every program and page (ImageMagick has a compare,
# too). What is built is installed,
# stripped; nothing is compiled but the programs for the CPU, where there are none yet.
PYTHON ?= python3
STRIPPED = $(if $(MACOS),,-s $(STRIP))
BINDIR = $(DESTDIR)$(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDES = $(DESTDIR)$(PREFIX)/include/mbf
MANDIR = $(DESTDIR)$(PREFIX)/share/man
SHARE = $(DESTDIR)$(PREFIX)/share
COMPLETIONS = bash-completion/completions/% zsh/site-functions/_% fish/vendor_completions.d/%.fish
BUILT = $(notdir $(wildcard $(TOOLS:%=$(B)/%) $(GPU_TOOLS:%=$(B)/%)))
PREFIXED = awk -v prefix='$(PROGRAM_PREFIX)' -v tools='$(TOOLS) $(GPU_TOOLS)' -f man/prefixed.awk
# the folder below PREFIX where python3 looks for modules by itself, else lib/python3/site-packages
PYTHONDIR ?= $(shell $(PYTHON) -c 'import site, sys; d = [p for p in site.getsitepackages() + [site.getusersitepackages()] \
	if p.startswith(sys.argv[1] + "/lib/")]; print((d or [sys.argv[1] + "/lib/python3/site-packages"])[0])' $(PREFIX) 2>/dev/null)
PYTHON_FILES = $(wildcard lib/python/mbf/*.py)
.PHONY: install uninstall install-programs install-library install-pages install-share install-python
$(if $(V),,.SILENT: install install-programs install-library install-pages install-share install-python uninstall)
install: install-programs install-library install-pages install-share install-python
	echo "mbf $(VERSION) is installed in $(PREFIX)"
install-programs: $(if $(filter-out $(BUILT),$(TOOLS)),$(TOOLS:%=$(B)/%))
	install -d "$(BINDIR)"
	set -e; for t in $(notdir $(wildcard $(TOOLS:%=$(B)/%) $(GPU_TOOLS:%=$(B)/%)) $^); do \
	    install $(STRIPPED) -m 755 $(B)/$$t "$(BINDIR)/$(PROGRAM_PREFIX)$$t"; done
	sed "s/^prefix='' .*/prefix='$(PROGRAM_PREFIX)'/" pipelines/mbf >"$(BINDIR)/mbf"
	chmod 755 "$(BINDIR)/mbf"
	set -e; for shell in bash zsh fish; do \
	    case $$shell in bash) to=bash-completion/completions/@ ;; zsh) to=zsh/site-functions/_@ ;; fish) to=fish/vendor_completions.d/@.fish ;; esac; \
	    install -d "$(SHARE)/$${to%/*}"; \
	    for t in $(TOOLS) $(GPU_TOOLS); do \
	        [ ! -x "$(BINDIR)/$(PROGRAM_PREFIX)$$t" ] || $(RUN) "$(BINDIR)/$(PROGRAM_PREFIX)$$t" --completion $$shell \
	            >"$(SHARE)/$$(printf %s "$$to" | sed "s,@,$(PROGRAM_PREFIX)$$t,")"; done; done
install-library: $(filter-out $(wildcard $(SHARED)),$(SHARED))
	install -d "$(DESTDIR)$(LIBDIR)/pkgconfig" $(patsubst %/,"$(INCLUDES)/%",$(sort $(dir $(PUBLIC))))
	install $(STRIPPED) -m 755 $(firstword $(SHARED)) "$(DESTDIR)$(LIBDIR)/$(FULLNAME)"
	ln -sf $(FULLNAME) "$(DESTDIR)$(LIBDIR)/$(SONAME)"
	ln -sf $(SONAME) "$(DESTDIR)$(LIBDIR)/$(notdir $(firstword $(SHARED)))"
	install -m 644 $(PIC)/libmbf.a "$(DESTDIR)$(LIBDIR)/"
	set -e; for h in $(PUBLIC); do sed 's,^#include "\(.*\)",#include "../\1",' lib/$$h >"$(INCLUDES)/$$h"; done
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$${prefix}/include' 'Name: mbf' 'Version: $(VERSION)' \
	    'Description: streams of molecular dynamics: frames, trajectories, series' 'Cflags: -I$${includedir}' \
	    'Libs: -L$${libdir} -lmbf' 'Libs.private: $(LDLIBS)' >"$(DESTDIR)$(LIBDIR)/pkgconfig/mbf.pc"
install-pages:
	install -d "$(MANDIR)/man1" "$(MANDIR)/man3" "$(MANDIR)/man5" "$(MANDIR)/man7" "$(SHARE)/doc/mbf"
	set -e; for p in $(notdir $(wildcard man/*.1)); do $(PREFIXED) man/$$p >"$(MANDIR)/man1/$(PROGRAM_PREFIX)$$p"; done
	set -e; for p in $(notdir $(wildcard man/*.[357])); do $(PREFIXED) man/$$p >"$(MANDIR)/man$${p##*.}/$$p"; done
	PYTHON=$(PYTHON) man/html.sh "$(SHARE)/doc/mbf" "$(MANDIR)"/man1/$(PROGRAM_PREFIX)*.1 "$(MANDIR)"/man[357]/mbf*
	printf '.so man7/mbf.7\n' >"$(MANDIR)/man1/mbf.1" # "man mbf" opens the overview, not the format
	install -m 644 README.md LICENSE CITATION.cff "$(SHARE)/doc/mbf/"
install-share:
	install -d "$(SHARE)/mbf/pipelines/cluster" "$(SHARE)/mbf/pipelines/filters" "$(SHARE)/mbf/pipelines/published" "$(SHARE)/mbf/data/formats"
	install -m 755 pipelines/filters/*.py "$(SHARE)/mbf/pipelines/filters/"
	install -m 644 pipelines/published/* "$(SHARE)/mbf/pipelines/published/"
	install -m 644 tests/data/SOURCES tests/data/*.xyz* tests/data/*.mbf "$(SHARE)/mbf/data/"
	install -m 644 tests/data/formats/* "$(SHARE)/mbf/data/formats/"
	set -e; for p in $(wildcard pipelines/*.sh pipelines/*.py pipelines/*.mk pipelines/*.gp pipelines/*.txt pipelines/cluster/*); do to="$(SHARE)/mbf/$$p"; \
	    $(PREFIXED) $$p | sed 's,/\.\./tests/data,/../data,; s,)\.\./tests/data,)../data,; s,/\.\./build/bin,/../../../bin,; s,)\.\./build/bin,)../../../bin,' \
	        >"$$to"; case $$p in *.sh | *.nf) chmod 755 "$$to" ;; esac; done
	install -d "$(SHARE)/mbf/modulefiles/mbf"
	sed '$(if $(PYTHONDIR),,/PYTHONDIR/d; )s,@PYTHONDIR@,$(PYTHONDIR:$(PREFIX)/%=%),; s,@LIBDIR@,$(LIBDIR:$(PREFIX)/%=%),' pipelines/modulefile \
	    >"$(SHARE)/mbf/modulefiles/mbf/$(VERSION)"
install-python:
	if [ -n "$(PYTHONDIR)" ]; then install -d "$(DESTDIR)$(PYTHONDIR)/mbf" && \
	    for f in $(notdir $(PYTHON_FILES)); do \
	        sed 's/^PREFIX = "".*/PREFIX = "$(PROGRAM_PREFIX)"/; s,^LIBDIR = "".*,LIBDIR = "$(LIBDIR)",' lib/python/mbf/$$f \
	            >"$(DESTDIR)$(PYTHONDIR)/mbf/$$f" || exit; done && chmod 644 "$(DESTDIR)$(PYTHONDIR)"/mbf/*.py && \
	    { $(PYTHON) -c 'import sys; sys.exit(sys.argv[1] not in sys.path)' "$(PYTHONDIR)" || \
	        echo "note: $(PYTHON) does not look there by itself: export PYTHONPATH=$(PYTHONDIR)"; }; \
	else echo "note: no $(PYTHON): the Python module is not installed"; fi
uninstall:
	rm -f "$(BINDIR)/mbf" $(foreach t,$(TOOLS) $(GPU_TOOLS),"$(BINDIR)/$(PROGRAM_PREFIX)$(t)" $(foreach c,$(COMPLETIONS),"$(SHARE)/$(subst %,$(PROGRAM_PREFIX)$(t),$(c))"))
	rm -f $(foreach p,$(notdir $(wildcard man/*.1)),"$(MANDIR)/man1/$(PROGRAM_PREFIX)$(p)") "$(MANDIR)/man1/mbf.1"
	rm -f $(foreach s,3 5 7,$(foreach p,$(notdir $(wildcard man/*.$(s))),"$(MANDIR)/man$(s)/$(p)"))
	rm -f "$(DESTDIR)$(LIBDIR)"/libmbf.a "$(DESTDIR)$(LIBDIR)"/libmbf.so* "$(DESTDIR)$(LIBDIR)"/libmbf.*dylib "$(DESTDIR)$(LIBDIR)/pkgconfig/mbf.pc"
	rm -rf "$(INCLUDES)" "$(SHARE)/mbf" "$(SHARE)/doc/mbf" $(if $(PYTHONDIR),"$(DESTDIR)$(PYTHONDIR)/mbf")

include tests/tests.mk
-include $(shell find $(O) -type f -name '*.d' 2>/dev/null)
