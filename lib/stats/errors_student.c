/* SPDX-License-Identifier: MIT */
/* errors_student.c: computes Student's distribution. */
#include <math.h>

#include "stats/errors.h"

/* Returns the continued fraction of the incomplete beta function for x < (a + 1) / (a + b + 2)
 * (method of Lentz). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1.0, d = 1.0 / (1.0 - (a + b) * x / (a + 1.0)), h = d;
    for (int k = 1; k < 1000; k++) {
        double two = 2.0 * k, up = k * (b - k) * x / ((a + two - 1.0) * (a + two)),
               down = -(a + k) * (a + b + k) * x / ((a + two) * (a + two + 1.0));
        d = 1.0 / (1.0 + up * d);
        c = 1.0 + up / c;
        h *= d * c;
        d = 1.0 / (1.0 + down * d);
        c = 1.0 + down / c;
        h *= d * c;
        if (fabs(d * c - 1.0) < 1e-15)
            break;
    }
    return h;
}

double errors_tail(double t, double dof)
{
    double a = 0.5 * dof, b = 0.5;
    t = fabs(t);
    if (!(dof < 1e6)) /* equals the normal distribution to 1e-6 */
        return erfc(t * sqrt(0.5));
    double x = dof / (dof + t * t), y = t * t / (dof + t * t);
    if (t == 0.0 || y == 0.0)
        return 1.0;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
    return x < (a + 1.0) / (a + b + 2.0) ? front * beta_fraction(a, b, x) / a
                                         : 1.0 - front * beta_fraction(b, a, y) / b;
}

double errors_quantile(double p, double dof)
{
    double low = 0.0, high = 1.0;
    if (!(p > 0.0))
        return INFINITY;
    while (errors_tail(high, dof) > p && high < 1e300)
        high *= 2.0;
    for (int k = 0; k < 200 && high - low > 1e-14 * high; k++) {
        double mid = 0.5 * (low + high);
        *(errors_tail(mid, dof) > p ? &low : &high) = mid;
    }
    return high;
}

double errors_dof(double se_a, double dof_a, double se_b, double dof_b)
{
    double a = se_a * se_a, b = se_b * se_b, sum = a + b;
    double down = (dof_a > 0.0 ? a * a / dof_a : 0.0) + (dof_b > 0.0 ? b * b / dof_b : 0.0);
    return down > 0.0 ? sum * sum / down : INFINITY;
}
