"""Logistic and Poisson models at 50 digits, and what a linear programme says of
separation."""

import json
import random

import mpmath as mp
import numpy as np
import statsmodels.api as sm
from compare import capture, post
from models_table import TOOL, VERSION, Table, Worst, dot, gram
from scipy import stats
from scipy.optimize import linprog


def verdict(name: str, operation: str, target: str) -> str:
    """What the server says of separation: none, quasi, complete, or zeros of counts."""
    body = {
        "tool_name": TOOL,
        "tool_version": VERSION,
        "capture_selection": {"capture_id": name, "selectors": {}},
        "arguments": {"operation": operation, "target": target, "features": ["p", "q", "r"], "plots": False},
        "request_id": name + target,
        "timeout_ms": 60000,
    }
    answer = post("/v1/invocations", json.dumps(body).encode(), "application/json")
    if not answer["errors"]:
        return "none"
    text = answer["errors"][0]["message"]
    for word in ("quasi-complete separation", "complete separation", "no count above 0"):
        if word in text:
            return {"quasi-complete separation": "quasi", "complete separation": "complete"}.get(
                word, "zeros"
            )
    return text


def separation_kind(seed: int) -> dict[str, Worst]:
    """Whether small tables are separated: linear programmes say so too (Konis 2007)."""
    rng = random.Random(seed)
    n = rng.randint(10, 24)
    rows = [
        [str(rng.randint(0, 4)), str(rng.randint(0, 1)), str(rng.randint(0, 2)), str(rng.randint(0, 1))]
        for _ in range(n)
    ]
    rows[0][3], rows[1][3] = "0", "1"
    share = rng.random()
    for row in rows:
        row.append(str(rng.randint(1, 4) if rng.random() < share else 0))
    rows[0][4] = "2"
    name = capture(["p", "q", "r", "y", "k"], rows)
    x = np.array([[1, *map(float, row[:3])] for row in rows])
    signed = x * np.array([1 if row[3] == "1" else -1 for row in rows])[:, None]
    best = linprog(-signed.sum(0), A_ub=-signed, b_ub=np.zeros(n), bounds=[(-1, 1)] * 4)
    strict = linprog(np.zeros(4), A_ub=-signed, b_ub=-np.ones(n), bounds=[(None, None)] * 4)
    want = "complete" if strict.status == 0 else "quasi" if -best.fun > 1e-9 else "none"
    binary, counts = Worst(), Worst()
    got = verdict(name, "logistic_regression", "y")
    binary.agree(f"{want}, not {got}", 1 if got == want else None, 1)
    zero = np.array([row[4] == "0" for row in rows])
    want = "none"
    if zero.any():
        falls = linprog(
            x[zero].sum(0),
            A_ub=x[zero],
            b_ub=np.zeros(zero.sum()),
            A_eq=x[~zero],
            b_eq=np.zeros((~zero).sum()),
            bounds=[(-1, 1)] * 4,
        )
        want = "zeros" if falls.fun < -1e-9 else "none"
    got = verdict(name, "poisson_regression", "k")
    counts.agree(f"{want}, not {got}", 1 if got == want else None, 1)
    return {"logistic, separated": binary, "Poisson, separated": counts}


class Likelihood:
    """A logistic or Poisson model at 50 digits, by Newton's method."""

    def __init__(self, columns: dict[str, list], y: list, family: str, f: list, offset: list) -> None:
        self.names, self.x, self.y, self.family, self.f, self.offset = (
            list(columns),
            list(columns.values()),
            y,
            family,
            f,
            offset,
        )
        p = len(self.x)
        self.beta = [mp.mpf(0)] * p
        if family == "poisson":
            self.beta[0] = mp.log(dot(f, y) / mp.fsum(a * mp.exp(o) for a, o in zip(f, offset, strict=True)))
        for _ in range(40):
            mu, var = self.moments()
            self.inverse = gram(self.x, [a * b for a, b in zip(f, var, strict=True)]) ** -1
            rest = [a * (b - c) for a, b, c in zip(f, y, mu, strict=True)]
            step = self.inverse * mp.matrix([dot(c, rest) for c in self.x])
            self.beta = [b + step[j] for j, b in enumerate(self.beta)]
            if max(abs(s) for s in step) < mp.mpf(10) ** -40:
                return
        raise ArithmeticError("no maximum")

    def eta(self) -> list:
        return [
            o + mp.fsum(b * c[i] for b, c in zip(self.beta, self.x, strict=True))
            for i, o in enumerate(self.offset)
        ]

    def moments(self) -> tuple[list, list]:
        if self.family == "poisson":
            mu = [mp.exp(e) for e in self.eta()]
            return mu, mu
        mu = [1 / (1 + mp.exp(-e)) for e in self.eta()]
        return mu, [m * (1 - m) for m in mu]

    def log_likelihood(self, mu: list):
        if self.family == "poisson":
            terms = [y * mp.log(m) - m - mp.loggamma(y + 1) for y, m in zip(self.y, mu, strict=True)]
        else:
            terms = [mp.log(m) if y else mp.log(1 - m) for y, m in zip(self.y, mu, strict=True)]
        return dot(self.f, terms)

    def null(self) -> list:
        total = mp.fsum(self.f)
        if self.family == "logistic":
            return [dot(self.f, self.y) / total] * len(self.y)
        exposure = [mp.exp(o) for o in self.offset]
        rate = dot(self.f, self.y) / dot(self.f, exposure)
        return [rate * e for e in exposure]

    def check(self, out: dict, peer) -> Worst:
        worst = Worst()
        mu, var = self.moments()
        inner = out["likelihood"]
        phi = None
        n, p = mp.fsum(self.f), len(self.x)
        pearson = mp.fsum(f * (y - m) ** 2 / v for f, y, m, v in zip(self.f, self.y, mu, var, strict=True))
        phi = pearson / (n - p)
        for j, name in enumerate(self.names):
            se = mp.sqrt(self.inverse[j, j])
            z = self.beta[j] / se
            worst.agree("coefficient", out["coefficients"][name], self.beta[j], peer.params[j])
            worst.agree("standard error", out["standard_errors"][name], se, peer.bse[j])
            worst.agree("z", out["t_values"][name], z, peer.tvalues[j])
            worst.half(out, name, self.beta[j], se, stats.norm.ppf(0.975))
            if name != "intercept":
                p_z = mp.erfc(abs(z) / mp.sqrt(2))
                worst.agree("p of z", out["p_values"][name], p_z, peer.pvalues[j])
            if self.family == "poisson":
                worst.agree("quasi error", out["poisson"]["quasi_standard_errors"][name], se * mp.sqrt(phi))
        ll, ll0 = self.log_likelihood(mu), self.log_likelihood(self.null())
        worst.agree("log likelihood", out["log_likelihood"], ll, peer.llf)
        worst.agree("AIC", out["aic"], 2 * p - 2 * ll)
        worst.agree("BIC", out["bic"], p * mp.log(n) - 2 * ll)
        full = 0
        if self.family == "poisson":
            full = self.log_likelihood([y or mp.mpf("1e-60") for y in self.y])
        worst.agree("deviance", inner["deviance"], 2 * (full - ll), peer.deviance)
        worst.agree("null deviance", inner["null_deviance"], 2 * (full - ll0), peer.null_deviance)
        worst.agree("McFadden", inner["mcfadden_r_squared"], 1 - ll / ll0)
        worst.agree("Pearson", inner["pearson_chi_squared"], pearson, peer.pearson_chi2)
        chi, df = 2 * (ll - ll0), p - 1
        tail = mp.gammainc(mp.mpf(df) / 2, chi / 2, regularized=True)
        worst.agree("likelihood ratio", inner["likelihood_ratio_test"]["statistic"], chi)
        worst.agree("p of likelihood ratio", inner["likelihood_ratio_test"]["p_value"], tail)
        if self.family == "logistic":
            pairs = [(m, f) for m, f, y in zip(mu, self.f, self.y, strict=True) if y]
            others = [(m, f) for m, f, y in zip(mu, self.f, self.y, strict=True) if not y]
            above = mp.fsum(f * g * (1 if m > o else 0) for m, f in pairs for o, g in others)
            auc = above / mp.fsum(f for _, f in pairs) / mp.fsum(g for _, g in others)
            worst.agree("AUC", out["logistic"]["auc"], auc)
        return worst

    def single(self, out: dict, worst: Worst) -> None:
        """Figures of single observations: HC3 errors, Cook's distance, calibration."""
        mu, var = self.moments()
        p, n = len(self.x), len(self.y)
        meat, cook = mp.matrix(p, p), []
        for i in range(n):
            row = mp.matrix([c[i] for c in self.x])
            h = var[i] * (row.T * self.inverse * row)[0]
            e = self.y[i] - mu[i]
            meat += (e / (1 - h)) ** 2 * row * row.T
            cook.append(e * e / var[i] * h / (p * (1 - h) ** 2))
        cov = self.inverse * meat * self.inverse
        for j, name in enumerate(self.names):
            worst.agree("HC3 error", out["hc3_standard_errors"][name], mp.sqrt(cov[j, j]))
        first = out["influential"][0]
        worst.agree("Cook", first["cook_distance"], max(cook))
        at = cook.index(max(cook))
        pearson = (self.y[at] - mu[at]) / mp.sqrt(var[at])
        worst.agree("Pearson residual", first["residual"], pearson)
        worst.agree("row of the largest Cook", first["row"], at + 1)
        if self.family == "logistic":
            order = sorted(range(n), key=mu.__getitem__)
            groups: dict[int, list[int]] = {}
            for rank, i in enumerate(order):
                groups.setdefault(int(10 * (rank + 0.5) / n), []).append(i)
            chi = 0
            for members in groups.values():
                seen, want = mp.fsum(self.y[i] for i in members), mp.fsum(mu[i] for i in members)
                chi += (seen - want) ** 2 / (want * (1 - want / len(members)))
            tail = mp.gammainc(mp.mpf(len(groups) - 2) / 2, chi / 2, regularized=True)
            worst.agree("Hosmer-Lemeshow", out["logistic"]["hosmer_lemeshow"]["statistic"], chi)
            worst.agree("p of Hosmer-Lemeshow", out["logistic"]["hosmer_lemeshow"]["p_value"], tail)

    def clustered(self, groups: list[str]) -> list:
        mu, _ = self.moments()
        p = len(self.x)
        sums: dict[str, list] = {g: [mp.mpf(0)] * p for g in groups}
        for i, g in enumerate(groups):
            for j in range(p):
                sums[g][j] += self.x[j][i] * (self.y[i] - mu[i])
        meat = mp.matrix(p, p)
        for s in sums.values():
            meat += mp.matrix(s) * mp.matrix(s).T
        cov = self.inverse * meat * self.inverse
        g, n = mp.mpf(len(sums)), len(self.y)
        return [mp.sqrt(g / (g - 1) * (n - 1) / (n - p) * cov[j, j]) for j in range(p)]

    def peer(self, weights: bool = False):
        x = np.array([[float(v) for v in c] for c in self.x]).T
        family = sm.families.Poisson() if self.family == "poisson" else sm.families.Binomial()
        more = {"freq_weights": np.array([float(v) for v in self.f])} if weights else {}
        model = sm.GLM(
            np.array([float(v) for v in self.y]),
            x,
            family,
            offset=np.array([float(v) for v in self.offset]),
            **more,
        )
        return model.fit(tol=1e-14, maxiter=200)


def likelihood_kinds(t: Table) -> dict[str, Worst]:
    one, zero, ones = {"intercept": [mp.mpf(1)] * t.n}, [mp.mpf(0)] * t.n, [mp.mpf(1)] * t.n
    columns = {**one, "x": t.mp["x"], "z": t.mp["z"], **t.factor("treatment")}
    contrasts = {"g": {"coding": "treatment", "reference": t.reference}}
    features = ["x", "z", "g"]
    run = {"contrasts": contrasts}
    out = {}
    try:
        for kind, f in (("logistic", ones), ("logistic, frequencies", t.mp["f"])):
            model = Likelihood(columns, t.mp["b"], "logistic", f, zero)
            more = {"weights": "f"} if f is not ones else {}
            got = t.call("logistic_regression", features, "b", **run, **more)
            out[kind] = model.check(got, model.peer(f is not ones))
            if f is ones:
                model.single(got, out[kind])
                got = t.call("logistic_regression", features, "b", cluster="c", **run)
                worst = Worst()
                for name, se in zip(model.names, model.clustered(t.rows["c"]), strict=True):
                    worst.agree("cluster error", got["standard_errors"][name], se)
                out["logistic, cluster"] = worst
    except ArithmeticError:
        pass  # separated by chance: refused, which the tests of the server hold
    offset = [mp.log(v) for v in t.mp["e"]]
    model = Likelihood(columns, t.mp["k"], "poisson", ones, offset)
    got = t.call("poisson_regression", features, "k", exposure="e", **run)
    out["Poisson"] = model.check(got, model.peer())
    model.single(got, out["Poisson"])
    return out
