"""Holds summaries and time series against mpmath (50 digits), with SciPy, NumPy
and statsmodels beside them.

usage: series.py URL [DATASETS]

Random tables go as captures through HTTP. Every figure of the answers is computed
again from the same decimals at 50 digits, and by a peer from the same float64
numbers; the table shows the worst relative difference of both from the 50 digits.
"""

import csv
import io
import json
import math
import random
import statistics
import sys
import urllib.parse
import urllib.request
import uuid

import mpmath as mp
import numpy as np
import series_reference as ref
import statsmodels.api as sm
from scipy import signal, stats
from statsmodels.stats.diagnostic import acorr_ljungbox
from statsmodels.tsa.stattools import acf, pacf

mp.mp.dps = 50
URL, DATASETS = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
worst: dict[str, float] = {}
peers: dict[str, tuple[float, str]] = {}
counts: dict[str, int] = {}
failed: list[str] = []


def post(path: str, body: bytes, kind: str) -> dict:
    request = urllib.request.Request(URL + path, body, {"Content-Type": kind})
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


def capture(header: list[str], rows: list[list[str]], time_column: str = "") -> str:
    name, text = "c" + uuid.uuid4().hex, io.StringIO()
    csv.writer(text).writerows([header, *rows])
    parts = f'--b\r\nContent-Disposition: form-data; name="capture_id"\r\n\r\n{name}\r\n'
    if time_column:
        parts += f'--b\r\nContent-Disposition: form-data; name="time_column"\r\n\r\n{time_column}\r\n'
    parts += '--b\r\nContent-Disposition: form-data; name="file"; filename="t.csv"\r\n\r\n'
    post(
        "/v1/captures",
        (parts + text.getvalue() + "\r\n--b--\r\n").encode(),
        "multipart/form-data; boundary=b",
    )
    return name


def invoke(tool: str, version: str, capture_id: str, arguments: dict) -> dict:
    body = {
        "tool_name": tool,
        "tool_version": version,
        "capture_selection": {"capture_id": capture_id, "selectors": {}},
        "arguments": arguments | {"plots": False},
        "request_id": uuid.uuid4().hex,
        "timeout_ms": 60000,
    }
    answer = post("/v1/invocations", json.dumps(body).encode(), "application/json")
    if answer["status"] == "error":
        raise SystemExit(f"{tool} {arguments}: {answer['errors']}")
    return answer


def artifact(answer: dict, name: str) -> list[list[float]]:
    found = [a for a in answer["artifacts"] if a["name"] == name]
    path = urllib.parse.urlparse(found[0]["uri"]).path
    with urllib.request.urlopen(URL + path) as reply:
        rows = list(csv.reader(io.TextIOWrapper(reply)))
    return [[float(v) if v else math.nan for v in r] for r in rows[1:]]


def difference(got, want, scale=None) -> float:
    size = abs(want) if scale is None else abs(mp.mpf(scale))
    return float(abs(mp.mpf(got) - want) / size) if size != 0 else float(abs(got))


def agree(kind: str, got, want, limit: float, peer=None, who: str = "", scale=None) -> None:
    counts[kind] = counts.get(kind, 0) + 1
    want = mp.mpf(want)
    if got is None:
        failed.append(f"{kind}: null, not {mp.nstr(want, 17)}")
        return
    if 0 < want < 1e-300 and got < 1e-300:
        return  # a float64 holds fewer digits there, then none
    error = difference(got, want, scale)
    worst[kind] = max(worst.get(kind, 0.0), error)
    if error > limit:
        failed.append(f"{kind}: {got!r} is not {mp.nstr(want, 17)} ({error:.1e})")
    if peer is not None and not math.isnan(peer):
        before = peers.get(kind, (0.0, who))[0]
        peers[kind] = (max(before, difference(float(peer), want, scale)), who)


def same(kind: str, got, want) -> None:
    counts[kind] = counts.get(kind, 0) + 1
    worst.setdefault(kind, 0.0)
    if got != want:
        failed.append(f"{kind}: {got!r} is not {want!r}")


def column(rng: random.Random, n: int) -> list[str]:
    """Values with large offsets, ties, tails, or tiny spread."""
    kind = rng.randrange(5)
    offset = 10.0 ** rng.randint(-3, 9)
    if kind == 0:
        return [str(rng.randint(0, 12)) for _ in range(n)]
    if kind == 1:
        return [f"{offset + rng.gauss(0, 1):.13g}" for _ in range(n)]
    if kind == 2:
        return [f"{rng.lognormvariate(0, 1.5):.6g}" for _ in range(n)]
    if kind == 3:
        return [f"{rng.gauss(0, 1) * offset:.8g}" for _ in range(n)]
    return [f"{1000000 + rng.randint(0, 99) / 100:.2f}" for _ in range(n)]


def summaries(rng: random.Random) -> None:
    n, k, groups = rng.randint(6, 240), rng.randint(2, 4), rng.choice([0, 0, 2])
    data = [column(rng, n) for _ in range(k)]
    for c in data:
        for i in range(n):
            if rng.random() < 0.08:
                c[i] = ""
    level = [f"g{rng.randrange(groups)}" if groups else "" for _ in range(n)]
    names = [f"x{j}" for j in range(k)]
    rows = [[*r, g] for *r, g in zip(*data, level, strict=True)]
    shares = [0.01, 0.333, 0.95]
    arguments = {"columns": names, "quantiles": shares} | ({"group_by": "g"} if groups else {})
    answer = invoke("summary_stats_tool", "1.1.0", capture([*names, "g"], rows), arguments)
    table = {}
    for row in raw(answer, "correlations.csv"):
        table[row[0], row[1], row[2]] = [float(v) if v else None for v in row[3:]]
    for group in answer["structured_output"]["groups"]:
        where = [i for i in range(n) if not groups or level[i] == group["level"]]
        for c in group["columns"]:
            one_column(c, [data[names.index(c["name"])][i] for i in where], shares)
        for a in range(k):
            for b in range(a + 1, k):
                both = [i for i in where if data[a][i] and data[b][i]]
                pairs(
                    table[group["level"], names[a], names[b]],
                    [data[a][i] for i in both],
                    [data[b][i] for i in both],
                )


def raw(answer: dict, name: str) -> list[list[str]]:
    found = [a for a in answer["artifacts"] if a["name"] == name]
    with urllib.request.urlopen(URL + urllib.parse.urlparse(found[0]["uri"]).path) as reply:
        return list(csv.reader(io.TextIOWrapper(reply)))[1:]


def one_column(c: dict, values: list[str], shares: list[float]) -> None:
    same("summary: missing", c["missing"], values.count(""))
    there = [v for v in values if v]
    same("summary: n", c["n"], len(there))
    if len(there) < 4 or len(set(there)) < 2:
        return
    x, f = [mp.mpf(v) for v in there], np.array([float(v) for v in there])
    want = ref.moments(x)
    agree("mean", c["mean"], want["mean"], 1e-15, f.mean(), "numpy")
    agree("standard deviation", c["standard_deviation"], want["sd"], 1e-15, f.std(ddof=1), "numpy")
    scale = max(1, abs(want["skewness"]))
    agree("skewness", c["skewness"], want["skewness"], 1e-12, stats.skew(f, bias=False), "scipy", scale)
    scale = max(1, abs(want["kurtosis"]))
    agree(
        "kurtosis",
        c["excess_kurtosis"],
        want["kurtosis"],
        1e-12,
        stats.kurtosis(f, bias=False),
        "scipy",
        scale,
    )
    half = ref.t_quantile(mp.mpf("0.025"), len(x) - 1) * want["sd"] / mp.sqrt(len(x))
    agree(
        "mean interval",
        (c["mean_high"] - c["mean_low"]) / 2,
        half,
        1e-5 if want["mean"] > 1e6 * half else 1e-9,
    )
    ordered = sorted(x)
    for key, share in [("q1", 0.25), ("median", 0.5), ("q3", 0.75)]:
        agree(
            "quantiles",
            c[key],
            ref.quantile(ordered, share),
            1e-14,
            np.quantile(f, share),
            "numpy",
            max(map(abs, x)),
        )
    for got, share in zip(c["quantiles"], shares, strict=True):
        agree(
            "quantiles",
            got["value"],
            ref.quantile(ordered, share),
            1e-14,
            np.quantile(f, share),
            "numpy",
            max(map(abs, x)),
        )
    most = max(there.count(v) for v in there)
    modes = sorted({mp.mpf(v) for v in there if there.count(v) == most})
    if most > 1 and all(v == f"{float(v):.12g}" for v in there):
        same("mode", [c["mode"]["count"], c["mode"]["ties"]], [most, len(modes)])
        agree("mode: value", c["mode"]["value"], modes[0], 1e-15)
    h, bins = c["histogram"], ref.bins(ordered)
    same("histogram: bins", h["bins"], bins)
    agree("histogram: width", h["width"], (ordered[-1] - ordered[0]) / bins, 1e-14)


def pairs(got: list, a: list[str], b: list[str]) -> None:
    x, y = [mp.mpf(v) for v in a], [mp.mpf(v) for v in b]
    if len(x) < 5 or min(len(set(x)), len(set(y))) < 2:
        return
    n, r, low, high, p, rho, rlow, rhigh, rp = got
    same("correlation: n", n, len(x))
    fx, fy = np.array([float(v) for v in a]), np.array([float(v) for v in b])
    want = ref.pearson(x, y)
    if abs(want["r"]) > 1 - mp.mpf(10) ** -20:
        return  # a line: p is 0 and the interval a point
    peer = stats.pearsonr(fx, fy)
    ci = peer.confidence_interval()
    agree("Pearson r", r, want["r"], 1e-12, peer.statistic, "scipy")
    agree("Pearson p", p, want["p"], 1e-12, peer.pvalue, "scipy")
    agree("Pearson interval", low, want["low"], 1e-12, ci.low, "scipy", max(abs(want["low"]), mp.mpf("0.01")))
    agree(
        "Pearson interval",
        high,
        want["high"],
        1e-12,
        ci.high,
        "scipy",
        max(abs(want["high"]), mp.mpf("0.01")),
    )
    want = ref.pearson(ref.ranks(x), ref.ranks(y), bonett=True)
    peer = stats.spearmanr(fx, fy)
    if abs(want["r"]) > 1 - mp.mpf(10) ** -20:
        return
    scale = max(abs(want["r"]), mp.mpf(10) ** -6)  # 0 for some ranks
    agree("Spearman rho", rho, want["r"], 1e-12, peer.statistic, "scipy", scale)
    agree("Spearman p", rp, want["p"], 1e-12, peer.pvalue, "scipy")
    agree("Spearman interval", rlow, want["low"], 1e-12, None, "", max(abs(want["low"]), mp.mpf("0.01")))
    agree("Spearman interval", rhigh, want["high"], 1e-12, None, "", max(abs(want["high"]), mp.mpf("0.01")))


def values_of(rng: random.Random, n: int) -> list[str]:
    """A series with dependence, a trend, a season, steps or ties."""
    memory, slope = rng.choice([0, 0.4, 0.8]), rng.choice([0, 0.01, 0.05])
    season, jump = rng.choice([0, 1.5]), rng.choice([0, 3])
    offset, digits, state, out = 10.0 ** rng.randint(-1, 6), rng.choice([1, 4, 6]), 0.0, []
    for i in range(n):
        state = memory * state + rng.gauss(0, 1)
        x = state + slope * i + season * math.sin(2 * math.pi * i / 8) + (jump if i >= n // 2 else 0)
        out.append(f"{offset + x:.{digits}f}")
    return out


def regular(rng: random.Random) -> None:
    n, step = rng.randint(24, 90), rng.choice([1, 20, 250])
    text = values_of(rng, n)
    rows = [[str(i * step), v] for i, v in enumerate(text)]
    name = capture(["t_ms", "x"], rows, "t_ms")
    detrend = rng.choice(["none", "mean", "linear"])
    period = rng.choice([4, 7, 8])
    arguments = {"column": "x", "detrend": detrend, "period": period, "lags": 10, "time_unit": "ms"}
    method = rng.choice(["periodogram", "periodogram", "welch"])
    if method == "welch":
        arguments |= {"spectrum": "welch", "segment": 16}
    answer = invoke("timeseries_tool", "1.0.0", name, arguments)
    out = answer["structured_output"]
    t = [mp.mpf(i * step) / 1000 for i in range(n)]
    x = [mp.mpf(v) for v in text]
    f, ft = np.array([float(v) for v in text]), np.array([i * step / 1000 for i in range(n)])
    trends(out, t, x, ft, f)
    rest = ref.detrended(t, x, detrend)
    frest = (
        signal.detrend(f, type="linear")
        if detrend == "linear"
        else f - (f.mean() if detrend == "mean" else 0)
    )
    correlations(answer, rest, frest)
    if method == "welch":
        power = artifact(answer, "spectrum.csv")
        want = ref.welch(rest, 16, mp.mpf(step) / 1000)
        pf, pp = signal.welch(frest, 1000 / step, "hann", 16, 8, detrend="constant")
        spectrum("Welch spectrum", power, want, pf, pp)
    else:
        power = artifact(answer, "spectrum.csv")
        want = ref.periodogram(rest, mp.mpf(step) / 1000)
        pf, pp = signal.periodogram(frest, 1000 / step, detrend=False)
        spectrum("periodogram", power, want, pf, pp)
        alarms(out, want, n, ref.autocorrelation(rest, 1)[0], step)
    s = out["seasonality"]
    want = ref.phases(rest, period)
    one = stats.f_oneway(*[frest[p::period] for p in range(period)])
    agree("season: strength", s["strength"], want["eta"], 1e-12)
    agree("season: F", s["f_statistic"], want["f"], 1e-12, one.statistic, "scipy")
    agree("season: p", s["p_value"], want["p"], 1e-12, one.pvalue, "scipy")


def trends(out: dict, t: list, x: list, ft, f) -> None:
    n, got = len(x), out["trend"]
    lags = min(int(4 * (n / 100) ** (2 / 9)), n - 2)
    same("trend: lags", got["hac_lags"], lags)
    want = ref.line(t, x, lags)
    fit = sm.OLS(f, sm.add_constant(ft)).fit(
        cov_type="HAC", cov_kwds={"maxlags": lags, "use_correction": False}, use_t=True
    )
    agree("trend: slope", got["slope"], want["slope"], 1e-12, fit.params[1], "statsmodels")
    agree("trend: HAC error", got["hac_standard_error"], want["se"], 1e-12, fit.bse[1], "statsmodels")
    agree("trend: p", got["p_value"], want["p"], 1e-12, fit.pvalues[1], "statsmodels")
    agree("trend: R squared", got["r_squared"], want["r2"], 1e-12, fit.rsquared, "statsmodels")
    got, want = out["mann_kendall"], ref.mann_kendall(t, x)
    same("Mann-Kendall: S", got["s"], float(want["s"]))
    agree("Mann-Kendall: variance", got["variance"], want["variance"], 1e-14)
    agree("Mann-Kendall: p", got["p_value"], want["p"], 1e-12)
    peer = stats.kendalltau(ft, f)
    scale = max(abs(want["tau"]), mp.mpf("0.001"))
    agree("Mann-Kendall: tau b", got["tau_b"], want["tau"], 1e-12, peer.statistic, "scipy", scale)
    sen = stats.theilslopes(f, ft)
    scale = max(abs(want["sen"]), abs(want["low"]), abs(want["high"]))
    for key, peer in (("sen", sen.slope), ("low", sen.low_slope), ("high", sen.high_slope)):
        agree("Theil-Sen", got["sen_slope" if key == "sen" else key], want[key], 1e-12, peer, "scipy", scale)


def correlations(answer: dict, rest: list, frest) -> None:
    out = answer["structured_output"]["autocorrelation"]
    r = ref.autocorrelation(rest, 10)
    partial = ref.partial(r)
    peer, partial_peer = acf(frest, nlags=10, fft=False), pacf(frest, nlags=10, method="ldb")
    table = artifact(answer, "autocorrelation.csv")
    z = ref.z_quantile(mp.mpf("0.025"))
    for k in range(10):
        agree("ACF", table[k][1], r[k], 1e-12, peer[k + 1], "statsmodels", 1)
        agree("PACF", table[k][3], partial[k], 1e-12, partial_peer[k + 1], "statsmodels", 1)
        band = z * mp.sqrt((1 + 2 * mp.fsum(v**2 for v in r[:k])) / len(rest))
        agree("ACF band", table[k][2], band, 1e-12)
    n = len(rest)
    q = n * (n + 2) * mp.fsum(r[k] ** 2 / (n - k - 1) for k in range(10))
    lb = acorr_ljungbox(frest, lags=[10])
    agree("Ljung-Box", out["ljung_box"], q, 1e-12, lb["lb_stat"].iloc[0], "statsmodels")
    agree("Ljung-Box p", out["p_value"], ref.chi_tail(q, 10), 1e-12, lb["lb_pvalue"].iloc[0], "statsmodels")


def spectrum(kind: str, got: list, want: tuple, pf, pp) -> None:
    frequency, power = want
    top = max(power)
    same(kind + ": frequencies", len(got), len(frequency))
    for k, (f, p) in enumerate(got):
        if k > 0:
            agree(kind + ": frequency", f, frequency[k], 1e-12, pf[k], "scipy")
        agree(kind, p, power[k], 1e-9, pp[k], "scipy", top)


def alarms(out: dict, want: tuple, n: int, r1, step: int) -> None:
    _, power = want
    inner = power[1 : (n + 1) // 2]
    peaks = out["spectrum"]["peaks"]
    agree("largest peak", peaks[0]["power"], max(inner), 1e-9)
    g = max(inner) / mp.fsum(inner)
    white = ref.fisher(g, len(inner))
    if white > mp.mpf(10) ** -280:
        agree("false alarm, white", peaks[0]["false_alarm_white_noise"], white, 1e-9)
    red = ref.red_alarm(inner, inner.index(max(inner)) + 1, n, r1)
    agree("false alarm, red", peaks[0]["false_alarm_red_noise"], red, 1e-9)


def uneven(rng: random.Random) -> None:
    n, t, rows = rng.randint(12, 40), 0, []
    text = values_of(rng, n)
    for v in text:
        t += rng.randint(30, 170)
        rows.append([str(t), v])
    name = capture(["t_ms", "x"], rows, "t_ms")
    arguments = {"column": "x", "detrend": "mean", "time_unit": "ms"}
    out = invoke("timeseries_tool", "1.0.0", name, arguments)["structured_output"]
    same("uneven: shape", out["time"]["shape"], "irregular")
    x = [mp.mpf(v) for v in text]
    first = int(rows[0][0])
    at = [(mp.mpf(r[0]) - first) / 1000 for r in rows]
    ft, f = np.array([float(v) for v in at]), np.array([float(v) for v in text])
    trends(out, at, x, ft, f)
    for peak in out["spectrum"]["peaks"]:
        want = ref.sine_share(at, x, mp.mpf(peak["frequency"]))
        angular = np.array([2 * np.pi * peak["frequency"]] * 2)
        peer = signal.lombscargle(ft, f, angular, normalize=True, floating_mean=True)[0]
        agree("Lomb-Scargle", peak["power"], want, 1e-9, peer, "scipy")


def changes(rng: random.Random) -> None:
    n, least = rng.randint(20, 70), rng.choice([1, 2, 5])
    factor = rng.choice([1.5, 2, 3, 6])
    text = values_of(rng, n)
    name = capture(["x"], [[v] for v in text])
    arguments = {"column": "x", "spectrum": "none", "min_segment": least, "penalty": factor}
    answer = invoke("timeseries_tool", "1.0.0", name, arguments)
    out = answer["structured_output"]["change_points"]
    x = [mp.mpf(v) for v in text]
    noise = ref.noise(x)
    penalty = mp.mpf(factor) * noise**2 * mp.log(n)
    agree("changes: noise", out["noise"], noise, 1e-12)
    agree("changes: penalty", out["penalty"], penalty, 1e-12)
    ends, cost = ref.partition(x, least, penalty)
    agree("changes: cost", out["cost"], cost, 1e-12)
    same("changes: places", [int(r[1]) for r in artifact(answer, "segments.csv")], ends)


def main() -> None:
    rng = random.Random(20261122)
    for i in range(DATASETS):
        (summaries, regular, uneven, changes)[i % 4](rng)
    print(f"{'figure':26} {'compared':>8} {'worst':>9}  peer's worst")
    for kind, error in worst.items():
        peer = f"{peers[kind][0]:9.1e}  {peers[kind][1]}" if kind in peers else ""
        print(f"{kind:26} {counts[kind]:8} {error:9.1e}  {peer}")
    for line in failed[:40]:
        print("FAILED", line)
    total = sum(counts.values())
    typical = statistics.median(worst.values())
    print(
        f"{DATASETS} tables, {len(worst)} kinds, {total} figures, median of the worst {typical:.1e}, "
        f"{len(failed)} disagreements"
    )
    print(f"{total - len(failed)} passed, {len(failed)} failed, 0 skipped")
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
