"""Least squares at 50 digits, by the normal equations."""

import mpmath as mp
import numpy as np
import statsmodels.api as sm
from compare import f_tail, t_tail
from models_table import Table, Worst, dot, gram
from scipy import stats

CODINGS = ["treatment", "sum", "helmert", "polynomial", "indicator"]


class Linear:
    """Weighted least squares at 50 digits."""

    def __init__(self, columns: dict[str, list], y: list, w: list | None = None) -> None:
        self.names, self.x, self.y = list(columns), list(columns.values()), y
        self.n, self.p = len(y), len(columns)
        self.w = w or [mp.mpf(1)] * self.n
        self.inverse = gram(self.x, self.w) ** -1
        right = mp.matrix([dot([a * b for a, b in zip(c, self.w, strict=True)], y) for c in self.x])
        self.beta = self.inverse * right
        self.e = [y[i] - mp.fsum(self.beta[j] * self.x[j][i] for j in range(self.p)) for i in range(self.n)]
        self.rss = mp.fsum(w * e * e for w, e in zip(self.w, self.e, strict=True))
        self.df = self.n - self.p
        self.se = [mp.sqrt(self.rss / self.df * self.inverse[j, j]) for j in range(self.p)]

    def sandwich(self, scores: list[list]) -> mp.matrix:
        meat = mp.matrix(self.p, self.p)
        for a in range(self.p):
            for b in range(a, self.p):
                meat[a, b] = meat[b, a] = mp.fsum(s[a] * s[b] for s in scores)
        return self.inverse * meat * self.inverse

    def leverage(self, i: int):
        row = mp.matrix([c[i] for c in self.x])
        return self.w[i] * (row.T * self.inverse * row)[0]

    def robust(self, kind: str) -> list:
        power = {"HC0": 0, "HC1": 0, "HC2": mp.mpf(1) / 2, "HC3": 1}[kind]
        scores = []
        for i in range(self.n):
            share = self.w[i] * self.e[i] / ((1 - self.leverage(i)) ** power if power else 1)
            scores.append([c[i] * share for c in self.x])
        factor = mp.mpf(self.n) / self.df if kind == "HC1" else 1
        cov = self.sandwich(scores)
        return [mp.sqrt(factor * cov[j, j]) for j in range(self.p)]

    def clustered(self, groups: list[str]) -> tuple[list, int]:
        sums: dict[str, list] = {g: [mp.mpf(0)] * self.p for g in groups}
        for i, g in enumerate(groups):
            for j in range(self.p):
                sums[g][j] += self.x[j][i] * self.w[i] * self.e[i]
        many = len(sums)
        factor = mp.mpf(many) / (many - 1) * (self.n - 1) / (self.n - self.p)
        cov = self.sandwich(list(sums.values()))
        return [mp.sqrt(factor * cov[j, j]) for j in range(self.p)], many

    def floats(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        x = np.array([[float(v) for v in c] for c in self.x]).T
        return x, np.array([float(v) for v in self.y]), np.array([float(v) for v in self.w])

    def check(self, out: dict, se: list | None = None, df: int | None = None, peer=None) -> Worst:
        worst, se, df = Worst(), se or self.se, df or self.df
        if peer is None:
            x, y, w = self.floats()
            peer = sm.WLS(y, x, w).fit()
        for j, name in enumerate(self.names):
            t = self.beta[j] / se[j]
            worst.agree("coefficient", out["coefficients"][name], self.beta[j], peer.params[j])
            worst.agree("standard error", out["standard_errors"][name], se[j], peer.bse[j])
            worst.agree("t", out["t_values"][name], t, peer.tvalues[j])
            worst.half(out, name, self.beta[j], se[j], stats.t.ppf(0.975, df))
            if name != "intercept":
                worst.agree("p of t", out["p_values"][name], t_tail(t, df), peer.pvalues[j])
        intercept = 1 if self.names[0] == "intercept" else 0
        centre = dot(self.w, self.y) / mp.fsum(self.w) if intercept else 0
        sst = mp.fsum(w * (v - centre) ** 2 for w, v in zip(self.w, self.y, strict=True))
        model = self.p - intercept
        f = (sst - self.rss) / model / (self.rss / self.df)
        worst.agree("R squared", out["r_squared"], 1 - self.rss / sst)
        worst.agree("F", out["f_test"]["statistic"], f)
        worst.agree("p of F", out["f_test"]["p_value"], f_tail(f, model, self.df))
        worst.agree("residual sd", out["residual_standard_deviation"], mp.sqrt(self.rss / self.df))
        if intercept:
            adjusted = 1 - self.rss / self.df / (sst / (self.n - 1))
            if abs(adjusted) > 0.05:  # a difference from 1: nearer 0 it has fewer digits
                worst.agree("adjusted R squared", out["adjusted_r_squared"], adjusted)
        return worst


def linear_kinds(t: Table) -> dict[str, Worst]:
    one, y = {"intercept": [mp.mpf(1)] * t.n}, t.mp["y"]
    plain = {k: t.mp[k] for k in ("x", "z", "v")}
    features = list(plain)
    run = "linear_regression"
    out = {}
    ols = Linear({**one, **plain}, y)
    x, yf, _ = ols.floats()
    fitted = sm.OLS(yf, x).fit()
    answer = t.call(run, features)
    out["OLS"] = ols.check(answer, peer=fitted)
    out["weights"] = Linear({**one, **plain}, y, t.mp["w"]).check(t.call(run, features, weights="w"))
    out["no intercept"] = Linear(plain, y).check(t.call(run, features, intercept=False))
    squares = [a * a for a in t.mp["x"]]
    product = [a * b for a, b in zip(t.mp["x"], t.mp["z"], strict=True)]
    crossed = {"x": t.mp["x"], "x^2": squares, "z": t.mp["z"], "x:z": product}
    crossed["x^2:z"] = [a * b for a, b in zip(squares, t.mp["z"], strict=True)]
    out["powers, products"] = Linear({**one, **crossed}, y).check(t.call(run, ["poly(x, 2)*z"]))
    for coding in CODINGS:
        spec = {"coding": coding, **({"reference": t.reference} if coding == "treatment" else {})}
        codes = t.factor(coding)
        columns = {} if coding == "indicator" else dict(one)
        columns |= {"x": t.mp["x"], **codes}
        if coding != "indicator":  # and slopes by level
            columns |= {
                f"x:{k}": [a * b for a, b in zip(t.mp["x"], c, strict=True)] for k, c in codes.items()
            }
        feature = ["x", "g"] if coding == "indicator" else ["x*g"]
        got = t.call(run, feature, contrasts={"g": spec}, intercept=coding != "indicator")
        out["factor: " + coding] = Linear(columns, y).check(got)
    got = t.call(run, features, normalize=True)
    worst = ols.check(got, peer=fitted)
    for j, name in enumerate(features):
        mean = mp.fsum(plain[name]) / t.n
        sd = mp.sqrt(mp.fsum((v - mean) ** 2 for v in plain[name]) / (t.n - 1))
        worst.agree("scaled coefficient", got["normalized"]["coefficients"][name], ols.beta[j + 1] * sd)
        worst.agree("feature sd", got["normalized"]["standard_deviations"][name], sd)
    out["normalize"] = worst
    for kind in ("HC0", "HC1", "HC2", "HC3"):
        peer = fitted.get_robustcov_results(kind, use_t=True)
        out[kind] = ols.check(t.call(run, features, covariance=kind), ols.robust(kind), peer=peer)
    se, many = ols.clustered(t.rows["c"])
    groups = np.array([int(c[1:]) for c in t.rows["c"]])
    peer = fitted.get_robustcov_results("cluster", groups=groups, use_t=True)
    out["cluster"] = ols.check(t.call(run, features, cluster="c"), se, many - 1, peer)
    return out
