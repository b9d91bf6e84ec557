/* SPDX-License-Identifier: MIT */
/* labels.h: determines the label and the unit of each column of a result, for plots and tables.
 *
 * The keys data.label.of and data.unit.of of META contain lists of labels and units, "NAME:TEXT
 * ...", separated by blanks.
 *   - NAME is a column or a function. An entry for NAME also applies to NAME_PART, such as G_xz or
 *     g_O-O, and PART is then appended to the label. If several entries fit, the entry with the
 *     longest NAME is used. The last colon ends NAME.
 *   - A label is "QUANTITY" or "QUANTITY,~PART", such as "S(q,ω),~O-O", with "~" for each blank.
 *   - A unit is a product of names with exponents, such as A^2/ps^2, (A/ps)^2/cm-1 or mPa*s. The
 *     sign "/" applies only to the factor that follows it. A dimensionless quantity has the unit
 *     "1". An unknown unit is written as "-".
 *   - A label or unit that is not listed follows from the name. Axes, counts and pair histograms
 *     have fixed labels and units. Except in SERI, NAME_se has the unit of NAME, and its label is
 *     followed by ",~standard~error". In CORR, int_NAME has the unit of NAME times ps, and
 *     response_NAME has the unit of NAME per meV and ps. Every other unit comes from the META key
 *     data.units (SERI) or data.unit. Any other label is the name, or "C(t),~NAME" if data.quantity
 *     is "correlation". */
#pragma once

#include "stream/frame.h"
#include "stream/meta.h"

#define LABELS_SIZE 192 /* size of a label or unit with its NUL. Longer texts are truncated */

/* Writes the label and the unit of a column of a segment of this type. */
void labels_of(const struct meta *m, enum frame_type type, const char *column,
               char label[LABELS_SIZE], char unit[LABELS_SIZE]);

/* Finds the longest NAME in a list "NAME:TEXT ..." that applies to the column. Writes TEXT to
 * text[] and returns the rest of the column name after NAME, which is "" or "_PART". Returns NULL
 * if no NAME fits or the list is NULL. */
const char *labels_find(const char *list, const char *column, char text[LABELS_SIZE]);

/* Returns the list "NAME:TEXT ..." for all columns of a legend, which the caller frees. The texts
 * are the labels if of_label is not 0, and otherwise units. Returns NULL if memory runs out. */
char *labels_list(const struct meta *m, enum frame_type type, const char *legend, int of_label);
