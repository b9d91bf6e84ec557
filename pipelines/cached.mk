# SPDX-License-Identifier: MIT
# cached.mk: stages kept in files, with make as the cache. A changed input or option remakes what depends on it.
#   make -f pipelines/cached.mk OUT=results [TRAJECTORY=file.xyz.gz] [TMAX=6] [BLOCKS=10] [WINDOW=hann]
# and, where the trajectory does not say: [CELL=A[,B,C]] [DT=PS] [TIMESTEP=PS] [PBC=xyz] [SIGMA=ANGSTROM] [DIALECT=NAME].
# A file appears when it is complete, so an interrupted run leaves no half target.
HERE := $(shell printf %s '$(MAKEFILE_LIST)' | sed 's/^ *//; s,[^/]*$$,,')
BIN ?= $(HERE)../build/bin
TRAJECTORY ?= $(HERE)../tests/data/argon256.xyz.gz
OUT ?= .
TMAX ?= 6
BLOCKS ?= 10
WINDOW ?= hann
export PATH := $(BIN):$(PATH)
export TRAJECTORY
blank := $() $()

READ := $(strip $(if $(CELL),--cell $(CELL)) $(if $(DT),--dt $(DT)) $(if $(TIMESTEP),--timestep $(TIMESTEP)) \
    $(if $(PBC),--pbc $(PBC)) $(if $(SIGMA),--sigma $(SIGMA)) $(if $(DIALECT),--dialect $(DIALECT)))
CF := $(OUT)/cf-$(TMAX).mbf

$(OUT)/spectrum.txt: $(OUT)/spectrum.mbf
	bin2txt $< -o $@
$(OUT)/spectrum.mbf: $(CF) $(OUT)/spectrum.key
	fft-spectrum --window $(WINDOW) $< -o $@
$(CF): $(OUT)/positions.mbf $(CF:mbf=key)
	g4-cpu --tmax $(TMAX) --component all --blocks $(BLOCKS) $< -o $@
$(OUT)/positions.mbf: $(subst $(blank),\ ,$(TRAJECTORY)) $(OUT)/positions.key
	xyz2bin -z $(READ) "$$TRAJECTORY" -o $@

# What a file was made with stands beside it: where that says something else, the file is made again, however new it is.
POSITIONS = $(TRAJECTORY) $(READ)
SUMS = --blocks $(BLOCKS)
SPECTRUM = $(CF) --window $(WINDOW)
define KEYED
$(1): export KEY = $$($(2))
ifneq ($$(file <$(1)),$$($(2)))
$(1): FORCE
endif
$(1):
	@mkdir -p "$$(@D)"
	@printf '%s\n' "$$$$KEY" >"$$@"
endef
$(eval $(call KEYED,$(OUT)/positions.key,POSITIONS))
$(eval $(call KEYED,$(CF:mbf=key),SUMS))
$(eval $(call KEYED,$(OUT)/spectrum.key,SPECTRUM))
.PHONY: FORCE
