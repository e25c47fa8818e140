#!/usr/bin/env bash
# CalculiX is the system's (apt.txt). The driver of the engine mfem runs it, as a
# program of its own, for non-linear structures.
set -euo pipefail
if ! command -v ccx >/dev/null; then
  echo "calculix: there is no program ccx" >&2
  exit 1
fi
# It ends with a status of its own after it has told its version.
version="$( (ccx -v 2>/dev/null || true) | sed -n 's/.*Version \([0-9.]*\).*/\1/p' | head -n 1)"
echo "calculix: ${version:-unknown version}, the system's"
