#!/usr/bin/env bash
# Judges the MCP protocol: the conformance suite's requirements of 2025-11-25 and of
# 2026-07-28 with its ten scenarios of the tasks extension, and the Inspector
# over HTTP and stdio, in both eras of the protocol.
# Usage: test/conformance/mcp.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/conformance/common.sh
atelier=${ATELIER_BIN:-$PWD/bin/atelier}

need_node
npm_packages mcp test/conformance/mcp
tools=$PWD/.cache/mcp/node_modules/.bin

work_folder
serve --conformance --log-level warn

fail() {
  echo "mcp: $1" >&2
  cat "$2" >&2
  exit 1
}

# The suite's own exit code decides over what is scored; of the rest nothing may
# fail either, and all of it must have run.
requirements() { # revision, scored scenarios
  local log=$dir/$1.log
  "$tools/conformance" server --url "$url/mcp" --requirements "$1" >"$log" 2>&1 || fail "conformance $1" "$log"
  if grep -q '✗' "$log"; then
    fail "a scenario of $1 that is not scored fails" "$log"
  fi
  sed -n '/^=== SUMMARY/,/^Total:/p' "$log" | grep '^✓' | sed 's/^✓ //; s/:.*//' | sort >"$dir/passed"
  sed -n '/^Not scored/,$p' "$log" | grep '✓' | sed 's/^ *✓ //; s/ .*//' | sort >"$dir/unscored"
  local scored
  scored=$(comm -23 "$dir/passed" "$dir/unscored" | wc -l)
  [ "$scored" -eq "$2" ] || fail "$scored scored scenarios of $1 passed, $2 are required" "$log"
  figures+="$1 $scored/$2, "
  # A scenario that made no check of its own has shown nothing.
  local idle total
  idle=$(sed -n '/^=== SUMMARY/,/^Total:/p' "$log" | sed -n 's/^✓ \([^:]*\): 0 passed, 0 failed.*/\1/p' | sort)
  total=$(sed -n 's/^Total: \([0-9]*\) passed.*/\1/p' "$log")
  checks=$((checks + total))
  without=$((without + $(grep -c . <<<"$idle" || true)))
  tasks=$(comm -23 "$dir/passed" <(echo "$idle") | grep -c '^tasks-' || true)
  [ -z "$idle" ] || echo "conformance $1: no check is made by ${idle//$'\n'/, }"
  echo "conformance $1: $scored of $2 scored scenarios, $(sed -n 's/^Total: //p' "$log")"
}

figures='' checks=0 without=0 tasks=0
requirements 2025-11-25 30
requirements 2026-07-28 37
all=$(grep -c '^tasks-' "$dir/passed")
[ "$all" -eq 10 ] || fail "$all of the ten tasks-* scenarios passed" "$dir/2026-07-28.log"
echo "conformance of the tasks extension: $tasks of 10 scenarios passed checks, $((10 - tasks)) made none"

inspected=0
inspect() { # what, then the Inspector's arguments
  local what=$1
  shift
  "$tools/mcp-inspector" --cli "$@" >"$dir/inspected" 2>&1 || fail "inspector: $what" "$dir/inspected"
  inspected=$((inspected + 1))
}
call=(--method tools/call --tool-name echo_json --tool-args-json '{"message":"hello","n":2}')
forwarded=(--method tools/call --tool-name call_tool --tool-args-json '{"tool":"echo_json","input":{"message":"hello","n":2}}')
for era in legacy modern; do
  inspect "list over HTTP, $era" "$url/mcp" --transport http --protocol-era "$era" --method tools/list --strict
  inspect "list over stdio, $era" --protocol-era "$era" --method tools/list --strict -- "$atelier" mcp --data "$dir/stdio"
  inspect "call over HTTP, $era" "$url/mcp" --transport http --protocol-era "$era" "${call[@]}"
  grep -q '"repeat"' "$dir/inspected" || fail "inspector: no output over HTTP" "$dir/inspected"
  inspect "call over stdio, $era" --protocol-era "$era" "${call[@]}" -- "$atelier" mcp --toolset all --data "$dir/stdio"
  grep -q '"repeat"' "$dir/inspected" || fail "inspector: no output over stdio" "$dir/inspected"
  # The Inspector calls no tool that is not listed; call_tool is listed, and leads to all.
  inspect "call by call_tool, $era" --protocol-era "$era" "${forwarded[@]}" -- "$atelier" mcp --data "$dir/stdio"
  grep -q '"repeat"' "$dir/inspected" || fail "inspector: no output of call_tool" "$dir/inspected"
done
# The server names of the contracts (web-fetch, mlxctl) are subsets of their own.
inspect "a family" --method tools/list --strict -- "$atelier" mcp --data "$dir/stdio" --family util --names canonical
if ! grep -q '"echo_json"' "$dir/inspected" || grep -q '"fea' "$dir/inspected"; then
  fail "--family util lists something else" "$dir/inspected"
fi

echo "mcp: ${figures}tasks $tasks/10, inspector $inspected of $inspected"
echo "$((checks + inspected)) passed, 0 failed, $without skipped"
