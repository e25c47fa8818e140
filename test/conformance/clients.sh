#!/usr/bin/env bash
# Runs every block of docs/clients.md, as a reader would copy it, against a real
# server: the SDKs, the agent frameworks, and the clients' configurations.
set -euo pipefail
cd "$(dirname "$0")/../.."
source test/conformance/common.sh

python_packages clients test/conformance/clients/requirements.txt
npm_packages clients-npm test/conformance/clients

work_folder
serve --root "$dir" --log-level error
mkdir -p "$dir/parts" "$dir/blocks/go" "$dir/blocks/js"
cp test/conformance/clients/go.mod test/conformance/clients/go.sum "$dir/blocks/go/"
ln -s "$PWD/.cache/clients-npm/node_modules" "$dir/blocks/js/node_modules"
.cache/clients/bin/python test/conformance/clients/run.py docs/clients.md "$url" "$PWD/bin/atelier" "$dir/parts" "$dir/blocks"
