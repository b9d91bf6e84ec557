/* SPDX-License-Identifier: MIT */
/* labels.h: determines the label and the unit of each column of a result, for plots and tables.
 *
 * The keys data.label.of and data.unit.of of META contain lists of labels and units, "NAME:TEXT
 * ...", separated by blanks.
 *   - NAME is the name of a column or of a function. An entry for NAME also applies to names of the
 *     form NAME_PART, such as G_xz or g_O-O, and PART is then appended to the label. If several
 *     entries fit, the entry with the longest NAME is used. The last colon of an entry ends NAME.
 *   - A label is "QUANTITY" or "QUANTITY,~PART", such as "S(q,ω),~O-O", in which each blank is
 *     replaced by "~".
 *   - A unit is a product of names with exponents, such as A^2/ps^2, (A/ps)^2/cm-1 or mPa*s. In a
 *     unit, the sign "/" applies only to the factor that follows it. A dimensionless quantity has
 *     the unit "1". An unknown unit is written as "-".
 *   - Labels and units that are not listed follow from the name of the column. Axes, counts and
 *     pair histograms have fixed labels and units. Except in SERI, the column NAME_se has the unit
 *     of NAME and the label of NAME with ",~standard~error". In CORR, int_NAME has the unit of NAME
 *     times ps, and response_NAME has the unit of NAME per meV and ps. Units that are neither
 *     listed nor fixed are read from the META key data.units (SERI) or data.unit. A label that is
 *     neither listed nor fixed is the name or, if data.quantity is "correlation", "C(t),~NAME". */
#pragma once

#include "stream/frame.h"
#include "stream/meta.h"

#define LABELS_SIZE 192 /* Longer texts are truncated. */

void labels_of(const struct meta *m, enum frame_type type, const char *column,
               char label[LABELS_SIZE], char unit[LABELS_SIZE]);

/* Finds the entry of a list "NAME:TEXT ..." whose NAME applies to the column, and writes its TEXT
 * to text[]. If several entries apply, the entry with the longest NAME is used. Returns the rest of
 * the name of the column after NAME, which is empty or "_PART", or NULL if no NAME fits or the list
 * is NULL. */
const char *labels_find(const char *list, const char *column, char text[LABELS_SIZE]);

/* Returns the list "NAME:TEXT ..." for all columns of a legend, or NULL if memory runs out. TEXT is
 * the label of a column, or its unit if of_label is 0. The caller frees the list. */
char *labels_list(const struct meta *m, enum frame_type type, const char *legend, int of_label);
