"""Holds anova_tool and t_test_tool against 50 digits, and peers beside them.
usage: anova.py URL [DATASETS]

Random tables of every kind go as captures through HTTP: one-way with ties and with
unequal variances, two and three factors balanced and not with sums of every type,
repeated measures with and without groups, t tests and tests by ranks. Every figure
is held against anova_reference.py, which goes other ways; the same figures of
statsmodels, SciPy and pingouin stand beside ours in the table, with the worst
relative difference of each.
"""

import math
import random
import sys
import time
import warnings

import mpmath as mp
import numpy as np
import pandas as pd
import pingouin as pg
import statsmodels.formula.api as smf
from anova_reference import (
    f_tail,
    factorial,
    holm,
    kruskal,
    levene,
    mean,
    median,
    one_sided,
    one_way,
    range_tail,
    ranks,
    repeated,
    square,
    t_tail,
    variance,
    welch,
)
from anova_table import VERSION, agree, ask, difference_interval, failed, report, share_interval, text
from compare import capture, invoke
from scipy import stats
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.oneway import anova_oneway

warnings.filterwarnings("ignore")
DATASETS = int(sys.argv[2]) if len(sys.argv) > 2 else 200
QUADRATURES = 12  # of the studentized range: each is a double sum in mpmath
quadratures = 0


def groups(rng: random.Random, number: int) -> None:
    k, offset = rng.randint(2, 5), 10.0 ** rng.randint(-2, 8)
    sizes = [rng.randint(3, 20) for _ in range(k)]
    ties, shift = rng.random() < 0.4, rng.choice([0, 0.3, 1, 5])
    spread = [rng.choice([1, 1, 3]) for _ in range(k)]
    rows = []
    for i in range(k):
        for _ in range(sizes[i]):
            v = shift * i + spread[i] * rng.gauss(0, 1)
            rows.append(
                [
                    f"g{i}",
                    f"{offset + v:.0f}"
                    if ties and offset > 1e3
                    else f"{offset + v:.10f}"
                    if not ties
                    else f"{v:.1f}",
                ]
            )
    data = [[mp.mpf(v) for g, v in rows if g == f"g{i}"] for i in range(k)]
    if any(square(g) == 0 for g in data):
        return
    rng.shuffle(rows)
    arguments = {"response": "y", "factor": "g", "plots": False}
    out = ask(["g", "y"], rows, "anova_tool", operation="one_way", **arguments)
    frame = pd.DataFrame({"g": [g for g, _ in rows], "y": [float(v) for _, v in rows]})
    floats = [[float(v) for v in g] for g in data]
    one = one_way(data)
    classical(out, one, frame, floats)
    unequal(out, ask(["g", "y"], rows, "anova_tool", operation="welch", **arguments), one, frame, floats)
    by_ranks(ask(["g", "y"], rows, "anova_tool", operation="kruskal_wallis", **arguments), data, floats)
    spreads(out, data, floats)
    families(out, data, frame, floats, number)
    pairwise(out, data, number)


def classical(out, one, frame, floats) -> None:
    scipy_f = stats.f_oneway(*floats)
    table = anova_lm(smf.ols("y ~ C(g)", frame).fit())
    ping = pg.anova(frame, dv="y", between="g", detailed=True)
    kind = "one-way: F, p, sums"
    agree(
        kind,
        "F",
        out["f_statistic"],
        one["f"],
        scipy=scipy_f.statistic,
        statsmodels=table["F"].iloc[0],
        pingouin=ping["F"].iloc[0],
    )
    agree(kind, "p", out["p_value"], one["p"], scipy=scipy_f.pvalue, statsmodels=table["PR(>F)"].iloc[0])
    agree(
        kind, "between", out["between"]["sum_of_squares"], one["between"], statsmodels=table["sum_sq"].iloc[0]
    )
    agree(kind, "within", out["within"]["sum_of_squares"], one["within"], statsmodels=table["sum_sq"].iloc[1])
    kind = "one-way: eta2, omega2"
    agree(kind, "eta", out["eta_squared"], one["eta"], pingouin=ping["np2"].iloc[0])
    agree(kind, "omega", out["omega_squared"], one["omega"])
    share_interval("one-way: interval of eta2", out["effect"], one["f"], one["df"], one["dfe"])


def unequal(out, asked, one, frame, floats) -> None:
    model = anova_oneway(floats, use_var="unequal", welch_correction=True)
    ping = pg.welch_anova(frame, dv="y", between="g")
    kind = "Welch's test"
    for answer in (out, asked):
        w = answer["welch"]
        agree(
            kind, "F", w["statistic"], one["welch_f"], statsmodels=model.statistic, pingouin=ping["F"].iloc[0]
        )
        agree(kind, "df", w["df2"], one["welch_df"], statsmodels=model.df_denom)
        agree(kind, "p", w["p_value"], one["welch_p"], statsmodels=model.pvalue)
    agree(kind, "quoted", asked["p_value"], one["welch_p"])


def by_ranks(out, data, floats) -> None:
    h, p, z = kruskal(data)
    kw = out["kruskal_wallis"]
    peer = stats.kruskal(*floats)
    n, k = sum(map(len, data)), len(data)
    agree("Kruskal-Wallis", "H", kw["h"], h, scipy=peer.statistic)
    agree("Kruskal-Wallis", "p", kw["p_value"], p, scipy=peer.pvalue)
    agree("Kruskal-Wallis", "epsilon squared", kw["epsilon_squared"], h / (n - 1))
    agree("Kruskal-Wallis", "eta squared", kw["eta_squared_h"], (h - k + 1) / (n - k))
    pairs = out["post_hoc"][0]["pairs"]
    adjusted = holm([mp.erfc(abs(v) / mp.sqrt(2)) for v in z])
    for got, v, a in zip(pairs, z, adjusted, strict=True):
        agree("Dunn with Holm", "z", got["statistic"], v)
        agree("Dunn with Holm", "p", got["p_value_adjusted"], a)


def spreads(out, data, floats) -> None:
    checks = {c["name"]: c for c in out["checks"]}
    for name, centre, middle in (("levene", "median", median), ("levene_mean", "mean", mean)):
        want = levene(data, middle)
        peer = stats.levene(*floats, center=centre)
        agree("Levene, Brown-Forsythe", name, checks[name]["statistic"], want["f"], scipy=peer.statistic)
        agree("Levene, Brown-Forsythe", "p", checks[name]["p_value"], want["p"], scipy=peer.pvalue)
    residuals = [float(v - mean(g)) for g in data for v in g]
    w, p = stats.shapiro(residuals)
    agree("Shapiro-Wilk (against SciPy)", "W", checks["shapiro_wilk"]["statistic"], w, 1e-6)
    agree("Shapiro-Wilk (against SciPy)", "p", checks["shapiro_wilk"]["p_value"], p, 1e-4)


def families(out, data, frame, floats, number) -> None:
    global quadratures
    tables = {f["method"]: f["pairs"] for f in out["post_hoc"]}
    k, n = len(data), sum(map(len, data))
    ms = mp.fsum(square(g) for g in data) / (n - k)
    scipy_tukey = stats.tukey_hsd(*floats)
    games = pg.pairwise_gameshowell(frame, dv="y", between="g")
    for at, (tukey, game) in enumerate(zip(tables["tukey_hsd"], tables["games_howell"], strict=True)):
        i, j = int(tukey["a"][1:]), int(tukey["b"][1:])
        a, b = data[i], data[j]
        q = abs(mean(a) - mean(b)) / mp.sqrt(ms / 2 * (mp.mpf(1) / len(a) + mp.mpf(1) / len(b)))
        agree("Tukey HSD", "q", tukey["statistic"], q)
        t, df = welch(a, b)
        qw = abs(t) * mp.sqrt(2)
        agree("Games-Howell", "q", game["statistic"], qw)
        agree("Games-Howell", "df", game["df"], df, pingouin=games["df"].iloc[at])
        if quadratures < QUADRATURES and number % 3 == 0 and at == 0:
            quadratures += 1
            peer = stats.studentized_range.sf(float(q), k, n - k)
            reach = (mp.mpf(tukey["high"]) - mp.mpf(tukey["low"])) / 2 * q / abs(mean(a) - mean(b))
            agree("Tukey HSD: interval by quadrature", "tail", range_tail(reach, k, n - k), 0.05, 1e-11)
            agree(
                "Tukey HSD: p by quadrature",
                "p",
                tukey["p_value_adjusted"],
                range_tail(q, k, n - k),
                scipy=peer,
            )
            agree(
                "Games-Howell: p by quadrature",
                "p",
                game["p_value_adjusted"],
                range_tail(qw, k, df),
                scipy=stats.studentized_range.sf(float(qw), k, float(df)),
                pingouin=games["pval"].iloc[at],
            )
        if at == 0 and tukey["p_value_adjusted"] > 1e-6:
            # SciPy's own error is the limit here.
            agree(
                "Tukey HSD: p against SciPy", "p", tukey["p_value_adjusted"], scipy_tukey.pvalue[i][j], 1e-6
            )


def pairwise(out, data, number) -> None:
    ps = []
    for at, pair in enumerate(out["pairwise"]):
        a, b = data[int(pair["a"][1:])], data[int(pair["b"][1:])]
        t, df = welch(a, b)
        ps.append(t_tail(t, df))
        agree("pairs: Welch", "t", pair["t"], t)
        agree("pairs: Welch", "p", pair["p_value"], ps[-1])
        if at == 0 and number % 3 == 0:
            hedges(pair, a, b)
    for pair, p in zip(out["pairwise"], holm(ps), strict=True):
        agree("pairs: Holm", "p", pair["p_value_holm"], p)
    for pair, p in zip(out["pairwise"], ps, strict=True):
        agree("pairs: Bonferroni", "p", pair["p_value_bonferroni"], min(mp.mpf(1), p * len(ps)))


def hedges(out, a, b) -> None:
    df = len(a) + len(b) - 2
    pooled = mp.sqrt((square(a) + square(b)) / df)
    unit = mp.sqrt(mp.mpf(1) / len(a) + mp.mpf(1) / len(b))
    d = (mean(a) - mean(b)) / pooled
    g = d * mp.gamma(mp.mpf(df) / 2) / mp.gamma(mp.mpf(df - 1) / 2) / mp.sqrt(mp.mpf(df) / 2)
    peer = pg.compute_effsize([float(v) for v in a], [float(v) for v in b], eftype="hedges")
    agree("Hedges g", "g", out["hedges_g"], g, pingouin=peer)
    difference_interval("Hedges g: interval", out, d / unit, df, unit)


def crossed(rng: random.Random, number: int) -> None:
    factors = 2 if number % 2 else 3
    levels = [rng.randint(2, 4 if factors == 2 else 3) for _ in range(factors)]
    balanced = rng.random() < 0.3
    each, offset = rng.randint(2, 4), 10.0 ** rng.randint(-2, 6)
    at, rows = [], []
    for cell in np.ndindex(*levels):
        for _ in range(each if balanced else rng.randint(1, 5)):
            y = offset + 0.3 * sum(cell) + 0.5 * cell[0] * cell[1] + rng.gauss(0, 1)
            at.append(cell)
            rows.append([*(f"{'abc'[f]}{level}" for f, level in enumerate(cell)), text(y, 13)])
    if len(rows) < math.prod(levels) + 2:
        return
    names = ["a", "b", "c"][:factors]
    y = [mp.mpf(r[-1]) for r in rows]
    name = capture([*names, "y"], rows)
    frame = pd.DataFrame([[*r[:-1], float(r[-1])] for r in rows], columns=[*names, "y"])
    for kind in ("I", "II", "III"):
        operation = "two_way" if factors == 2 else "n_way"
        arguments = {
            "operation": operation,
            "response": "y",
            "factors": names,
            "sum_type": kind,
            "plots": False,
        }
        out = invoke("anova_tool", VERSION, name, arguments)
        want, sse, _, _ = factorial(at, y, levels, kind)
        formula = "y ~ " + "*".join(f"C({n}, Sum)" for n in names)
        table = anova_lm(smf.ols(formula, frame).fit(), typ=len(kind))
        label = f"{factors} factors, type {kind}"
        agree(
            label, "error", out["within"]["sum_of_squares"], sse, statsmodels=table.loc["Residual", "sum_sq"]
        )
        for got, term in zip(out["terms"], want, strict=True):
            row = ":".join(f"C({names[f]}, Sum)" for f in term["term"])
            if got["name"] != ":".join(names[f] for f in term["term"]) or got["df"] != term["df"]:
                failed.append(f"{label}: {got['name']} stands where {row} should")
            agree(label, "sum", got["sum_of_squares"], term["ss"], statsmodels=table.loc[row, "sum_sq"])
            agree(label, "F", got["f_statistic"], term["f"], statsmodels=table.loc[row, "F"])
            agree(label, "p", got["p_value"], term["p"], statsmodels=table.loc[row, "PR(>F)"])
            for mine, key in (
                ("eta_squared", "eta"),
                ("partial_eta_squared", "partial"),
                ("omega_squared", "omega"),
                ("partial_omega_squared", "partial omega"),
            ):
                agree("factors: eta2, omega2", mine, got[mine], term[key])
            if len(term["term"]) == 1 and number % 4 == 0:
                share_interval("factors: interval of eta2", got, term["f"], term["df"], out["within"]["df"])
        if balanced and kind == "II" and factors == 2:
            ping = pg.anova(frame, dv="y", between=names, ss_type=2)
            for got, value in zip(out["terms"], ping["np2"], strict=False):
                agree(
                    "factors: eta2, omega2",
                    "partial",
                    got["partial_eta_squared"],
                    want[out["terms"].index(got)]["partial"],
                    pingouin=value,
                )


def within(rng: random.Random, number: int) -> None:
    parts = rng.choice([1, 1, 2, 3])
    k, sizes = rng.randint(2, 5), [rng.randint(4, 7) for _ in range(parts)]
    if rng.random() < 0.5:
        sizes = [sizes[0]] * parts
    offset = 10.0 ** rng.randint(-1, 6)
    values, group, rows = [], [], []
    for g, size in enumerate(sizes):
        for _ in range(size):
            base = rng.gauss(0, 2)
            row = [
                text(offset + base + 0.4 * j + 0.3 * g * j + (1 + j / 2) * rng.gauss(0, 1), 13)
                for j in range(k)
            ]
            rows += [[f"s{len(values):02}", f"g{g}", f"t{j}", v] for j, v in enumerate(row)]
            values.append([mp.mpf(v) for v in row])
            group.append(g)
    rng.shuffle(rows)
    arguments = {
        "operation": "repeated_measures",
        "response": "y",
        "factor": "t",
        "subject": "s",
        "plots": False,
    }
    if parts > 1:
        arguments["between"] = "g"
    out = ask(["s", "g", "t", "y"], rows, "anova_tool", **arguments)
    frame = pd.DataFrame(
        [[s, g, t, float(y)] for s, g, t, y in rows], columns=["s", "g", "t", "y"]
    ).sort_values(["s", "t"])
    terms = {t["name"]: t for t in out["terms"]}
    want, n = repeated(values, group), len(values)
    kind = "repeated measures" if parts == 1 else "repeated measures, groups"
    errors = want["subjects"] + want["sse"]
    peer = {}
    if parts == 1:
        table = pg.rm_anova(
            frame, dv="y", within="t", subject="s", correction=True, detailed=True, effsize="ng2"
        )
        peer = {
            "f": table["F"].iloc[0],
            "p": table["p_unc"].iloc[0],
            "gg p": table["p_GG_corr"].iloc[0] if k > 2 else None,
            "gg": table["eps"].iloc[0],
        }
        peer["ng2"] = table["ng2"].iloc[0]
    elif len(set(sizes)) == 1:
        table = pg.mixed_anova(frame, dv="y", within="t", subject="s", between="g").set_index("Source")
        peer = {"f": table.loc["t", "F"], "i": table.loc["Interaction", "F"], "b": table.loc["g", "F"]}
    effect = terms["t"]
    df, dfe = k - 1, want["dfe"]
    f = want["within"] / df / (want["sse"] / dfe)
    agree(kind, "sum", effect["sum_of_squares"], want["within"])
    agree(kind, "error", effect["error_sum_of_squares"], want["sse"])
    agree(kind, "F", effect["f_statistic"], f, pingouin=peer.get("f"))
    agree(kind, "p", effect["p_value"], f_tail(f, df, dfe), pingouin=peer.get("p"))
    agree(
        kind,
        "generalized eta",
        effect["generalized_eta_squared"],
        want["within"] / (want["within"] + errors),
        pingouin=peer.get("ng2"),
    )
    epsilon, feldt = "Greenhouse-Geisser, Huynh-Feldt", None
    if parts == 1 and k > 2:
        feldt = pg.epsilon(frame, dv="y", within="t", subject="s", correction="hf")
    s = out["sphericity"]
    agree(epsilon, "GG", s["greenhouse_geisser"], want["gg"], pingouin=peer.get("gg"))
    agree(epsilon, "HF", s["huynh_feldt"], want["hf"], pingouin=feldt)
    agree(
        epsilon,
        "p GG",
        effect["p_value_greenhouse_geisser"],
        f_tail(f, df * want["gg"], dfe * want["gg"]),
        pingouin=peer.get("gg p"),
    )
    agree(epsilon, "p HF", effect["p_value_huynh_feldt"], f_tail(f, df * want["hf"], dfe * want["hf"]))
    if "w" in want:
        test = pg.sphericity(frame, dv="y", within="t", subject="s") if parts == 1 else None
        agree("Mauchly", "W", s["mauchly_w"], want["w"], pingouin=test and test.W)
        agree("Mauchly", "chi", s["chi_squared"], want["chi"])
        agree("Mauchly", "p", s["p_value"], want["mauchly_p"])  # pingouin has the first term only
    if number % 3 == 0:
        share_interval("repeated measures: interval of eta2", effect, f, df, dfe)
    if parts > 1:
        b = want["between"] / (parts - 1) / (want["subjects"] / (n - parts))
        agree(kind, "between", terms["g"]["f_statistic"], b, pingouin=peer.get("b"))
        i = want["interaction"] / (df * (parts - 1)) / (want["sse"] / dfe)
        agree(kind, "interaction", terms["t:g"]["f_statistic"], i, pingouin=peer.get("i"))
        agree(kind, "p of it", terms["t:g"]["p_value"], f_tail(i, df * (parts - 1), dfe))
    else:
        paired(out, values)


def paired(out, values) -> None:
    ps = []
    for pair in out["pairwise"]:
        i, j = int(pair["a"][1:]), int(pair["b"][1:])
        d = [r[i] - r[j] for r in values]
        t = mean(d) / mp.sqrt(variance(d) / len(d))
        ps.append(t_tail(t, len(d) - 1))
        agree("pairs: paired t", "t", pair["t"], t)
        agree("pairs: paired t", "p", pair["p_value"], ps[-1])
    for pair, p in zip(out["pairwise"], holm(ps), strict=True):
        agree("pairs: Holm", "p", pair["p_value_holm"], p)


def two(rng: random.Random, number: int) -> None:
    offset, n, m = 10.0 ** rng.randint(-2, 8), rng.randint(3, 30), rng.randint(3, 30)
    shift = rng.choice([0, 0.5, 2, 10])
    a = [f"{offset + rng.gauss(0, 1):.9f}" for _ in range(n)]
    b = [f"{offset + shift + 2 * rng.gauss(0, 1):.9f}" for _ in range(m)]
    rows = [["a", v] for v in a] + [["b", v] for v in b]
    x, y = [mp.mpf(v) for v in a], [mp.mpf(v) for v in b]
    fx, fy = [float(v) for v in x], [float(v) for v in y]
    bounds = {"low": -3.0, "high": 3.0}
    name = capture(["g", "y"], rows)
    out = invoke(
        "t_test_tool",
        VERSION,
        name,
        {"operation": "two_sample", "column": "y", "factor": "g", "equivalence": bounds},
    )
    peer = stats.ttest_ind(fx, fy, equal_var=False)
    t, df = welch(x, y)
    error = (mean(x) - mean(y)) / t
    kind = "t tests"
    agree(kind, "Welch t", out["t"], t, scipy=peer.statistic)
    agree(kind, "Welch df", out["df"], df, scipy=peer.df)
    agree(kind, "Welch p", out["p_value"], t_tail(t, df), scipy=peer.pvalue)
    pooled = mp.sqrt((square(x) + square(y)) / (n + m - 2) * (mp.mpf(1) / n + mp.mpf(1) / m))
    agree(
        kind,
        "Student t",
        out["student"]["t"],
        (mean(x) - mean(y)) / pooled,
        scipy=stats.ttest_ind(fx, fy).statistic,
    )
    sides = [
        one_sided((mean(x) - mean(y) + 3) / error, df),
        one_sided((3 - mean(x) + mean(y)) / error, df),
    ]
    agree(
        "equivalence (TOST)",
        "p",
        out["equivalence"]["p_value"],
        max(sides),
        pingouin=pg.tost(fx, fy, bound=3, correction=True)["pval"].iloc[0],
    )
    if number % 3 == 0:
        hedges(out, x, y)
    ranked = invoke("t_test_tool", VERSION, name, {"operation": "mann_whitney", "column": "y", "factor": "g"})
    mann_whitney(ranked, x, y, fx, fy)
    pairs(rng, a, number)


def mann_whitney(out, x, y, fx, fy) -> None:
    r = ranks([*x, *y])
    u = mp.fsum(r[: len(x)]) - len(x) * (len(x) + 1) / mp.mpf(2)
    tied = len(set(r)) < len(r)
    peer = stats.mannwhitneyu(fx, fy, method="exact" if out["ranks"]["exact"] else "asymptotic")
    if out["ranks"]["exact"] == (tied or len(r) > 50):
        failed.append("Mann-Whitney: exact where it should not be, or not where it should")
    agree("tests by ranks", "U", out["ranks"]["statistic"], u, scipy=peer.statistic)
    if not tied:
        agree("tests by ranks", "p", out["p_value"], peer.pvalue, 1e-11)


def pairs(rng: random.Random, a: list[str], number: int) -> None:
    rows = [[v, f"{float(v) + 0.3 + rng.gauss(0, 1):.9f}"] for v in a]
    d = [mp.mpf(p) - mp.mpf(q) for p, q in rows]
    name = capture(["p", "q"], rows)
    out = invoke("t_test_tool", VERSION, name, {"operation": "paired", "column": "p", "with": "q"})
    peer = stats.ttest_rel([float(p) for p, _ in rows], [float(q) for _, q in rows])
    t = mean(d) / mp.sqrt(variance(d) / len(d))
    agree("t tests", "paired t", out["t"], t, scipy=peer.statistic)
    agree("t tests", "paired p", out["p_value"], t_tail(t, len(d) - 1), scipy=peer.pvalue)
    if number % 3 == 0 and len(d) > 2:
        df = mp.mpf(len(d) - 1)
        g = t / mp.sqrt(len(d)) * mp.gamma(df / 2) / mp.gamma((df - 1) / 2) / mp.sqrt(df / 2)
        agree("Hedges g", "of differences", out["hedges_g"], g)
        difference_interval("Hedges g: interval", out, t, len(d) - 1, 1 / mp.sqrt(len(d)))
    value = round(float(a[0]) + 0.25, 6)
    out = invoke("t_test_tool", VERSION, name, {"operation": "one_sample", "column": "p", "value": value})
    x = [mp.mpf(v) for v in a]
    t = (mean(x) - mp.mpf(value)) / mp.sqrt(variance(x) / len(x))
    agree(
        "t tests",
        "one sample t",
        out["t"],
        t,
        scipy=stats.ttest_1samp([float(v) for v in x], value).statistic,
    )
    out = invoke("t_test_tool", VERSION, name, {"operation": "signed_rank", "column": "p", "with": "q"})
    exact = out["ranks"]["exact"]
    peer = stats.wilcoxon(
        [float(v) for v in d], method="exact" if exact else "asymptotic", correction=not exact
    )
    agree("tests by ranks", "signed p", out["p_value"], peer.pvalue, 1e-11)


def main() -> None:
    rng, begun = random.Random(20261122), time.monotonic()
    makers = (groups, crossed, within, two)
    for i in range(DATASETS):
        makers[i % 4](rng, i // 4)
    report(f"ANOVA and tests: {DATASETS} data sets in {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
