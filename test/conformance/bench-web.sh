#!/usr/bin/env bash
# web.fetch beside Python trafilatura on saved pages with the text that people
# marked: F1 with a paired bootstrap, and processor time per page.
# The pages are those of scrapinghub/article-extraction-benchmark, in a folder
# with ground-truth.json and html/<id>.html.gz: $1, or webpages in the folder of
# shared data that ATELIER_SHARED names.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/conformance/common.sh

pages=${1:-${ATELIER_SHARED:-../shared}/data/webpages}
if [ ! -f "$pages/ground-truth.json" ]; then
  echo "bench-web: skipped, there is no $pages/ground-truth.json (clone github.com/scrapinghub/article-extraction-benchmark and name its folder)"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi
python_packages bench-web test/conformance/bench-web/requirements.txt
work_folder
go build -o "$dir/bench-web" ./test/bench/web
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
serve --root "$dir" --log-level error --family web-fetch --web-allow "127.0.0.1:$port" --web-per-second=-1
.cache/bench-web/bin/python test/conformance/bench-web/compare.py "$url" "$port" "$dir/bench-web" "$pages" "$dir"
