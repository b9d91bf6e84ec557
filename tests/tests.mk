# Tests and benchmarks; included by the Makefile.

UNIT := $(patsubst tests/%.c,$(O)/tests/%,$(wildcard tests/unit/*.c tests/prop/*.c))
.PHONY: unit
unit: $(UNIT)
$(O)/tests/%: tests/%.c $(LIB) $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Ilib -Itests/unit $(CFLAGS) -MMD -MP -o $@ $< $(LIB) -lfftw3 $(LDLIBS)
