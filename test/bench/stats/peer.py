"""The regression of the comparison with pandas and statsmodels.

Prints one JSON line: the figures by name, and the seconds that the imports took.
Usage: peer.py FILE c|pyarrow|parquet, or peer.py FILE write PARQUET
"""

import json
import sys
import time

start, used = time.perf_counter(), time.process_time()
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from statsmodels.regression.linear_model import OLS  # noqa: E402
from statsmodels.stats.diagnostic import het_breuschpagan  # noqa: E402
from statsmodels.stats.outliers_influence import variance_inflation_factor  # noqa: E402
from statsmodels.stats.stattools import durbin_watson, jarque_bera  # noqa: E402

if sys.argv[2] != "c":
    import pyarrow.csv
    import pyarrow.parquet  # noqa: F401

imports, imports_cpu = time.perf_counter() - start, time.process_time() - used

TARGET, FEATURES = "latency_ms", ["snr", "jitter", "packet_loss"]


def table(path: str, how: str) -> pd.DataFrame:
    """Read the columns that the model and the filter need."""
    columns = ["signal_quality", *FEATURES, TARGET]
    if how == "parquet":
        return pd.read_parquet(path, columns=columns)
    return pd.read_csv(path, usecols=columns, engine=how)


def main() -> None:
    """Fit the model and print every figure that both sides give."""
    data = table(sys.argv[1], sys.argv[2])
    data = data[data["signal_quality"] >= 0.95]
    design = np.column_stack([np.ones(len(data)), data[FEATURES].to_numpy()])
    fit = OLS(data[TARGET].to_numpy(), design).fit()
    names = ["intercept", *FEATURES]
    interval = fit.conf_int(0.05)
    hc3 = fit.HC3_se
    bp, bp_p = het_breuschpagan(fit.resid, design)[:2]
    jb, jb_p = jarque_bera(fit.resid)[:2]
    quartiles = np.quantile(fit.resid, [0, 0.25, 0.5, 0.75, 1])
    figures = {
        "n": fit.nobs,
        "r_squared": fit.rsquared,
        "adjusted_r_squared": fit.rsquared_adj,
        "f": fit.fvalue,
        "log_likelihood": fit.llf,
        "aic": fit.aic,
        "bic": fit.bic,
        "residual_sd": float(np.sqrt(fit.scale)),
        "durbin_watson": durbin_watson(fit.resid),
        "breusch_pagan": bp,
        "breusch_pagan_p": bp_p,
        "jarque_bera": jb,
        "jarque_bera_p": jb_p,
    }
    for k, q in zip(["min", "q1", "median", "q3", "max"], quartiles, strict=True):
        figures[f"residual.{k}"] = q
    # Ours is of the columns scaled to unit length (Belsley, Kuh and Welsch).
    scaled = design / np.linalg.norm(design, axis=0)
    figures["condition"] = np.linalg.cond(scaled)
    for i, name in enumerate(names):
        figures[f"coefficient.{name}"] = fit.params[i]
        figures[f"standard_error.{name}"] = fit.bse[i]
        figures[f"t.{name}"] = fit.tvalues[i]
        figures[f"low.{name}"], figures[f"high.{name}"] = interval[i]
        figures[f"hc3.{name}"] = hc3[i]
        if i > 0:
            figures[f"p.{name}"] = fit.pvalues[i]
            figures[f"vif.{name}"] = variance_inflation_factor(design, i)
    figures = {k: float(v) for k, v in figures.items()}
    json.dump({"imports": imports, "imports_cpu": imports_cpu, "figures": figures}, sys.stdout)


if sys.argv[2] == "write":
    pd.read_csv(sys.argv[1], engine="pyarrow").to_parquet(sys.argv[3])
else:
    main()
