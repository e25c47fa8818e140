"""Holds the statistical tools against mpmath (50 digits), statsmodels and SciPy.

usage: compare.py URL [DATASETS]

Random tables are sent as captures, and every figure of the answers is held
against the same figure computed from the same decimals. Linear models and their
tails must agree to 1e-12 with mpmath, diagnostics to 1e-7 with statsmodels,
whose float64 arithmetic is the limit there.
"""

import json
import random
import sys
import urllib.request
import uuid

import mpmath as mp
import numpy as np
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.diagnostic import het_breuschpagan, linear_reset
from statsmodels.stats.outliers_influence import variance_inflation_factor
from statsmodels.stats.stattools import durbin_watson, jarque_bera

mp.mp.dps = 50
URL, DATASETS = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60
worst: dict[str, float] = {}
counts: dict[str, int] = {}
failed: list[str] = []


def post(path: str, body: bytes, kind: str) -> dict:
    request = urllib.request.Request(URL + path, body, {"Content-Type": kind})
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


def capture(header: list[str], rows: list[list[str]]) -> str:
    name = "c" + uuid.uuid4().hex
    table = "\n".join(",".join(r) for r in [header, *rows]) + "\n"
    parts = f'--b\r\nContent-Disposition: form-data; name="capture_id"\r\n\r\n{name}\r\n'
    parts += (
        f'--b\r\nContent-Disposition: form-data; name="file"; filename="t.csv"\r\n\r\n{table}\r\n--b--\r\n'
    )
    post("/v1/captures", parts.encode(), "multipart/form-data; boundary=b")
    return name


def invoke(tool: str, version: str, capture_id: str, arguments: dict) -> dict:
    body = {
        "tool_name": tool,
        "tool_version": version,
        "capture_selection": {"capture_id": capture_id, "selectors": {}},
        "arguments": arguments,
        "request_id": uuid.uuid4().hex,
        "timeout_ms": 60000,
    }
    answer = post("/v1/invocations", json.dumps(body).encode(), "application/json")
    if answer["status"] == "error":
        raise SystemExit(f"{tool}: {answer['errors']}")
    return answer["structured_output"]


def agree(figure: str, got: float | None, want, limit: float) -> None:
    counts[figure] = counts.get(figure, 0) + 1
    want = mp.mpf(want)
    if got is None:
        failed.append(f"{figure}: null, not {want}")
        return
    if max(got, want) < 1e-300 and "p" in figure.split() and want > 0:
        return  # a float64 holds fewer digits there, then none
    error = float(abs(mp.mpf(got) - want) / abs(want)) if want != 0 else abs(got)
    worst[figure] = max(worst.get(figure, 0.0), error)
    if error > limit:
        failed.append(f"{figure}: {got!r} is not {mp.nstr(want, 17)} ({error:.1e})")


def t_tail(t, df):
    x = df / (df + t * t)
    return mp.betainc(mp.mpf(df) / 2, mp.mpf(1) / 2, 0, x, regularized=True)


def f_tail(f, d1, d2):
    x = mp.mpf(d2) / (d2 + d1 * f)
    return mp.betainc(mp.mpf(d2) / 2, mp.mpf(d1) / 2, 0, x, regularized=True)


def decimal(x: float, digits: int) -> str:
    return f"{x:.{digits}g}"


def linear(rng: random.Random) -> None:
    """One random table: features of different size and offset, correlated."""
    n, k = rng.randint(8, 300), rng.randint(1, 5)
    weighted, intercept = rng.random() < 0.3, rng.random() < 0.85
    if n < k + 5:
        n = k + 5
    offset, scale = 10.0 ** rng.randint(-3, 6), 10.0 ** rng.randint(-3, 3)
    x = [[offset + scale * rng.gauss(0, 1) for _ in range(k)] for _ in range(n)]
    if k > 1 and rng.random() < 0.4:
        for row in x:
            row[1] = row[0] + 1e-3 * scale * rng.gauss(0, 1)
    signal = rng.choice([0, 1e-2, 0.1, 0.3, 1, 3, 10]) / k
    y = [3 + sum((j + 1) * signal * v for j, v in enumerate(row)) + scale * rng.gauss(0, 1) for row in x]
    w = [rng.uniform(0.1, 3) for _ in range(n)] if weighted else None
    names = [f"x{j}" for j in range(k)]
    rows = [[decimal(v, 12) for v in row] + [decimal(yi, 12)] for row, yi in zip(x, y, strict=True)]
    if w:
        for row, wi in zip(rows, w, strict=True):
            row.append(decimal(wi, 6))
    arguments = {"operation": "linear_regression", "target": "y", "features": names, "intercept": intercept}
    if w:
        arguments["weights"] = "w"
    arguments["covariance"] = rng.choice(["classical", "HC0", "HC1", "HC2", "HC3"])
    name = capture([*names, "y"] + (["w"] if w else []), rows)
    out = invoke("statistical_regression_tool", "1.2.0", name, arguments)
    exact(out, rows, names, intercept, bool(w))
    floats(out, rows, names, intercept, bool(w))


def exact(out: dict, rows: list[list[str]], names: list[str], intercept: bool, weighted: bool) -> None:
    k, n = len(names), len(rows)
    design = mp.matrix([([mp.mpf(1)] if intercept else []) + [mp.mpf(v) for v in r[:k]] for r in rows])
    y = mp.matrix([mp.mpf(r[k]) for r in rows])
    w = [mp.mpf(r[k + 1]) if weighted else mp.mpf(1) for r in rows]
    p = design.cols
    gram = mp.matrix(p, p)
    right = mp.matrix(p, 1)
    for i in range(n):
        for a in range(p):
            right[a] += w[i] * design[i, a] * y[i]
            for b in range(p):
                gram[a, b] += w[i] * design[i, a] * design[i, b]
    inverse = gram**-1
    beta = inverse * right
    e = [y[i] - sum(design[i, a] * beta[a] for a in range(p)) for i in range(n)]
    rss = sum(w[i] * e[i] ** 2 for i in range(n))
    centre = sum(w[i] * y[i] for i in range(n)) / sum(w) if intercept else 0
    sst = sum(w[i] * (y[i] - centre) ** 2 for i in range(n))
    df, model = n - p, p - (1 if intercept else 0)
    terms = (["intercept"] if intercept else []) + names
    errors = [mp.sqrt(rss / df * inverse[a, a]) for a in range(p)]
    if out["covariance"] != "classical":
        errors = robust(design, e, w, inverse, out["covariance"])
    for a, term in enumerate(terms):
        se = errors[a]
        t = beta[a] / se
        agree("coefficient", out["coefficients"][term], beta[a], 1e-12)
        agree("standard error " + out["covariance"], out["standard_errors"][term], se, 1e-12)
        agree("t", out["t_values"][term], t, 1e-12)
        if term != "intercept":
            agree("p of t", out["p_values"][term], t_tail(t, df), 1e-12)
    agree("R squared", out["r_squared"], 1 - rss / sst, 1e-12)
    f = (sst - rss) / model / (rss / df)
    agree("F", out["f_test"]["statistic"], f, 1e-12)
    agree("p of F", out["f_test"]["p_value"], f_tail(f, model, df), 1e-12)
    agree("residual sd", out["residual_standard_deviation"], mp.sqrt(rss / df), 1e-12)
    if intercept:
        agree("adjusted R squared", out["adjusted_r_squared"], 1 - (rss / df) / (sst / (n - 1)), 1e-11)
    if intercept and not weighted:
        influence(out, design, y, e, inverse, names)
    for term, se in zip(terms, robust(design, e, w, inverse, "HC3"), strict=True):
        agree("HC3 error", out["hc3_standard_errors"][term], se, 1e-12)


def influence(out, design, y, e, inverse, names) -> None:
    n, p = design.rows, design.cols
    rss = mp.fsum(v**2 for v in e)
    h = [
        sum(design[i, a] * inverse[a, b] * design[i, b] for a in range(p) for b in range(p)) for i in range(n)
    ]
    cook = [e[i] ** 2 * h[i] / (p * rss / (n - p) * (1 - h[i]) ** 2) for i in range(n)]
    worst_rows = [point["row"] - 1 for point in out["influential"]]
    if worst_rows != sorted(range(n), key=cook.__getitem__, reverse=True)[:5]:
        failed.append("another five observations have the largest Cook's distance")
    for point, i in zip(out["influential"], worst_rows, strict=True):
        t = e[i] / mp.sqrt((rss - e[i] ** 2 / (1 - h[i])) / (n - p - 1) * (1 - h[i]))
        agree("Cook", point["cook_distance"], cook[i], 1e-12)
        agree("leverage", point["leverage"], h[i], 1e-12)
        agree("residual", point["residual"], e[i], 1e-12)
        agree("studentized", point["studentized_residual"], t, 1e-12)
        agree("DFFITS", point["dffits"], t * mp.sqrt(h[i] / (1 - h[i])), 1e-12)
    keep = [i for i in range(n) if i not in worst_rows]
    if len(keep) <= p:
        return
    x = mp.matrix([[design[i, a] for a in range(p)] for i in keep])
    beta = (x.T * x) ** -1 * (x.T * mp.matrix([y[i] for i in keep]))
    for a, term in enumerate(["intercept", *names]):
        agree("without the worst", out["coefficients_without_influential"][term], beta[a], 1e-9)


def robust(design, e, w, inverse, kind: str) -> list:
    n, p = design.rows, design.cols
    meat = mp.matrix(p, p)
    for i in range(n):
        h = w[i] * sum(design[i, a] * inverse[a, b] * design[i, b] for a in range(p) for b in range(p))
        share = w[i] ** 2 * e[i] ** 2
        share *= {"HC0": 1, "HC1": mp.mpf(n) / (n - p), "HC2": 1 / (1 - h), "HC3": 1 / (1 - h) ** 2}[kind]
        for a in range(p):
            for b in range(p):
                meat[a, b] += share * design[i, a] * design[i, b]
    cov = inverse * meat * inverse
    return [mp.sqrt(cov[a, a]) for a in range(p)]


def floats(out: dict, rows: list[list[str]], names: list[str], intercept: bool, weighted: bool) -> None:
    """What only statsmodels has, on centred data so that float64 suffices there."""
    if weighted or not intercept or out["condition_number"] > 1e4:
        return
    k = len(names)
    table = np.array([[float(v) for v in r] for r in rows])
    x, y = table[:, :k], table[:, k]
    z = (x - x.mean(0)) / x.std(0)
    design = sm.add_constant(z)
    fit = sm.OLS(y - y.mean(), design).fit(method="qr")
    checks = {c["name"]: c for c in out["checks"]}
    agree("Durbin-Watson", checks["durbin_watson"]["statistic"], durbin_watson(fit.resid), 1e-7)
    jb = jarque_bera(fit.resid)
    agree("Jarque-Bera", checks["jarque_bera"]["statistic"], jb[0], 1e-6)
    agree("p of JB", checks["jarque_bera"]["p_value"], jb[1], 1e-6)
    bp = het_breuschpagan(fit.resid, design)
    agree("Breusch-Pagan", checks["breusch_pagan"]["statistic"], bp[0], 1e-6)
    agree("p of BP", checks["breusch_pagan"]["p_value"], bp[1], 1e-6)
    if checks["reset"]["statistic"] is not None:
        # Powers of the centred and scaled fitted values span the same columns
        # and keep statsmodels' own arithmetic from losing the digits.
        scaled = sm.OLS((y - y.mean()) / fit.fittedvalues.std(), design).fit(method="qr")
        reset = linear_reset(scaled, power=3, use_f=True)
        agree("RESET", checks["reset"]["statistic"], float(reset.statistic), 1e-4)
        agree("p of RESET", checks["reset"]["p_value"], float(reset.pvalue), 1e-4)
    agree("AIC", out["aic"], fit.aic, 1e-9)
    agree("BIC", out["bic"], fit.bic, 1e-9)
    for j, term in enumerate(names):
        if k > 1:
            agree("VIF", out["vif"][term], variance_inflation_factor(design, j + 1), 1e-6)


def mean(v):
    return mp.fsum(v) / len(v)


def square(v):
    m = mean(v)
    return mp.fsum((x - m) ** 2 for x in v)


def groups(rng: random.Random) -> None:
    """One random table of groups: analysis of variance, t tests, a summary."""
    k, offset = rng.randint(2, 6), 10.0 ** rng.randint(-2, 9)
    sizes = [rng.randint(3, 60) for _ in range(k)]
    spread = [rng.uniform(0.5, 2) for _ in range(k)]
    shift = rng.choice([0, 0.3, 2, 30])
    rows = [
        [f"g{i}", f"{offset + shift * i + spread[i] * rng.gauss(0, 1):.14g}"]
        for i in range(k)
        for _ in range(sizes[i])
    ]
    rng.shuffle(rows)
    name = capture(["g", "y"], rows)
    data = [[mp.mpf(v) for g, v in rows if g == f"g{i}"] for i in range(k)]
    out = invoke("anova_tool", "1.0.0", name, {"operation": "one_way", "response": "y", "factor": "g"})
    anova(out, data)
    arguments = {"operation": "linear_regression", "target": "y", "features": ["g"]}
    fit = invoke("statistical_regression_tool", "1.2.0", name, arguments)
    agree("levels: F is ANOVA's", fit["f_test"]["statistic"], out["f_statistic"], 1e-14)
    for i in range(1, k):
        agree("levels: coefficient", fit["coefficients"][f"g[g{i}]"], mean(data[i]) - mean(data[0]), 1e-14)
    summary(invoke("summary_stats_tool", "1.0.0", name, {"columns": ["y"], "group_by": "g"}), data)
    if k == 2:
        out = invoke("t_test_tool", "1.0.0", name, {"operation": "two_sample", "column": "y", "factor": "g"})
        welch(out, *data, "t test")
        pooled = mp.sqrt((square(data[0]) + square(data[1])) / (sum(sizes) - 2))
        t = (mean(data[0]) - mean(data[1])) / pooled / mp.sqrt(mp.mpf(1) / sizes[0] + mp.mpf(1) / sizes[1])
        agree("t test: Student", out["student"]["t"], t, 1e-12)
        agree("t test: p of Student", out["student"]["p_value"], t_tail(t, sum(sizes) - 2), 1e-12)
    value = float(f"{offset:.6g}")
    out = invoke("t_test_tool", "1.0.0", name, {"operation": "one_sample", "column": "y", "value": value})
    every = [v for g in data for v in g]
    t = (mean(every) - mp.mpf(value)) / mp.sqrt(square(every) / (len(every) - 1) / len(every))
    agree("t test: one sample", out["t"], t, 1e-12)
    agree("t test: p of one sample", out["p_value"], t_tail(t, len(every) - 1), 1e-12)


def welch(out: dict, a: list, b: list, what: str) -> None:
    va, vb = square(a) / (len(a) - 1) / len(a), square(b) / (len(b) - 1) / len(b)
    t = (mean(a) - mean(b)) / mp.sqrt(va + vb)
    df = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    agree(what + ": Welch t", out["t"], t, 1e-12)
    agree(what + ": Welch df", out["df"], df, 1e-12)
    agree(what + ": p of Welch", out["p_value"], t_tail(t, df), 1e-12)
    m = len(a) + len(b) - 2
    g = (mean(a) - mean(b)) / mp.sqrt((square(a) + square(b)) / m)
    g *= mp.gamma(mp.mpf(m) / 2) / mp.gamma(mp.mpf(m - 1) / 2) / mp.sqrt(mp.mpf(m) / 2)
    agree(what + ": Hedges g", out["hedges_g"], g, 1e-12)
    if "low" in out:
        t975 = stats.t.ppf(0.975, float(df))
        half = mp.mpf(t975) * mp.sqrt(va + vb)
        agree(what + ": half width", (out["high"] - out["low"]) / 2, half, 1e-6)


def anova(out: dict, data: list[list]) -> None:
    n, k = sum(map(len, data)), len(data)
    grand = mean([v for g in data for v in g])
    between = mp.fsum(len(g) * (mean(g) - grand) ** 2 for g in data)
    within = mp.fsum(square(g) for g in data)
    f = between / (k - 1) / (within / (n - k))
    agree("ANOVA: F", out["f_statistic"], f, 1e-12)
    agree("ANOVA: p", out["p_value"], f_tail(f, k - 1, n - k), 1e-12)
    agree("ANOVA: between", out["between"]["sum_of_squares"], between, 1e-12)
    agree("ANOVA: within", out["within"]["sum_of_squares"], within, 1e-12)
    agree("ANOVA: eta squared", out["eta_squared"], between / (between + within), 1e-12)
    ms = within / (n - k)
    agree(
        "ANOVA: omega squared",
        out["omega_squared"],
        (between - (k - 1) * ms) / (between + within + ms),
        1e-12,
    )
    w = [len(g) * (len(g) - 1) / square(g) for g in data]
    centre = sum(wi * mean(g) for wi, g in zip(w, data, strict=True)) / sum(w)
    h = sum((1 - wi / sum(w)) ** 2 / (len(g) - 1) for wi, g in zip(w, data, strict=True))
    top = sum(wi * (mean(g) - centre) ** 2 for wi, g in zip(w, data, strict=True)) / (k - 1)
    fw = top / (1 + mp.mpf(2) * (k - 2) / (k * k - 1) * h)
    df2 = mp.mpf(k * k - 1) / (3 * h)
    agree("ANOVA: Welch F", out["welch"]["statistic"], fw, 1e-12)
    agree("ANOVA: Welch df", out["welch"]["df2"], df2, 1e-12)
    agree("ANOVA: p of Welch", out["welch"]["p_value"], f_tail(fw, k - 1, df2), 1e-12)
    floats = [[float(v - grand) for v in g] for g in data]
    levene = stats.levene(*floats, center="median")
    agree("ANOVA: Levene", out["levene"]["statistic"], levene.statistic, 1e-9)
    agree("ANOVA: p of Levene", out["levene"]["p_value"], levene.pvalue, 1e-9)
    ps = []
    for p in out["pairwise"]:
        welch(p, data[int(p["a"][1:])], data[int(p["b"][1:])], "pairwise")
        ps.append(p["p_value"])
    order, most = sorted(range(len(ps)), key=ps.__getitem__), 0.0
    for rank, i in enumerate(order):
        most = max(most, min(1.0, ps[i] * (len(ps) - rank)))
        agree("pairwise: Holm", out["pairwise"][i]["p_value_holm"], most, 1e-12)


def summary(out: dict, data: list[list]) -> None:
    for g in out["groups"]:
        c, values = g["columns"][0], data[int(g["level"][1:])]
        agree("summary: mean", c["mean"], mean(values), 1e-15)
        agree("summary: sd", c["standard_deviation"], mp.sqrt(square(values) / (len(values) - 1)), 1e-15)
        n, m2 = len(values), square(values) / len(values)
        g1 = mp.fsum((v - mean(values)) ** 3 for v in values) / n / m2 ** mp.mpf(1.5)
        g2 = mp.fsum((v - mean(values)) ** 4 for v in values) / n / m2**2 - 3
        agree("summary: skewness", c["skewness"], g1 * mp.sqrt(n * (n - 1)) / (n - 2), 1e-11)
        if n > 3:
            agree(
                "summary: kurtosis",
                c["excess_kurtosis"],
                mp.mpf(n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * g2 + 6),
                1e-11,
            )
        ordered = [float(v) for v in values]
        for key, share in (("q1", 0.25), ("median", 0.5), ("q3", 0.75)):
            agree("summary: " + key, c[key], float(np.quantile(ordered, share)), 1e-14)
        t975 = stats.t.ppf(0.975, n - 1)
        agree(
            "summary: half width",
            (c["mean_high"] - c["mean_low"]) / 2,
            t975 * c["standard_deviation"] / n**0.5,
            1e-6,
        )


def main() -> None:
    rng = random.Random(20261121)
    for i in range(DATASETS):
        (groups if i % 3 == 2 else linear)(rng)
    print("figure                    largest relative difference")
    for figure, error in worst.items():
        print(f"{figure:25} {error:.1e}")
    for line in failed[:40]:
        print("FAILED", line)
    print(f"{DATASETS} tables, {len(worst)} kinds of figures, {len(failed)} disagreements")
    print(f"{sum(counts.values()) - len(failed)} passed, {len(failed)} failed, 0 skipped")
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
