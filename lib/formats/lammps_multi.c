/* SPDX-License-Identifier: MIT */
#include "formats/lammps_multi.h"

#include <string.h>

#include "formats/lammps_log.h"
#include "formats/xyz_header.h"

bool lammps_multi_begins(const char *line, size_t n, const char **step, size_t *len)
{
    size_t at = 0;
    while (at < n && line[at] == '-')
        at++;
    if (at < 5 || n - at < 6 || memcmp(line + at, " Step ", 6) != 0)
        return false;
    for (at += 6; at < n && line[at] == ' ';)
        at++;
    *step = line + at;
    for (*len = 0; at < n && line[at] != ' '; at++)
        ++*len;
    return *len > 0;
}

/* Appends a word and a blank. Returns 0, or -1 and sets e. */
static int append(char to[MULTI_BYTES], const char *word, size_t len, struct err *e)
{
    size_t used = strlen(to);
    if (used + len + 2 > MULTI_BYTES)
        return err_bad(e, "expected a row of at most %d bytes, found a longer one", MULTI_BYTES);
    memcpy(to + used, word, len);
    memcpy(to + used + len, " ", 2);
    return 0;
}

/* Makes the current block the row that is due. Returns 0, or -1 and sets e. */
static int finish(struct lammps_multi *m, struct err *e)
{
    if (!m->known)
        memcpy(m->names, m->block, sizeof m->names);
    if (strcmp(m->names, m->block) != 0)
        return err_bad(e,
                       "expected the same quantities as in the first step, %.300s, found %.300s "
                       "before this line",
                       m->names, m->block);
    memcpy(m->row, m->values, sizeof m->row);
    m->names_due |= !m->known;
    m->known = m->row_due = true;
    return 0;
}

int lammps_multi_block(struct lammps_multi *m, const char *step, size_t len, struct err *e)
{
    if (m->open && finish(m, e) != 0)
        return -1;
    m->open = step != NULL;
    m->end_due = !step;
    if (!step)
        return 0;
    m->block[0] = m->values[0] = '\0';
    return append(m->block, "Step", 4, e) != 0 ? -1 : append(m->values, step, len, e);
}

int lammps_multi_add(struct lammps_multi *m, const char *line, size_t n, struct err *e)
{
    const char *name, *sign, *value;
    size_t at = 0, name_len, sign_len, value_len;
    while (m->open && xyz_word(line, n, &at, &name, &name_len) &&
           xyz_word(line, n, &at, &sign, &sign_len) && sign_len == 1 && *sign == '=' &&
           xyz_word(line, n, &at, &value, &value_len)) {
        bool step =
            name_len == 4 && memcmp(name, "Step", 4) == 0; /* already taken from the first line */
        if (!step && (append(m->block, name, name_len, e) != 0 ||
                      append(m->values, value, value_len, e) != 0))
            return -1;
    }
    return 0;
}

int lammps_multi_take(struct lammps_multi *m, const char **line, size_t *n)
{
    bool *due[] = {&m->names_due, &m->row_due, &m->end_due};
    const char *text[] = {m->names, m->row, ""};
    static const int is[] = {LOG_LEGEND, LOG_ROW, LOG_END};
    for (int k = 0; k < 3; k++)
        if (*due[k]) {
            *due[k] = false;
            *line = text[k];
            *n = strlen(text[k]) - (k < 2); /* without the last blank */
            return is[k];
        }
    return LOG_OTHER;
}
