# SPDX-License-Identifier: MIT
"""Determines the times of frames that another package reads, by the rules of lib/formats/format_clock.c."""
import itertools
import math
import sys

import numpy as np

from .frames import Error

STAMPS_MAX = 64  # largest number of frames that are read ahead to find the time between frames
NOISE, OFF_F64 = 2e-7, 2e-15  # relative errors of times that were once f32, and of times after a few roundings in f64
EXACT, DETERMINED, NEARLY, COARSE = 1e-7, 1e-3, 1e-2, 0.2  # relative widths of the range of possible strides; see format_clock.c
EVEN, FORCED, SHORT, RESOLVED, PRINTED, DIGIT = 0.01, 0.5, 0.95, 0.05, 1e-3, 0.05  # fractions of a stride


def few_digits(lo, hi):
    """Returns the number between lo and hi that has the fewest digits, and its number of digits."""
    if lo <= 0 <= hi:
        return 0.0, 1
    tries = ((float("%.*e" % (n - 1, 0.5 * (lo + hi))), n) for n in range(1, 17))
    return next(((v, n) for v, n in tries if lo <= v <= hi), (0.5 * (lo + hi), 17))


def unique(lo, hi, v, digits):
    """Returns whether v is the only number between lo and hi with this number of digits."""
    unit = 10.0 ** (np.floor(np.log10(v) + 1e-12) + 1 - digits)
    return lo > 0 and v - unit < lo and v + unit > hi


def decimals(t):
    """Returns the number of digits after the decimal point."""
    mantissa, exponent = np.format_float_scientific(t, trim="-").split("e")
    return max(len(mantissa.partition(".")[2]) - int(exponent), 0)


def emptied(frames):
    """Yields the frames of a list and removes each one from the list."""
    while frames:
        yield frames.pop(0)


def half_ulp(t):
    return 0.5 * np.spacing(np.abs(t).astype("f4")).astype(float)


class Clock:
    """Assigns the times t0 + n dt to evenly spaced frames and refuses other frames. A time of type np.float32 was
    rounded to f32, and step numbers of type np.int32 wrap around after 32 bits. The argument dt is the value of --dt or None, select is the slice of
    --select, and where is the name of the file in messages."""

    def __init__(self, dt, select, where):
        self.given, self.select, self.where = dt, select, where
        self.t, self.f32, self.noisy, self.n, self.dt, self.settled = [], False, False, 0, None, False

    # ---- stamps

    def off(self, t):
        """Returns the largest possible error of each time."""
        noise = 0.5 * 10.0 ** -max(map(decimals, self.t)) + NOISE * np.abs(t) if self.noisy else 0.0
        small = np.max(noise) < DIGIT * (self.t[-1] - self.t[0]) / max(len(self.t) - 1, 1)  # otherwise it might hide a missing frame
        return self.f32 * half_ulp(t) + small * noise + OFF_F64 * np.abs(t)

    def strides(self):
        t = np.array(self.t)
        off, (i, j) = self.off(t), np.triu_indices(len(t), 1)
        return ((t[j] - t[i] - off[j] - off[i]) / (j - i)).max(), ((t[j] - t[i] + off[j] + off[i]) / (j - i)).min()

    def about(self):
        if self.settled or len(self.t) < 2:
            return self.dt or 0.0
        lo, hi = self.strides()
        return 0.5 * (max(lo, 0.0) + hi)

    def stamp_fits(self, time):
        """Returns True if the time agrees with evenly spaced frames. While the stride is unknown, each time that agrees is added to self.t."""
        t = float(time)
        if self.settled:
            far = abs(t - self.t0 - self.n * self.dt) - PRINTED * self.dt
            return far <= 0 or far <= 2 * self.off(np.array(t)) + min(self.n * self.slack, DIGIT * self.dt)
        self.t, before = [*self.t, t], (self.t, self.f32, self.noisy)
        narrow = (np.array(self.t) == np.array(self.t, dtype="f4")).all()  # times that were once f32 are exactly equal to f32 numbers
        self.f32 = isinstance(time, np.float32) or (narrow and any(v != float("%.7g" % v) for v in self.t))
        for self.f32, self.noisy in (self.f32, self.noisy), (narrow, self.noisy), (self.f32, True):
            lo, hi = self.strides()
            if lo <= hi and hi > max(1e-13 * abs(t), 1e-15):
                return True
        self.t, self.f32, self.noisy = before
        return False

    def stamp_even(self, time, part):
        """Replaces stamp_fits if --dt states the stride. Returns True if the interval since the last time is close to the interval between the first two frames."""
        pair = np.array([self.time, time], dtype=float)
        gap, noise = pair[1] - pair[0], 2 * sum(half_ulp(pair) * (pair == pair.astype("f4")))
        self.time_gap = gap if np.isnan(self.time_gap) else self.time_gap
        return self.time_gap > -noise and abs(gap - self.time_gap) <= part * abs(self.time_gap) + noise

    # ---- frame by frame

    def steps_to(self, step):
        gap = int(step) - self.step
        return (gap + 2**31) % 2**32 - 2**31 if isinstance(step, np.int32) else gap

    def follows(self, time, step):
        """Returns whether the frame is one stride after the last one."""
        gap = self.steps_to(step) if self.steps else 0
        fits = self.steps and gap > 0 and gap == (gap if self.n == 1 else self.gap)
        useless = gap == 0 and self.n == 1  # the program does not count steps
        if self.given is not None or not self.timed:
            if self.steps and (fits or (self.timed and time > self.time and self.stamp_even(time, EVEN))):
                return True
            if self.steps and not useless:
                return False
            self.steps = False
            return not self.timed or self.stamp_even(time, FORCED)
        if not self.stamp_fits(time):
            self.steps = self.steps and not fits  # the error message states the times
            return False
        if self.steps and not fits:
            if not useless and 2 * self.off(np.array(float(time))) > RESOLVED * self.about():
                return False  # rounding might hide the difference that the steps show
            self.steps = False
        return True

    def cause(self, number, time, step):
        """Returns the error for a frame that is not one stride after the last one (expected, found and the cause), and whether the frame is too early."""
        what, unit, last, digits = ("step", "", self.step, 17) if self.steps else ("time", " ps", float(self.time), 9)
        gap = self.steps_to(step) if self.steps else float(time) - last
        stride = (self.gap if self.steps else self.about() if self.given is None else self.time_gap) if self.n > 1 else np.nan
        stride = stride if stride > 0 else np.nan
        s, rough = self.select, 0.0 if self.steps else 2 * half_ulp(np.array(last)) / stride
        a, b, c = s.start or "", s.stop or "", ":%d" % s.step if s.step else ""
        lost, parts = gap / stride - 1, "(--select %s:%d%s takes the frames before this one, --select %d:%s%s the frames from this one on)" % (a, number, c, number, b, c)
        if gap == 0 and self.n == 1 and not self.steps:
            why = "the times do not change (give the time between frames with --dt PS)"
        elif gap == 0:
            why = "the %s is repeated with other positions %s" % (what, parts)
        elif gap < 0:
            why = "the file contains a restart that overlaps the run before it %s" % parts
        elif lost > 0.5 and abs(lost - round(lost)) <= 0.1 + rough:
            why = "%d frame%s missing %s" % (round(lost), "s are" if lost > 1.5 else " is", parts)
        elif abs(lost) < 0.5 and not self.steps and self.given is None:
            why = "the times are rounded or vary (--dt PS treats the frames as evenly spaced)"
        else:
            why = "the frames are unevenly spaced (choose evenly spaced frames with --select)"
        want = "a %s" % what if np.isnan(stride) else "%s %.*g%s" % (what, digits, last + stride, unit)
        said = "expected %s after %.*g%s, found %.*g%s" % (want, digits, last, unit, digits, last + gap, unit)
        return said, why, 0 < gap < SHORT * stride

    def begin(self, number, time, step):
        self.steps, self.timed, self.t0 = step is not None, not math.isnan(time), float(time)
        if self.given is not None:
            self.t0, self.dt = number * self.given, self.given * (self.select.step or 1)
        elif self.timed:
            self.t, self.f32 = [self.t0], isinstance(time, np.float32)
            off = self.off(np.array(self.t0))
            self.t0 = few_digits(self.t0 - off, self.t0 + off)[0]
        self.time_gap, self.step = np.nan, int(step or 0)
        self.first_step, self.settled = self.step % 2**32 if isinstance(step, np.int32) else self.step, self.given is not None or not self.timed

    def on(self, frames):
        """Yields the frames (number, time, step, positions, ...) that are evenly spaced."""
        told = False
        for number, time, step, positions, *rest in frames:
            where = "%s: frame %d: " % (self.where, number)
            if math.isinf(time):
                raise Error("%sexpected a time, found %g ps (choose frames that have a time with --select)" % (where, time))
            if self.n == 0:
                self.begin(number, time, step)
            elif self.timed == math.isnan(time) or (self.steps and step is None):
                raise Error(where + "expected times and steps in every frame or in none, found both (choose frames of one kind with --select)")
            elif self.repeats(time, step) and np.array_equal(positions, self.positions):
                if not told:
                    print("mbf: warning: %sskipped, because it repeats the frame before it with the same positions; further copies are skipped silently" % where, file=sys.stderr)
                told = True
                continue
            elif not self.follows(time, step):
                said, why, soon = self.cause(number, time, step)
                if not soon or next(frames, None) is not None:
                    raise Error("%s%s: %s" % (where, said, why))
                print("mbf: warning: %s%s: the last frame breaks the regular interval and was skipped" % (where, said), file=sys.stderr)
                return
            if self.n > 0 and self.steps:
                gap = self.steps_to(step)
                self.gap, self.step = gap if self.n == 1 else self.gap, self.step + gap
            self.time, self.positions = time, positions
            self.n += 1
            yield (number, positions, *rest)

    def repeats(self, time, step):
        return (self.timed or self.steps) and (not self.timed or time == self.time) and (not self.steps or self.steps_to(step) == 0)

    # ---- finding the stride before frames are passed on

    def settle(self, last):
        """Returns True if the stride is known. If last is True, no more frames will be read ahead."""
        if self.settled or self.n < 2:
            self.settled = self.settled or last
            return self.settled
        lo, hi = wide = self.strides()
        gap, s0, t = self.gap if self.steps else 1, float(self.first_step), self.t[0]
        if self.steps and s0 > 0 and t > 0:  # each time is its step times the time step, as in a run that started at 0
            off = self.off(np.array(t))
            fine = max(lo, (t - off) / s0 * gap), min(hi, (t + off) / s0 * gap)
            lo, hi = fine if fine[0] <= fine[1] else wide
        dt, digits = few_digits(lo, hi)
        step, fewer = few_digits(lo / gap, hi / gap)
        if gap > 1 and fewer < digits:
            dt, digits = few_digits(step * gap * (1 - 1e-15), step * gap * (1 + 1e-15))[0], fewer
        width = (hi - lo) / dt if dt > 0 else np.inf
        clear = dt > 0 and unique(lo, hi, dt, digits + 1)
        known = dt > 0 and ((last or width <= DETERMINED) if clear else width <= EXACT or last and (
            width <= DETERMINED or width <= NEARLY and digits <= 2 and unique(lo, hi, dt, digits)))
        if not last and (self.n < 3 or not known or wide[1] - max(wide[0], 0.0) > COARSE * dt):
            return False
        if not known:
            raise Error("%s: the times are rounded to %.2g ps: the first %d frames may be %.4g to %.4g ps apart "
                        "(give the time between frames with --dt PS)" % (self.where, 2 * self.off(np.array(self.t[-1])), self.n, max(lo, 0.0), hi))
        if not clear and digits > 2:  # if the number has many digits, the middle of the range is best
            middle, part = 0.5 * (lo + hi), 0.05 * (hi - lo)
            dt = few_digits(middle - part, middle + part)[0]
        self.dt, self.slack, self.settled = dt, 0.0 if clear else 0.5 * (hi - lo), True  # slack: the largest possible error of dt
        self.begins(s0 / gap * dt if self.steps else np.nan)
        return True

    def begins(self, by_step):
        """Sets t0 to a value for which the times agree with the stride."""
        t = np.array(self.t)
        off, n = self.off(t), np.arange(len(t))
        lo, hi = (t - off - n * self.dt).max(), (t + off - n * self.dt).min()
        if lo > hi:  # the stride is at the edge of the possible range
            lo = hi = 0.5 * (lo + hi)
        self.t0 = few_digits(by_step * (1 - 1e-15), by_step * (1 + 1e-15))[0] if self.f32 and lo <= by_step <= hi else few_digits(lo, hi)[0]

    def __call__(self, frames):
        """Yields the frames as (number, time, positions, ...). self.dt is set before the first frame is yielded."""
        frames, ahead = self.on(frames), []
        for frame in frames:
            ahead.append(frame)
            if self.settle(len(ahead) == STAMPS_MAX):
                break
        self.settle(True)
        for k, (number, *rest) in enumerate(itertools.chain(emptied(ahead), frames)):
            yield (number, self.t0 + (k * self.dt if k and self.dt else 0.0), *rest)
