"""Analysis of variance and tests in 50 digits: by other ways than the program's.

Models are dense least squares over every observation, repeated measures are the
textbook sums and regressions with a column for every subject, and distributions
are mpmath's own functions or sums of their terms.
"""

import itertools

import mpmath as mp

mp.mp.dps = 50


def mean(v):
    return mp.fsum(v) / len(v)


def square(v):
    m = mean(v)
    return mp.fsum((x - m) ** 2 for x in v)


def variance(v):
    return square(v) / (len(v) - 1)


def t_tail(t, df):
    return mp.betainc(mp.mpf(df) / 2, mp.mpf(1) / 2, 0, df / (df + t * t), regularized=True)


def one_sided(t, df):
    return t_tail(t, df) / 2 if t > 0 else 1 - t_tail(t, df) / 2


def welch(a, b):
    """Welch's t and its degrees of freedom."""
    va, vb = variance(a) / len(a), variance(b) / len(b)
    df = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    return (mean(a) - mean(b)) / mp.sqrt(va + vb), df


def f_tail(f, d1, d2):
    return mp.betainc(mp.mpf(d2) / 2, mp.mpf(d1) / 2, 0, mp.mpf(d2) / (d2 + d1 * f), regularized=True)


def chi_tail(x, df):
    return mp.gammainc(mp.mpf(df) / 2, x / 2, mp.inf, regularized=True)


def holm(ps):
    out, most = [None] * len(ps), mp.mpf(0)
    for rank, i in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        most = max(most, min(mp.mpf(1), ps[i] * (len(ps) - rank)))
        out[i] = most
    return out


def one_way(groups):
    """F and its sums, Welch's F, and the shares of the variance."""
    n, k = sum(map(len, groups)), len(groups)
    grand = mean([v for g in groups for v in g])
    between = mp.fsum(len(g) * (mean(g) - grand) ** 2 for g in groups)
    within = mp.fsum(square(g) for g in groups)
    ms = within / (n - k)
    f = between / (k - 1) / ms
    out = {
        "f": f,
        "df": k - 1,
        "dfe": n - k,
        "between": between,
        "within": within,
        "p": f_tail(f, k - 1, n - k),
    }
    out["eta"] = between / (between + within)
    out["omega"] = (between - (k - 1) * ms) / (between + within + ms)
    if all(len(g) > 1 and square(g) > 0 for g in groups):
        w = [len(g) / variance(g) for g in groups]
        centre = sum(wi * mean(g) for wi, g in zip(w, groups, strict=True)) / sum(w)
        h = sum((1 - wi / sum(w)) ** 2 / (len(g) - 1) for wi, g in zip(w, groups, strict=True))
        top = sum(wi * (mean(g) - centre) ** 2 for wi, g in zip(w, groups, strict=True)) / (k - 1)
        out["welch_f"] = top / (1 + mp.mpf(2) * (k - 2) / (k * k - 1) * h)
        out["welch_df"] = mp.mpf(k * k - 1) / (3 * h)
        out["welch_p"] = f_tail(out["welch_f"], k - 1, out["welch_df"])
    return out


def median(v):
    s, n = sorted(v), len(v)
    return s[n // 2] if n % 2 else (s[n // 2 - 1] + s[n // 2]) / 2


def levene(groups, centre):
    return one_way([[abs(v - centre(g)) for v in g] for g in groups])


def ranks(values):
    """Mid-ranks, by counting."""
    return [mp.mpf(sum(w < v for w in values) * 2 + sum(w == v for w in values) + 1) / 2 for v in values]


def kruskal(groups):
    """H by the rank sums, with the correction for ties, and Dunn's z of every pair."""
    every = [v for g in groups for v in g]
    r, n = ranks(every), len(every)
    ties = sum((t**3 - t) for t in (every.count(v) for v in set(every)))
    sums, at = [], 0
    for g in groups:
        sums.append(mp.fsum(r[at : at + len(g)]))
        at += len(g)
    h = mp.mpf(12) / (n * (n + 1)) * sum(s * s / len(g) for s, g in zip(sums, groups, strict=True)) - 3 * (
        n + 1
    )
    h /= 1 - mp.mpf(ties) / (n**3 - n)
    z = []
    for i, j in itertools.combinations(range(len(groups)), 2):
        v = mp.mpf(n * (n + 1)) / 12 - mp.mpf(ties) / (12 * (n - 1))
        v *= mp.mpf(1) / len(groups[i]) + mp.mpf(1) / len(groups[j])
        z.append((sums[i] / len(groups[i]) - sums[j] / len(groups[j])) / mp.sqrt(v))
    return h, chi_tail(h, len(groups) - 1), z


def solve_squares(gram, right, keep):
    """Squares that the columns keep take of the response."""
    a = mp.matrix([[gram[i, j] for j in keep] for i in keep])
    b = mp.matrix([right[i] for i in keep])
    return (mp.lu_solve(a, b).T * b)[0]


def products(columns, y):
    n = len(columns)
    gram, right = mp.matrix(n, n), mp.matrix(n, 1)
    for i in range(n):
        right[i] = mp.fdot(columns[i], y)
        for j in range(i, n):
            gram[i, j] = gram[j, i] = mp.fdot(columns[i], columns[j])
    return gram, right


def contrasts(level, levels, coding):
    if coding == "sum":
        return [1 if level == j else -1 if level == levels - 1 else 0 for j in range(levels - 1)]
    return [1 if level == j + 1 else 0 for j in range(levels - 1)]


def factorial(at, y, levels, kind):
    """The sums of squares of every term: treatment contrasts for the types I and
    II, sum contrasts for III; at[i] are the levels of observation i."""
    coding = "sum" if kind == "III" else "treatment"
    factors = len(levels)
    terms = [t for size in range(1, factors + 1) for t in itertools.combinations(range(factors), size)]
    centre = mean(y)
    response = [v - centre for v in y]
    columns, owner = [[1] * len(y)], [None]
    for term in terms:
        parts = []
        for where in at:
            row = [1]
            for f in term:
                row = [a * b for a in row for b in contrasts(where[f], levels[f], coding)]
            parts.append(row)
        for j in range(len(parts[0])):
            columns.append([row[j] for row in parts])
            owner.append(term)
    gram, right = products(columns, response)

    def model(of):
        return solve_squares(gram, right, [i for i, t in enumerate(owner) if t is None or t in of])

    total = mp.fsum(v * v for v in response)
    sse, dfe = total - model(terms), len(y) - len(columns)
    out = []
    for i, term in enumerate(terms):
        if kind == "I":
            before, after = terms[:i], terms[: i + 1]
        elif kind == "II":
            before = [t for t in terms if not set(term) <= set(t)]
            after = [*before, term]
        else:
            before, after = [t for t in terms if t != term], terms
        ss, df = model(after) - model(before), owner.count(term)
        f = ss / df / (sse / dfe)
        out.append(
            {"term": term, "ss": ss, "df": df, "f": f, "p": f_tail(f, df, dfe), "partial": ss / (ss + sse)}
        )
        out[-1]["eta"] = ss / total
        out[-1]["omega"] = (ss - df * sse / dfe) / (total + sse / dfe)
        out[-1]["partial omega"] = (ss - df * sse / dfe) / (ss + (len(y) - df) * sse / dfe)
    return out, sse, dfe, total


def repeated(rows, group):
    """Repeated measures rows[subject][level]: the effect and interaction within by
    regression on a column for every subject, the effect between of their means."""
    n, k, g = len(rows), len(rows[0]), max(group) + 1
    centre = mean([v for r in rows for v in r])
    y = [v - centre for r in rows for v in r]
    columns, owner = [], []
    for s in range(n):
        columns.append([1 if s == i // k else 0 for i in range(n * k)])
        owner.append("subject")
    for j in range(k - 1):
        columns.append([contrasts(i % k, k, "sum")[j] for i in range(n * k)])
        owner.append("within")
        for h in range(g - 1):
            columns.append(
                [contrasts(i % k, k, "sum")[j] * contrasts(group[i // k], g, "sum")[h] for i in range(n * k)]
            )
            owner.append("interaction")
    gram, right = products(columns, y)

    def model(*of):
        return solve_squares(gram, right, [i for i, t in enumerate(owner) if t in of])

    whole = model("subject", "within", "interaction")
    out = {"sse": mp.fsum(v * v for v in y) - whole, "dfe": (k - 1) * (n - g)}
    out["within"] = whole - model("subject", "interaction")
    out["interaction"] = whole - model("subject", "within")
    means = [[k * 0 + mean(r) for r, at in zip(rows, group, strict=True) if at == i] for i in range(g)]
    out["subjects"] = k * mp.fsum(square(m) for m in means)
    grand = mean([m for part in means for m in part])
    out["between"] = k * mp.fsum(len(m) * (mean(m) - grand) ** 2 for m in means)
    out.update(sphericity(rows, group))
    return out


def sphericity(rows, group):
    """Epsilon by the covariances of the levels (Box 1954), Mauchly's W by the
    eigenvalues of the centred covariances."""
    n, k, g = len(rows), len(rows[0]), max(group) + 1
    own = [[r for r, at in zip(rows, group, strict=True) if at == i] for i in range(g)]
    middle = [[mean([r[j] for r in part]) for j in range(k)] for part in own]
    s = mp.matrix(k, k)
    for i in range(k):
        for j in range(k):
            s[i, j] = mp.fsum(
                (r[i] - m[i]) * (r[j] - m[j]) for part, m in zip(own, middle, strict=True) for r in part
            ) / (n - g)
    row = [mp.fsum(s[i, j] for j in range(k)) / k for i in range(k)]
    grand = mean(row)
    diagonal = mp.fsum(s[i, i] for i in range(k)) / k
    squares = mp.fsum(s[i, j] ** 2 for i in range(k) for j in range(k))
    epsilon = k**2 * (diagonal - grand) ** 2
    epsilon /= (k - 1) * (squares - 2 * k * mp.fsum(r * r for r in row) + k**2 * grand**2)
    d, free = k - 1, n - g
    feldt = min(mp.mpf(1), ((free + 1) * d * epsilon - 2) / (d * (free - d * epsilon)))
    out = {"gg": epsilon, "hf": feldt}
    if d > 1 and free >= d:
        centred = mp.matrix(k, k)
        for i in range(k):
            for j in range(k):
                centred[i, j] = s[i, j] - row[i] - row[j] + grand
        values = sorted(mp.eigsy(centred, eigvals_only=True))[1:]
        w = mp.fprod(values) / mean(values) ** d
        rho = 1 - mp.mpf(2 * d * d + d + 2) / (6 * d * free)
        chi, f = -free * rho * mp.log(w), d * (d + 1) // 2 - 1
        second = mp.mpf((d + 2) * (d - 1) * (d - 2) * (2 * d**3 + 6 * d * d + 3 * d + 2)) / (
            288 * (free * d * rho) ** 2
        )
        p = chi_tail(chi, f) + second * (chi_tail(chi, f + 4) - chi_tail(chi, f))
        out.update(w=w, chi=chi, mauchly_p=max(mp.mpf(0), min(mp.mpf(1), p)))
    return out


def noncentral_f(f, d1, d2, noncentrality):
    """The probability below f, and its derivative by the noncentrality."""
    x = d1 * f / (d1 * f + d2)
    a, b, half = mp.mpf(d1) / 2, mp.mpf(d2) / 2, noncentrality / 2
    below = mp.betainc(a, b, 0, x, regularized=True)
    step = x**a * (1 - x) ** b / (a * mp.beta(a, b))
    weight, total, slope, j = mp.exp(-half), mp.mpf(0), mp.mpf(0), 0
    while j < half or weight > mp.mpf(10) ** -30:
        total += weight * below
        slope -= weight * step / 2
        below -= step
        step *= x * (a + j + b) / (a + j + 1)
        j += 1
        weight *= half / j
    return total, slope


def noncentral_t(t, df, delta):
    """The probability below t, and its derivative by the noncentrality."""
    df = mp.mpf(df)
    scale = 2 * (df / 2) ** (df / 2) / mp.gamma(df / 2)
    h = min(mp.mpf("0.05"), mp.mpf("0.3") / mp.sqrt(2 * df), mp.mpf("0.3") / (abs(t) + abs(delta) + 1))
    total, slope = mp.mpf(0), mp.mpf(0)
    for way in (1, -1):
        i = 0 if way == 1 else 1
        while True:
            u = way * i * h
            density = scale * mp.exp(df * u - df / 2 * mp.exp(2 * u))
            if density < mp.mpf(10) ** -22:
                break
            at = t * mp.exp(u) - delta
            total += density * mp.ncdf(at) * h
            slope -= density * mp.npdf(at) * h
            i += 1
    return total, slope


def refined(value, wanted, distribution):
    """One step of Newton from a noncentrality that is right to many digits."""
    below, slope = distribution(mp.mpf(value))
    return value - (below - wanted) / slope


def range_tail(q, k, df):
    """The tail of the studentized range by a double sum."""
    digits, mp.mp.dps = mp.mp.dps, 22
    try:
        q, df = mp.mpf(q), mp.mpf(df)
        scale = 2 * (df / 2) ** (df / 2) / mp.gamma(df / 2)
        start = -mp.log(1 + q * q / (2 * df)) / 2
        h = min(mp.mpf("0.07"), mp.mpf("0.4") / mp.sqrt(2 * df))
        total = mp.mpf(0)
        for way in (1, -1):
            i = 0 if way == 1 else 1
            while True:
                u = start + way * i * h
                term = scale * mp.exp(df * u - df / 2 * mp.exp(2 * u)) * known_range_tail(q * mp.exp(u), k)
                total += term * h
                i += 1
                if term < mp.mpf(10) ** -17 * total:
                    break
        return total
    finally:
        mp.mp.dps = digits


def known_range_tail(w, k):
    h, total = mp.mpf("0.2"), mp.mpf(0)
    for i in range(-45, 46):
        z = w / 2 + i * h
        upto, before = mp.ncdf(z), mp.ncdf(z - w)
        total += mp.npdf(z) * (upto ** (k - 1) - (upto - before) ** (k - 1))
    return k * h * total
