/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rdf/sq.h"

double *sq_table(const struct sq_hist *h, const struct sq_params *p, const double *s,
                 const double *dev, char *columns)
{
    size_t cols = 1 + h->pairs * (dev ? 2 : 1);
    double *v = calloc(p->nq * cols, sizeof *v);
    const char *list = h->names.list;
    columns += sprintf(columns, "q_A-1");
    for (int se = 0; se <= (dev != NULL); se++)
        for (const char *w = list; *w; w += strcspn(w, " "), w += *w == ' ') {
            int len = (int)strcspn(w, " "), all = len == 3 && memcmp(w, "all", 3) == 0;
            columns +=
                sprintf(columns, " S%s%.*s%s", all ? "" : "_", all ? 0 : len, w, se ? "_se" : "");
        }
    for (size_t i = 0; v && i < p->nq; i++) {
        double *row = v + i * cols;
        row[0] = p->qstep * (double)(i + 1);
        for (size_t k = 0; k < h->pairs; k++) {
            double var = 0.0;
            row[1 + k] = s[i * h->pairs + k];
            for (size_t b = 0; dev && b < h->blocks; b++)
                var += pow(dev[(b * p->nq + i) * h->pairs + k], 2);
            if (dev)
                row[1 + h->pairs + k] = sqrt(var);
        }
    }
    return v;
}
