"""Random tables, as decimals and as 50-digit numbers, and what is kept of the
differences."""

import random
import warnings

import mpmath as mp
import numpy as np
from compare import capture, invoke

mp.mp.dps = 50
warnings.filterwarnings("ignore")
TOOL, VERSION = "statistical_regression_tool", "1.2.0"


class Worst:
    """The largest relative differences of one kind of model."""

    def __init__(self) -> None:
        self.ours, self.peer, self.figure, self.count = 0.0, 0.0, "", 0

    def agree(self, figure: str, got, want, peer=None) -> None:
        want = mp.mpf(want)
        error = 1.0 if got is None else float(abs(mp.mpf(got) - want) / abs(want)) if want else abs(got)
        if error > self.ours:
            self.ours, self.figure = error, figure
        if peer is not None and want:
            self.peer = max(self.peer, min(1.0, float(abs(mp.mpf(float(peer)) - want) / abs(want))))

    def half(self, out: dict, name: str, beta, se, quantile: float) -> None:
        """The ends of an interval, by SciPy's quantile, in units of its size."""
        low, high = out["confidence_intervals"][name]
        size = abs(beta) + quantile * se
        self.agree("interval", 1 + (low - (beta - quantile * se)) / size, 1)
        self.agree("interval", 1 + (high - (beta + quantile * se)) / size, 1)

    def add(self, other: "Worst") -> None:
        if other.ours > self.ours:
            self.ours, self.figure = other.ours, other.figure
        self.peer, self.count = max(self.peer, other.peer), self.count + 1


def dot(a, b):
    return mp.fsum(x * y for x, y in zip(a, b, strict=True))


def gram(columns: list[list], w: list) -> mp.matrix:
    p = len(columns)
    out = mp.matrix(p, p)
    for a in range(p):
        weighted = [x * wi for x, wi in zip(columns[a], w, strict=True)]
        for b in range(a, p):
            out[a, b] = out[b, a] = dot(weighted, columns[b])
    return out


class Table:
    """A random table, as decimals and as 50-digit numbers."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self.n = n = rng.randint(45, 80)
        offset, scale = 10.0 ** rng.randint(-2, 3), 10.0 ** rng.randint(-2, 1)
        self.levels = ["a", "b", "c", "d"][: rng.randint(3, 4)]
        rows: dict[str, list[str]] = {k: [] for k in ["x", "z", "v", "g", "w", "f", "c", "y", "e"]}
        eta = []
        for i in range(n):
            x, z = rng.gauss(0, 1), rng.gauss(0, 1)
            g = self.levels[i % len(self.levels)]
            v = 0.6 * x + rng.gauss(0, 1)
            rows["x"].append(f"{offset + scale * x:.12g}")
            rows["z"].append(f"{1 + scale * z:.12g}")
            rows["v"].append(f"{v:.12g}")
            rows["g"].append(g)
            rows["w"].append(f"{rng.uniform(0.2, 3):.6g}")
            rows["f"].append(str(rng.randint(1, 3)))
            rows["c"].append(f"k{rng.randint(1, 9)}")
            rows["e"].append(f"{rng.uniform(0.5, 4):.6g}")
            eta.append(0.5 * x - 0.4 * z + 0.3 * v + 0.5 * (ord(g) - 98))
            rows["y"].append(f"{3 + eta[-1] + 0.3 * x * z + rng.gauss(0, rng.choice([0.3, 1])):.12g}")
        while True:
            rows["b"] = [str(int(rng.random() < 1 / (1 + np.exp(-t)))) for t in eta]
            if 8 < sum(map(int, rows["b"])) < n - 8:
                break
        draw = np.random.default_rng(seed)
        rows["k"] = [
            str(draw.poisson(float(e) * np.exp(0.3 * t))) for e, t in zip(rows["e"], eta, strict=True)
        ]
        self.rows = rows
        self.mp = {k: [mp.mpf(v) for v in col] for k, col in rows.items() if k not in "gc"}
        header = list(rows)
        self.capture = capture(header, [list(r) for r in zip(*rows.values(), strict=True)])
        self.reference = rng.choice(self.levels)
        self.rng = rng

    def call(self, operation: str, features: list[str], target: str = "y", **more) -> dict:
        arguments = {"operation": operation, "target": target, "features": features, "plots": False, **more}
        return invoke(TOOL, VERSION, self.capture, arguments)

    def codes(self, coding: str) -> dict[str, dict[str, mp.mpf]]:
        """The contrasts of g: by column name, the value of each level."""
        levels, k = self.levels, len(self.levels)
        if coding in ("treatment", "indicator"):
            keep = [lv for lv in levels if coding == "indicator" or lv != self.reference]
            return {f"g[{lv}]": {o: mp.mpf(o == lv) for o in levels} for lv in keep}
        if coding == "sum":
            return {
                f"g[S.{lv}]": {o: mp.mpf((o == lv) - (o == levels[-1])) for o in levels} for lv in levels[:-1]
            }
        if coding == "helmert":
            return {
                f"g[H.{levels[j]}]": {
                    o: mp.mpf(-1 if i < j else j if i == j else 0) for i, o in enumerate(levels)
                }
                for j in range(1, k)
            }
        # The QR factor of the powers of 1 to k, with a positive leading coefficient.
        basis: list[list] = []
        out = {}
        for degree in range(k):
            col = [mp.mpf(i + 1) ** degree for i in range(k)]
            for other in basis:
                c = dot(col, other)
                col = [x - c * o for x, o in zip(col, other, strict=True)]
            size = mp.sqrt(dot(col, col))
            basis.append([x / size for x in col])
            if degree:
                name = ["linear", "quadratic", "cubic"][degree - 1]
                out[f"g[{name}]"] = dict(zip(levels, basis[-1], strict=True))
        return out

    def factor(self, coding: str) -> dict[str, list]:
        return {name: [code[lv] for lv in self.rows["g"]] for name, code in self.codes(coding).items()}
