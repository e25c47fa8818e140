"""Holds the regression models against 50-digit references of the same decimals.

usage: models.py URL [DATASETS]

Every random table goes through the server once for each kind of model, and every
figure is held against the same figure made with mpmath at 50 digits: linear
models by their normal equations, ridge by its linear system, lasso by the linear
system of its active set with the conditions of optimality verified at 50 digits,
likelihoods by Newton's method to 40 digits. statsmodels fits the same models; its
largest differences stand beside ours.
"""

import sys
from multiprocessing import Pool

from models_likelihood import likelihood_kinds, separation_kind
from models_linear import linear_kinds
from models_penalty import penalty_kinds
from models_table import Table, Worst

LINEAR, ITERATIVE = 1e-12, 1e-9


def table(seed: int) -> dict[str, Worst]:
    t = Table(seed)
    return linear_kinds(t) | penalty_kinds(t) | likelihood_kinds(t) | separation_kind(seed)


def main() -> None:
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    total: dict[str, Worst] = {}
    with Pool(2) as pool:
        for kinds in pool.imap_unordered(table, range(20261121, 20261121 + count)):
            for kind, worst in kinds.items():
                total.setdefault(kind, Worst()).add(worst)
    failed = 0
    print(f"{'model':24} {'tables':>6}  {'atelier':>8}  {'statsmodels':>11}  worst figure")
    for kind, w in total.items():
        limit = ITERATIVE if "logistic" in kind or kind in ("lasso", "lasso, weights", "Poisson") else LINEAR
        failed += w.ours > limit
        peer = f"{w.peer:.1e}" if w.peer else "-"
        verdict = "" if w.ours <= limit else "  FAILED"
        print(f"{kind:24} {w.count:6}  {w.ours:8.1e}  {peer:>11}  {w.figure}{verdict}")
    print(f"{count} tables, {len(total)} kinds of models, {failed} beyond their limit")
    print(f"{sum(w.count for w in total.values()) - failed} passed, {failed} failed, 0 skipped")
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
