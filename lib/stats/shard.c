/* SPDX-License-Identifier: MIT */
#include "stats/shard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Reads a whole number without a sign. Returns a pointer to the text after it, or NULL. */
static const char *number(const char *s, uint64_t *v)
{
    char *end;
    errno = 0;
    *v = strtoull(s, &end, 10);
    return *s >= '0' && *s <= '9' && errno == 0 ? end : NULL;
}

int shard_parse(const char *text, void *dst, struct err *e)
{
    struct shard *s = dst;
    *s = (struct shard){0};
    const char *at = number(text, &s->k);
    size_t sign = at && *at == '/' ? 1 : at && strncmp(at, "-of-", 4) == 0 ? 4 : 0;
    at = sign ? number(at + sign, &s->n) : NULL;
    if (!at || *at || s->k < 1 || s->n > SHARD_MAX || s->k > s->n)
        return err_bad(e, "expected K/N with 1 <= K <= N <= %d, found '%.60s'", SHARD_MAX, text);
    return 0;
}

int shard_open(struct shard *s, const struct frame_reader *r, const struct traj_reader *t,
               struct err *e)
{
    struct frame_totals end;
    const struct window *w = frame_window(r);
    if (s->n == 0)
        return 0;
    if (!frame_totals(r, &end) || frame_file_bytes(r) == 0)
        return err_in(e, ERR_BAD, frame_name(r), 0,
                      "--shard needs a file, because each part reads only its own steps, and the "
                      "number of all steps is at the end of the file");
    if (end.wire_bytes + 256 != frame_file_bytes(r))
        return err_in(e, ERR_BAD, frame_name(r), 0,
                      "--shard needs one segment, found several (join them with frame-cat)");
    if (w && traj_expected(t) == 0)
        return err_in(
            e, ERR_BAD, frame_name(r), 0,
            "--shard with --from or --to needs a file name, because the file is read twice");
    s->windowed = w != NULL;
    s->window = w ? *w : s->window;
    s->total = w ? traj_expected(t) : end.steps;
    memcpy(s->of, end.content_hash, sizeof s->of);
    return 0;
}
