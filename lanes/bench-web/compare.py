"""Holds web.fetch against Python trafilatura on the same saved pages.

The text comes through a running server's web.fetch, from pages served on the
loopback, and is scored against the text that people marked, by the metric of
scrapinghub/article-extraction-benchmark: 4-shingles of words, their true and
false positives and negatives normalised page by page, F1 of mean precision and
mean recall. The interval is a paired bootstrap over the pages. Processor time
is measured page by page inside each library's own process, in turns.
"""

import argparse
import collections
import gzip
import http.server
import importlib.metadata
import json
import pathlib
import random
import re
import statistics
import subprocess
import threading
import time
import urllib.request

import trafilatura

SHINGLE = 4
SEED = 20260


def shingles(text):
    """Count runs of four words; a shorter text is one run."""
    words = re.findall(r"\w+", text or "")
    runs = [tuple(words[i : i + SHINGLE]) for i in range(max(1, len(words) - SHINGLE + 1))]
    return collections.Counter(run for run in runs if run)


def counts(truth, found):
    """Return true positives, false positives and false negatives of one page, adding to 1."""
    want, got = shingles(truth), shingles(found)
    tp = sum((want & got).values())
    fp, fn = sum((got - want).values()), sum((want - got).values())
    total = tp + fp + fn
    return tuple(n / total for n in (tp, fp, fn)) if total else (0.0, 0.0, 0.0)


def scores(pages):
    """Return precision, recall and F1 over pages; a page that both sides leave empty is right."""
    precision = statistics.mean(tp / (tp + fp) for tp, fp, _ in pages if tp + fp)
    recall = statistics.mean(tp / (tp + fn) for tp, _, fn in pages if tp + fn)
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def difference(ours, theirs, rounds):
    """Return mean and 95 % interval of F1 ours minus theirs, drawing the same pages for both."""
    draw = random.Random(SEED)
    found = []
    for _ in range(rounds):
        chosen = [draw.randrange(len(ours)) for _ in ours]
        found.append(scores([ours[i] for i in chosen])[2] - scores([theirs[i] for i in chosen])[2])
    found.sort()
    return statistics.mean(found), found[int(0.025 * rounds)], found[int(0.975 * rounds) - 1]


def plain(text):
    """Take the marks of Markdown out of a text, of either side."""
    text = re.sub(r"(?m)^\s*(#{1,6} |[-*] |\d+\. |> )", "", text)
    return re.sub(r"[|`*]", " ", text)


class Pages(http.server.BaseHTTPRequestHandler):
    """Serves the saved pages as /<id>."""

    bodies: dict = {}

    def do_GET(self):
        """Answer a page, or 404, which also is this server's robots.txt."""
        body = self.bodies.get(self.path.lstrip("/"))
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_):
        """Keep quiet."""


def fetch(server, url):
    """Call web.fetch by document 004's dialect."""
    request = urllib.request.Request(
        server + "/v1/tools/web.fetch",
        json.dumps({"url": url}).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def through_server(server, port, bodies):
    """Read all pages with web.fetch."""
    Pages.bodies = bodies
    pages = http.server.ThreadingHTTPServer(("127.0.0.1", port), Pages)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    return {name: fetch(server, f"http://127.0.0.1:{port}/{name}")["clean_text"] for name in bodies}


def in_turns(program, files, urls, texts, rounds):
    """Return processor milliseconds per page, medians of rounds: ours, trafilatura's, its fast mode's."""
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    spent = {kind: collections.defaultdict(list) for kind in ("ours", "default", "fast")}
    extractor = {}
    for turn in range(rounds + 1):
        for name, path in files.items():
            process.stdin.write(f"{path}\t{urls[name]}\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            extractor[name] = answer["extractor"]
            times = {"ours": answer["cpu_ms"]}
            for kind in ("default", "fast"):
                before = time.process_time()
                trafilatura.extract(
                    texts[name], url=urls[name], include_comments=False, with_metadata=True, fast=kind == "fast"
                )
                times[kind] = 1000 * (time.process_time() - before)
            if turn:  # the first is to warm up
                for kind, ms in times.items():
                    spent[kind][name].append(ms)
    process.stdin.close()
    process.wait()
    print("extractors:", dict(collections.Counter(extractor.values())))
    return {kind: {name: statistics.median(ms) for name, ms in pages.items()} for kind, pages in spent.items()}


def main():
    """Compare, print the figures, and fail where ours fall short."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("server")
    arguments.add_argument("port", type=int)
    arguments.add_argument("program")
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("scratch", type=pathlib.Path)
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()
    truth = json.loads((given.folder / "ground-truth.json").read_text())
    bodies = {name: gzip.decompress((given.folder / "html" / f"{name}.html.gz").read_bytes()) for name in truth}
    files, texts = {}, {}
    for name, body in bodies.items():
        files[name] = given.scratch / f"{name}.html"
        files[name].write_bytes(body)
        texts[name] = body.decode(errors="replace")
    urls = {name: page["url"] for name, page in truth.items()}

    ours = through_server(given.server, given.port, bodies)
    read = {
        "web.fetch": [counts(truth[n]["articleBody"], plain(ours[n])) for n in truth],
    }
    for kind in ("default", "fast"):
        found = {n: trafilatura.extract(texts[n], include_comments=False, fast=kind == "fast") or "" for n in truth}
        read[f"trafilatura {kind}"] = [counts(truth[n]["articleBody"], plain(found[n])) for n in truth]
    version = importlib.metadata.version("trafilatura")
    print(f"{len(truth)} pages, trafilatura {version}")
    for name, pages in read.items():
        print("%-20s precision %.4f  recall %.4f  F1 %.4f" % (name, *scores(pages)))
    failed = False
    for kind in ("default", "fast"):
        mean, low, high = difference(read["web.fetch"], read[f"trafilatura {kind}"], 10_000)
        print(f"F1 of web.fetch minus trafilatura {kind}: {mean:+.4f}, 95 % of a paired bootstrap {low:+.4f} to {high:+.4f}")
        failed |= high < 0
    for i, name in enumerate(truth):
        print("  %s  %.3f  %.3f" % (name[:8], scores([read["web.fetch"][i]])[2], scores([read["trafilatura default"][i]])[2]))

    spent = in_turns(given.program, files, urls, texts, given.rounds)
    medians = {kind: statistics.median(pages.values()) for kind, pages in spent.items()}
    means = {kind: statistics.mean(pages.values()) for kind, pages in spent.items()}
    for kind in ("default", "fast"):
        ratio = medians["ours"] / medians[kind]
        paired = statistics.median(spent["ours"][n] / spent[kind][n] for n in truth)
        print(
            f"processor time per page, median {medians['ours']:.2f} ms, trafilatura {kind} {medians[kind]:.2f} ms: "
            f"ratio {ratio:.2f}, page by page {paired:.2f}; means {means['ours']:.2f} and {means[kind]:.2f} ms"
        )
    failed |= medians["ours"] > 0.8 * medians["default"]
    best = scores(read["web.fetch"])[2], scores(read["trafilatura default"])[2], medians["ours"] / medians["default"]
    print("bench-web: F1 %.4f against %.4f, processor time %.2f of trafilatura's" % best)
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
