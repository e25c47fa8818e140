"""The table of the largest relative differences, ours and the peers', and the ends
of intervals, which one step of Newton in 50 digits judges."""

import math

import mpmath as mp
from anova_reference import noncentral_f, noncentral_t, refined
from compare import capture, invoke

VERSION = "1.1.0"
ours: dict[str, float] = {}
counts: dict[str, int] = {}
peers: dict[str, dict[str, float]] = {}
failed: list[str] = []


def relative(got, want) -> float:
    want = mp.mpf(want)
    if got is None or (isinstance(got, float) and math.isnan(got)):
        return math.inf
    error = abs(mp.mpf(got) - want)
    return float(error / abs(want)) if want != 0 else float(error)


def agree(kind: str, figure: str, got, want, limit=1e-12, **others) -> None:
    """Ours must agree; a peer's figure is noted."""
    counts[kind] = counts.get(kind, 0) + 1
    want = mp.mpf(want)
    if 0 <= want < 1e-300 and got is not None and abs(got) < 1e-300:
        return  # a float64 holds fewer digits there, then none
    error = relative(got, want)
    ours[kind] = max(ours.get(kind, 0.0), error)
    if not error <= limit:
        failed.append(f"{kind}, {figure}: {got!r} is not {mp.nstr(want, 17)} ({error:.1e})")
    for name, value in others.items():
        if value is not None:
            row = peers.setdefault(kind, {})
            row[name] = max(row.get(name, 0.0), relative(value, want))


def text(x: float, digits: int) -> str:
    return f"{x:.{digits}g}"


def ask(header, rows, tool, **arguments):
    return invoke(tool, VERSION, capture(header, rows), arguments)


def share_interval(kind, out, f, df, dfe) -> None:
    """The ends of the share: one step of Newton from ours in 50 digits."""
    for end, wanted in (("low", 0.975), ("high", 0.025)):
        got = out[end]
        if got is None:
            failed.append(f"{kind}: no interval")
        elif got > 1e-12:
            size = df + dfe + 1
            noncentrality = mp.mpf(got) * size / (1 - mp.mpf(got))
            right = refined(noncentrality, mp.mpf(wanted), lambda x: noncentral_f(f, df, dfe, x))
            if right > 0.1:
                agree(kind, end, got, right / (right + size), 1e-12)
            else:  # the end's own digits end where the tail's do: judged absolutely
                agree(kind + ", near 0", end, 1 + mp.mpf(got), 1 + right / (right + size), 1e-13)
        else:
            below, _ = noncentral_f(f, df, dfe, mp.mpf(0))
            if below > wanted:
                failed.append(
                    f"{kind}: {end} is {got}, and the central distribution reaches {float(below)} only"
                )


def difference_interval(kind, out, t, df, unit) -> None:
    """The ends of Hedges' g, of which t times unit is the difference in deviations."""
    factor = mp.gamma(mp.mpf(df) / 2) / mp.gamma(mp.mpf(df - 1) / 2) / mp.sqrt(mp.mpf(df) / 2) * unit
    for end, wanted in (("hedges_g_low", 0.975), ("hedges_g_high", 0.025)):
        right = refined(mp.mpf(out[end]) / factor, mp.mpf(wanted), lambda x: noncentral_t(t, df, x))
        agree(kind, end, out[end], right * factor, 1e-11 if abs(right) < 0.1 else 1e-12)


def report(what: str) -> None:
    """Prints the table; a figure that disagrees ends the program with 1."""
    print(f"{'kind':38} {'ours':>8}  peers: largest relative difference")
    for kind, error in ours.items():
        beside = ", ".join(f"{name} {worst:.1e}" for name, worst in sorted(peers.get(kind, {}).items()))
        print(f"{kind:38} {error:8.1e}  {beside}")
    for line in failed[:40]:
        print("FAILED", line)
    print(f"{what}, {len(ours)} kinds, {len(failed)} disagreements")
    print(f"{sum(counts.values()) - len(failed)} passed, {len(failed)} failed, 0 skipped")
    if failed:
        raise SystemExit(1)
