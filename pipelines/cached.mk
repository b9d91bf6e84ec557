# SPDX-License-Identifier: MIT
# cached.mk: stages kept in files, with make as the cache. A changed input or option remakes what depends on it.
#   make -f pipelines/cached.mk OUT=results [TRAJECTORY=file.xyz.gz] [TMAX=6]
# A file appears when it is complete, so an interrupted run leaves no half target.
HERE := $(shell printf %s '$(MAKEFILE_LIST)' | sed 's/^ *//; s,[^/]*$$,,')
BIN ?= $(HERE)../build/bin
TRAJECTORY ?= $(HERE)../tests/data/argon256.xyz.gz
OUT ?= .
TMAX ?= 6
export PATH := $(BIN):$(PATH)
blank := $() $()

$(OUT)/spectrum.txt: $(OUT)/spectrum.mbf
	bin2txt $< -o $@
$(OUT)/spectrum.mbf: $(OUT)/cf-$(TMAX).mbf
	fft-spectrum --window hann $< -o $@
$(OUT)/cf-$(TMAX).mbf: $(OUT)/positions.mbf
	g4-cpu --tmax $(TMAX) --blocks 10 $< -o $@
$(OUT)/positions.mbf: $(subst $(blank),\ ,$(TRAJECTORY))
	@mkdir -p $(OUT)
	xyz2bin -z "$<" -o $@
