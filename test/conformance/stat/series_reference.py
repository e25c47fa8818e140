"""Summaries and time series at the precision of mpmath, from their definitions."""

import itertools
import math

import mpmath as mp


def mean(x: list):
    return mp.fsum(x) / len(x)


def squares(x: list):
    m = mean(x)
    return mp.fsum((v - m) ** 2 for v in x)


def t_tail(t, df):
    return mp.betainc(mp.mpf(df) / 2, mp.mpf(1) / 2, 0, df / (df + t * t), regularized=True)


def f_tail(f, d1, d2):
    return mp.betainc(mp.mpf(d2) / 2, mp.mpf(d1) / 2, 0, mp.mpf(d2) / (d2 + d1 * f), regularized=True)


def chi_tail(x, df):
    return mp.gammainc(mp.mpf(df) / 2, x / 2, mp.inf, regularized=True)


def z_quantile(tail):
    return mp.sqrt(2) * mp.erfinv(1 - 2 * tail)


def t_quantile(tail, df):
    low, high = mp.mpf(0), mp.mpf(1)
    while t_tail(high, df) > 2 * tail:
        high *= 2
    for _ in range(60):
        mid = (low + high) / 2
        low, high = (mid, high) if t_tail(mid, df) > 2 * tail else (low, mid)
    return (low + high) / 2


def moments(x: list) -> dict:
    n, m = len(x), mean(x)
    m2 = squares(x) / n
    g1 = mp.fsum((v - m) ** 3 for v in x) / n / m2 ** mp.mpf(1.5)
    g2 = mp.fsum((v - m) ** 4 for v in x) / n / m2**2 - 3
    return {
        "mean": m,
        "sd": mp.sqrt(m2 * n / (n - 1)),
        "skewness": g1 * mp.sqrt(n * (n - 1)) / (n - 2),
        "kurtosis": mp.mpf(n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * g2 + 6),
    }


def quantile(ordered: list, share: float):
    at = mp.mpf(share) * (len(ordered) - 1)
    k = min(int(at), len(ordered) - 2)
    return ordered[k] + (at - k) * (ordered[k + 1] - ordered[k])


def bins(ordered: list) -> int:
    n = len(ordered)
    width = 2 * (quantile(ordered, 0.75) - quantile(ordered, 0.25)) / mp.cbrt(n)
    if width > 0:
        return min(60, max(1, math.ceil((ordered[-1] - ordered[0]) / width)))
    return min(60, math.ceil(math.log2(n)) + 1)


def pearson(x: list, y: list, bonett: bool = False) -> dict:
    n, mx, my = len(x), mean(x), mean(y)
    xy = mp.fsum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    r = xy / mp.sqrt(squares(x) * squares(y))
    if abs(r) >= 1 - mp.mpf(10) ** -40:
        return {"r": r}
    t = r * mp.sqrt((n - 2) / (1 - r * r))
    half = z_quantile(mp.mpf("0.025")) * mp.sqrt((1 + r * r / 2 if bonett else 1) / mp.mpf(n - 3))
    return {
        "r": r,
        "p": t_tail(t, n - 2),
        "low": mp.tanh(mp.atanh(r) - half),
        "high": mp.tanh(mp.atanh(r) + half),
    }


def ranks(x: list) -> list:
    return [mp.mpf(sum(v < w for v in x)) + mp.mpf(sum(v == w for v in x) + 1) / 2 for w in x]


def detrended(t: list, x: list, how: str) -> list:
    if how == "none":
        return x
    if how == "mean":
        m = mean(x)
        return [v - m for v in x]
    mt, mx = mean(t), mean(x)
    slope = mp.fsum((a - mt) * (v - mx) for a, v in zip(t, x, strict=True)) / squares(t)
    return [v - mx - slope * (a - mt) for a, v in zip(t, x, strict=True)]


def line(t: list, x: list, lags: int) -> dict:
    n, mt, mx, tt = len(x), mean(t), mean(x), squares(t)
    slope = mp.fsum((a - mt) * (v - mx) for a, v in zip(t, x, strict=True)) / tt
    e = detrended(t, x, "linear")
    s = [(a - mt) * v for a, v in zip(t, e, strict=True)]
    meat = mp.fsum(v * v for v in s)
    for k in range(1, lags + 1):
        meat += 2 * (1 - mp.mpf(k) / (lags + 1)) * mp.fsum(s[i] * s[i + k] for i in range(n - k))
    se = mp.sqrt(meat) / tt
    r2 = 1 - mp.fsum(v * v for v in e) / squares(x)
    return {"slope": slope, "se": se, "p": t_tail(slope / se, n - 2), "r2": r2}


def mann_kendall(t: list, x: list) -> dict:
    n = len(x)
    s = sum((x[j] > x[i]) - (x[j] < x[i]) for i in range(n) for j in range(i + 1, n))
    sizes = [x.count(v) for v in set(x)]
    variance = mp.mpf(n * (n - 1) * (2 * n + 5) - sum(k * (k - 1) * (2 * k + 5) for k in sizes)) / 18
    z = (s - (s > 0) + (s < 0)) / mp.sqrt(variance)
    pairs, tied = n * (n - 1) // 2, sum(k * (k - 1) // 2 for k in sizes)
    slopes = sorted((x[j] - x[i]) / (t[j] - t[i]) for i in range(n) for j in range(i + 1, n))
    half = z_quantile(mp.mpf("0.025")) * mp.sqrt(variance)
    low, high = int(mp.nint((pairs - half) / 2)), int(mp.nint((pairs + half) / 2)) + 1
    middle = (slopes[(pairs - 1) // 2] + slopes[pairs // 2]) / 2
    return {
        "s": s,
        "variance": variance,
        "p": mp.erfc(abs(z) / mp.sqrt(2)),
        "tau": s / mp.sqrt(mp.mpf(pairs) * (pairs - tied)),
        "sen": middle,
        "low": slopes[low - 1],
        "high": slopes[high - 1],
    }


def autocorrelation(x: list, lags: int) -> list:
    m, total = mean(x), squares(x)
    return [
        mp.fsum((x[i] - m) * (x[i + k] - m) for i in range(len(x) - k)) / total for k in range(1, lags + 1)
    ]


def partial(r: list) -> list:
    """Each the last coefficient of the Yule-Walker equations, solved anew."""
    full, out = [mp.mpf(1), *r], []
    for k in range(1, len(r) + 1):
        matrix = mp.matrix(k, k)
        for i in range(k):
            for j in range(k):
                matrix[i, j] = full[abs(i - j)]
        out.append(mp.lu_solve(matrix, mp.matrix(full[1 : k + 1]))[k - 1])
    return out


def density(x: list, total, step) -> tuple[list, list]:
    n = len(x)
    wave = [mp.expjpi(-mp.mpf(2 * k) / n) for k in range(n)]
    power = []
    for k in range(n // 2 + 1):
        a = abs(mp.fsum(v * wave[i * k % n] for i, v in enumerate(x))) ** 2
        power.append(a / total * step * (1 if k == 0 or 2 * k == n else 2))
    return [mp.mpf(k) / n / step for k in range(n // 2 + 1)], power


def periodogram(x: list, step) -> tuple[list, list]:
    return density(x, len(x), step)


def welch(x: list, size: int, step) -> tuple[list, list]:
    window = [(1 - mp.cospi(mp.mpf(2 * i) / size)) / 2 for i in range(size)]
    total, parts = mp.fsum(w * w for w in window), []
    for low in range(0, len(x) - size + 1, size - size // 2):
        m = mean(x[low : low + size])
        frequency, power = density(
            [(v - m) * w for v, w in zip(x[low : low + size], window, strict=True)], total, step
        )
        parts.append(power)
    return frequency, [mp.fsum(p[k] for p in parts) / len(parts) for k in range(len(frequency))]


def fisher(g, m: int):
    terms = [
        (-1) ** (j - 1) * mp.binomial(m, j) * (1 - j * g) ** (m - 1) for j in range(1, m + 1) if j * g < 1
    ]
    return mp.fsum(terms)


def red_alarm(inner: list, at: int, n: int, r1):
    r1 = max(mp.mpf(0), min(mp.mpf("0.999"), r1))
    shape = [
        (1 - r1**2) / (1 + r1**2 - 2 * r1 * mp.cospi(mp.mpf(2 * k) / n)) for k in range(1, len(inner) + 1)
    ]
    level = shape[at - 1] * mp.fsum(inner) / mp.fsum(shape)
    return 1 - (1 - mp.exp(-inner[at - 1] / level)) ** len(inner)


def phases(x: list, period: int) -> dict:
    groups = [x[p::period] for p in range(period)]
    grand, k, n = mean(x), period, len(x)
    between = mp.fsum(len(g) * (mean(g) - grand) ** 2 for g in groups)
    within = mp.fsum(squares(g) for g in groups)
    f = between / (k - 1) / (within / (n - k))
    return {"eta": between / (between + within), "f": f, "p": f_tail(f, k - 1, n - k)}


def sine_share(t: list, x: list, frequency):
    """The share of the variance of a fit of a constant, a cosine and a sine."""
    rows = [[mp.mpf(1), mp.cos(2 * mp.pi * frequency * a), mp.sin(2 * mp.pi * frequency * a)] for a in t]
    design = mp.matrix(rows)
    beta = mp.lu_solve(design.T * design, design.T * mp.matrix(x))
    rest = mp.fsum(
        (v - mp.fsum(b * r for b, r in zip(beta, row, strict=True))) ** 2
        for v, row in zip(x, rows, strict=True)
    )
    return 1 - rest / squares(x)


def median(x: list):
    s = sorted(x)
    return (s[(len(s) - 1) // 2] + s[len(s) // 2]) / 2


def noise(x: list):
    steps = [b - a for a, b in itertools.pairwise(x)]
    m = median(steps)
    mad = median([abs(v - m) for v in steps])
    if mad > 0:
        return mad / (mp.sqrt(2) * mp.erfinv(mp.mpf("0.5"))) / mp.sqrt(2)
    return mp.sqrt(squares(steps) / (len(steps) - 1)) / mp.sqrt(2)


def partition(x: list, least: int, penalty) -> tuple[list[int], mp.mpf]:
    """The cheapest of all partitions, by dynamic programming without pruning."""
    n = len(x)
    first, second = [mp.mpf(0)], [mp.mpf(0)]
    for v in x:
        first.append(first[-1] + v)
        second.append(second[-1] + v * v)
    best, last = [mp.inf] * (n + 1), [0] * (n + 1)
    best[0] = -penalty
    for end in range(least, n + 1):
        for start in range(0, end - least + 1):
            if best[start] == mp.inf:
                continue
            spread = second[end] - second[start] - (first[end] - first[start]) ** 2 / (end - start)
            if best[start] + spread + penalty < best[end]:
                best[end], last[end] = best[start] + spread + penalty, start
    ends, at = [], n
    while at > 0:
        ends.append(at)
        at = last[at]
    return ends[::-1], best[n]
