#!/usr/bin/env bash
# Builds the workbench's page into workbench/dist, which is part of the sources so
# that the server is built without Node. With "check" it says instead whether dist
# is what the sources give, and whether their form and types are right; with "test"
# it runs the unit tests beside the sources.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/conformance/common.sh

need_node
npm_packages workbench workbench
case ${1:-} in
check) ;;
test) exec node workbench/test.mjs .cache/workbench ;;
*)
  node workbench/build.mjs .cache/workbench
  exit 0
  ;;
esac
node .cache/workbench/node_modules/prettier/bin/prettier.cjs --config workbench/package.json \
  --log-level warn --check 'workbench/src/**/*.{ts,tsx,css}' 'workbench/*.{mjs,html,json}' 'test/conformance/browser/*.{mjs,ts}'
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
node workbench/build.mjs .cache/workbench "$dir/dist"
# Compressed files are compared by what is in them: zlibs differ.
for tree in "$dir/dist" workbench/dist; do
  (cd "$tree" && find . -type f | LC_ALL=C sort | while read -r f; do
    case $f in
    *.gz) echo "$f $(gzip -dc "$f" | sha256sum)" ;;
    *) echo "$f $(sha256sum <"$f")" ;;
    esac
  done) >"$dir/$(basename "$(dirname "$tree")").sums"
done
if ! diff "$dir/workbench.sums" "$dir/$(basename "$dir").sums"; then
  echo "workbench/dist is not what workbench/src gives: run make workbench" >&2
  exit 1
fi
cp -r workbench/src workbench/tsconfig.json workbench/tsconfig.test.json "$dir/"
ln -s "$PWD/.cache/workbench/node_modules" "$dir/node_modules"
(cd "$dir" && node node_modules/typescript/bin/tsc --noEmit -p . && node node_modules/typescript/bin/tsc --noEmit -p tsconfig.test.json)
echo "workbench: dist is what the sources give, form and types are right"
