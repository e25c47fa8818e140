"""Ridge and lasso at 50 digits."""

import mpmath as mp
import numpy as np
import statsmodels.api as sm
from models_table import Table, Worst, dot, gram


class Standard:
    """Centred columns of mean square 1, as ridge and lasso penalise them. Weights
    are scaled to sum to n; rows are then multiplied by their roots."""

    def __init__(self, columns: dict[str, list], y: list, w: list | None = None, centre: bool = True) -> None:
        self.names, self.n, self.centre = list(columns), len(y), centre
        w = w or [mp.mpf(1)] * self.n
        w = [v * self.n / mp.fsum(w) for v in w]
        root = [mp.sqrt(v) for v in w]
        self.mean = [dot(w, c) / self.n if centre else mp.mpf(0) for c in columns.values()]
        self.ymean = dot(w, y) / self.n if centre else mp.mpf(0)
        centred = [
            [(v - m) * r for v, r in zip(c, root, strict=True)]
            for c, m in zip(columns.values(), self.mean, strict=True)
        ]
        self.size = [mp.sqrt(dot(c, c) / self.n) for c in centred]
        self.z = [[v / s for v in c] for c, s in zip(centred, self.size, strict=True)]
        self.y = [(v - self.ymean) * r for v, r in zip(y, root, strict=True)]
        self.gram = gram(self.z, [mp.mpf(1)] * self.n)
        self.right = [dot(c, self.y) for c in self.z]

    def check(self, out: dict, gamma: list, df, peer) -> Worst:
        worst = Worst()
        beta = [g / s for g, s in zip(gamma, self.size, strict=True)]
        level = self.ymean - mp.fsum(b * m for b, m in zip(beta, self.mean, strict=True))
        if self.centre:
            worst.agree("intercept", out["coefficients"]["intercept"], level)
        for j, name in enumerate(self.names):
            worst.agree(
                "scaled coefficient", out["penalty"]["standardized"]["coefficients"][name], gamma[j], peer[j]
            )
            worst.agree("coefficient", out["coefficients"][name], beta[j])
        fit = [mp.fsum(g * c[i] for g, c in zip(gamma, self.z, strict=True)) for i in range(self.n)]
        rss = mp.fsum((a - b) ** 2 for a, b in zip(self.y, fit, strict=True))
        worst.agree("effective df", out["penalty"]["effective_df"], df)
        worst.agree("gcv", out["penalty"]["gcv"], self.n * rss / (self.n - df) ** 2)
        worst.agree("R squared", out["r_squared"], 1 - rss / dot(self.y, self.y))
        return worst

    def regularized(self, share: float, sizes: float):
        z = np.array([[float(v) for v in c] for c in self.z]).T
        y = np.array([float(v) for v in self.y])
        more = {} if sizes == 0 else {"cnvrg_tol": 1e-14, "maxiter": 5000, "zero_tol": 1e-13}
        return sm.OLS(y, z).fit_regularized(alpha=share, L1_wt=sizes, **more).params

    def ridge(self, lam) -> tuple[list, mp.mpf]:
        p = len(self.z)
        inverse = (self.gram + lam * mp.eye(p)) ** -1
        gamma = inverse * mp.matrix(self.right)
        df = int(self.centre) + p - lam * mp.fsum(inverse[j, j] for j in range(p))
        return [gamma[j] for j in range(p)], df

    def gcv(self, lam) -> mp.mpf:
        gamma, df = self.ridge(lam)
        fit = [mp.fsum(g * c[i] for g, c in zip(gamma, self.z, strict=True)) for i in range(self.n)]
        return self.n * mp.fsum((a - b) ** 2 for a, b in zip(self.y, fit, strict=True)) / (self.n - df) ** 2

    def lasso(self, lam) -> list:
        """Coordinate descent finds the active set; its system is solved, and the
        conditions of optimality are verified, at 50 digits."""
        g = np.array([[float(v) / self.n for v in self.gram[i, :]] for i in range(len(self.z))])
        r = np.array([float(v) / self.n for v in self.right])
        b, level = np.zeros(len(r)), float(lam)
        for _ in range(20000):
            before = b.copy()
            for j in range(len(r)):
                c = r[j] - g[j] @ b + g[j, j] * b[j]
                b[j] = np.sign(c) * max(abs(c) - level, 0) / g[j, j]
            if np.abs(b - before).max() < 1e-15:
                break
        active = [j for j in range(len(r)) if b[j] != 0]
        gamma = [mp.mpf(0)] * len(r)
        if active:
            a = mp.matrix([[self.gram[i, j] / self.n for j in active] for i in active])
            right = mp.matrix([self.right[j] / self.n - lam * (1 if b[j] > 0 else -1) for j in active])
            solved = mp.lu_solve(a, right)
            for i, j in enumerate(active):
                gamma[j] = solved[i]
        for j in range(len(r)):
            slope = (
                self.right[j] / self.n - mp.fsum(self.gram[j, k] * gamma[k] for k in range(len(r))) / self.n
            )
            ok = abs(slope - lam * mp.sign(gamma[j])) < 1e-40 if gamma[j] else abs(slope) < lam
            if not ok or (gamma[j] and mp.sign(gamma[j]) != np.sign(b[j])):
                raise ValueError("the reference breaks the conditions of optimality")
        return gamma


def penalty_kinds(t: Table) -> dict[str, Worst]:
    columns = {k: t.mp[k] for k in ("x", "z", "v")}
    columns["x:z"] = [a * b for a, b in zip(t.mp["x"], t.mp["z"], strict=True)]
    columns |= t.factor("treatment")
    features = ["x", "z", "v", "x:z", "g"]
    contrasts = {"g": {"coding": "treatment", "reference": t.reference}}
    s = Standard(columns, t.mp["y"])
    lam = float(10 ** t.rng.uniform(-2, 3))
    gamma, df = s.ridge(mp.mpf(lam))
    got = t.call("ridge", features, contrasts=contrasts, **{"lambda": lam})
    out = {"ridge": s.check(got, gamma, df, s.regularized(lam / t.n, 0))}
    chosen = t.call("ridge", features, contrasts=contrasts)["penalty"]
    worst = Worst()
    here = s.gcv(mp.mpf(chosen["lambda"]))
    worst.agree("gcv at the choice", chosen["gcv"], here)
    for step in (-1, 1):
        other = mp.mpf(chosen["lambda"]) * mp.power(10, mp.mpf(step) / 10)
        if t.n * 0.99e-6 < other < t.n * 1.01e3 and s.gcv(other) < here:
            worst.agree("another penalty is better", None, 1)
    out["ridge by GCV"] = worst
    largest = max(abs(v) for v in s.right) / t.n
    lam = float(largest * t.rng.uniform(0.01, 0.7))
    gamma = s.lasso(mp.mpf(lam))
    got = t.call("lasso", features, contrasts=contrasts, **{"lambda": lam})
    df = 1 + sum(g != 0 for g in gamma)
    out["lasso"] = s.check(got, gamma, df, s.regularized(lam, 1))
    s = Standard(columns, t.mp["y"], t.mp["w"])
    for kind in ("ridge", "lasso"):
        got = t.call(kind, features, contrasts=contrasts, weights="w", **{"lambda": lam})
        gamma, df = s.ridge(mp.mpf(lam)) if kind == "ridge" else (s.lasso(mp.mpf(lam)), None)
        df = 1 + sum(g != 0 for g in gamma) if df is None else df
        share = lam / t.n if kind == "ridge" else lam
        out[kind + ", weights"] = s.check(got, gamma, df, s.regularized(share, int(kind == "lasso")))
    plain = {k: t.mp[k] for k in ("x", "z", "v")}
    s = Standard(plain, t.mp["y"], centre=False)
    gamma, df = s.ridge(mp.mpf(lam))
    got = t.call("ridge", list(plain), intercept=False, **{"lambda": lam})
    out["ridge, no intercept"] = s.check(got, gamma, df, s.regularized(lam / t.n, 0))
    return out
