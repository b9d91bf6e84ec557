# SPDX-License-Identifier: MIT
# cached.mk: keeps the result of each stage in a file, with make as the cache. A changed input or
# option remakes the dependent files.
#   make -f pipelines/cached.mk OUT=results [TRAJECTORY=file.xyz.gz] [TMAX=6] [BLOCKS=10]
#   [WINDOW=hann]
# and, for values that the trajectory does not contain: [CELL=A[,B,C]] [DT=PS] [TIMESTEP=PS]
# [PBC=xyz] [SIGMA=ANGSTROM] [DIALECT=NAME]. A file appears when it is complete, so an interrupted
# run leaves no incomplete target. Names are data and are never expanded. Names of targets and
# options may contain letters, digits and _ . , / + - only. The name of the trajectory must not
# contain characters that make interprets.
NAMES := OUT BIN TMAX BLOCKS WINDOW CELL DT TIMESTEP PBC SIGMA DIALECT
$(foreach v,$(NAMES) TRAJECTORY,$(if $(filter command environment,$(firstword $(origin $v))),$(eval override $v := $$(value $v))))
blank := $() $()
rest := $(foreach v,$(NAMES),$(if $(filter override,$(origin $v)),$(subst $(blank),^,$($v))))
$(foreach c,a b c d e f g h i j k l m n o p q r s t u v w x y z A B C D E F G H I J K L M N O P Q R S T U V W X Y Z \
    0 1 2 3 4 5 6 7 8 9 _ . / + -,$(eval rest := $$(subst $c,,$$(rest))))
comma := ,
hash := \#
ifneq ($(strip $(subst $(comma),,$(rest))),)
$(error cached.mk: expected letters, digits and _ . , / + - in $(NAMES), found $(strip $(subst $(comma),,$(rest))))
endif
ifneq ($(strip $(if $(filter override,$(origin TRAJECTORY)),$(foreach c,$$ ; : % | * ? [ \ = ~ $(hash),$(findstring $c,$(TRAJECTORY))))),)
$(error cached.mk: expected a trajectory without $$ ; : % | * ? [ \ = ~ $(hash) in its name, which make interprets (link the file under another name))
endif
quote := '
HERE := $(shell printf %s '$(subst $(quote),$(quote)\$(quote)$(quote),$(MAKEFILE_LIST))' | sed 's/^ *//; s,[^/]*$$,,')
BIN ?= $(HERE)../build/bin
TRAJECTORY ?= $(HERE)../tests/data/argon256.xyz.gz
OUT ?= .
TMAX ?= 6
BLOCKS ?= 10
WINDOW ?= hann
export PATH := $(BIN):$(PATH)
export TRAJECTORY

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
	xyz2bin -z $(READ) -o $@ -- "$$TRAJECTORY"

# A key file next to each file contains its options. If the key differs from the current options,
# the file is made again.
POSITIONS = $(TRAJECTORY) $(READ)
SUMS = --blocks $(BLOCKS)
SPECTRUM = $(CF) --window $(WINDOW)
define KEYED
$(1): export KEY = $$($(2))
ifneq ($$(shell cat $(1) 2>/dev/null),$$($(2)))
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
