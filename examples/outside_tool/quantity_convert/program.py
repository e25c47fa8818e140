#!/usr/bin/env python3
"""quantity.convert: a tool of Atelier that is no part of Atelier.

One JSON request on stdin, JSON lines on stdout; docs/outside-tools.md has both.
"""

import json
import sys

# name: (quantity, factor, offset), value in SI = (value + offset) * factor. The
# inch, foot and pound-force are exact by definition (NIST SP 811, appendix B).
INCH = 0.0254
PSI = 0.45359237 * 9.80665 / INCH**2
UNITS = {
    "m": ("length", 1, 0),
    "mm": ("length", 0.001, 0),
    "in": ("length", INCH, 0),
    "ft": ("length", 12 * INCH, 0),
    "Pa": ("pressure", 1, 0),
    "kPa": ("pressure", 1e3, 0),
    "MPa": ("pressure", 1e6, 0),
    "bar": ("pressure", 1e5, 0),
    "psi": ("pressure", PSI, 0),
    "K": ("temperature", 1, 0),
    "degC": ("temperature", 1, 273.15),
    "degF": ("temperature", 5 / 9, 459.67),
}


def send(kind, **fields):
    print(json.dumps({"type": kind, **fields}, allow_nan=False), flush=True)


def fail(code, message, field, hint):
    send("error", code=code, message=message, field=field, hint=hint)
    sys.exit(0)


def convert(value, source, target):
    _, factor, offset = UNITS[source]
    si = (value + offset) * factor
    _, factor, offset = UNITS[target]
    return si / factor - offset


def main():
    given = json.loads(sys.stdin.readline())["input"]
    value, source, target = given["value"], given["from"], given["to"]
    for field, unit in (("from", source), ("to", target)):
        if unit not in UNITS:
            fail(
                "invalid_input",
                f"there is no unit {unit!r}",
                "/" + field,
                "Use one of " + ", ".join(UNITS) + ".",
            )
    quantity = UNITS[source][0]
    if UNITS[target][0] != quantity:
        fail(
            "invalid_input",
            f"{source} is a {quantity}, {target} a {UNITS[target][0]}",
            "/to",
            "Use a unit of the same quantity.",
        )
    if quantity == "temperature" and convert(value, source, "K") < 0:
        fail(
            "ERR_IMPLAUSIBLE_VALUE",
            f"{value} {source} is below absolute zero",
            "/value",
            "See whether value has the unit from.",
        )
    send("progress", fraction=0.5, message="converting")
    result = convert(value, source, target)
    back = convert(result, target, source)
    # Beside the value, an offset of the units bounds what rounding can do.
    scale = max(abs(value), UNITS[source][2], UNITS[target][2], 1e-300)
    error = abs(back - value) / scale
    send(
        "result",
        summary=f"{value:g} {source} are {result:.10g} {target}.",
        output={"value": result, "unit": target, "quantity": quantity},
        evidence={
            "checks": [
                {
                    "name": "round_trip",
                    "kind": "exact",
                    "figure": "/value",
                    "value": error,
                    "limit": 1e-14,
                    "unit": "1",
                    "passed": error <= 1e-14,
                    "sentence": "The result converted back, against the value, relative.",
                }
            ],
            "quantities": [
                {
                    "name": "converted",
                    "figure": "/value",
                    "value": result,
                    "unit": target,
                    "error": 1e-14 * max(abs(result), UNITS[source][2], UNITS[target][2]),
                    "coverage": "rounding",
                    "method": "definitions of NIST SP 811, appendix B",
                    "quoted": True,
                }
            ],
        },
    )


if "--version" in sys.argv:  # atelier doctor asks
    print(json.dumps({"version": "0.1.0"}))
else:
    main()
