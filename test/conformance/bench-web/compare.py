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
import typing
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

    bodies: typing.ClassVar[dict[str, bytes]] = {}

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
    """Call web.fetch by its direct route."""
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


# What trafilatura is asked for. Ours gives title, author and date with the text, so
# the default with them is what it is held against.
PEERS = {
    "trafilatura": {"with_metadata": True},
    "trafilatura fast": {"with_metadata": True, "fast": True},
    "trafilatura fast, text alone": {"fast": True},
}


def peer(name, text, url):
    """Read a page with trafilatura."""
    return trafilatura.extract(text, url=url, include_comments=False, **PEERS[name])


def in_turns(program, pages, rounds):
    """Return processor milliseconds per page, medians of rounds, of ours and of each peer."""
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    spent = {kind: collections.defaultdict(list) for kind in ("ours", *PEERS)}
    for turn in range(rounds + 1):
        for name, page in pages.items():
            process.stdin.write(f"{page['file']}\t{page['url']}\n")
            process.stdin.flush()
            times = {"ours": json.loads(process.stdout.readline())["cpu_ms"]}
            for kind in PEERS:
                before = time.process_time()
                peer(kind, page["text"], page["url"])
                times[kind] = 1000 * (time.process_time() - before)
            if turn:  # the first is to warm up
                for kind, ms in times.items():
                    spent[kind][name].append(ms)
    process.stdin.close()
    process.wait()
    return {kind: [statistics.median(found[name]) for name in pages] for kind, found in spent.items()}


def load(folder, scratch):
    """Return the pages: what people marked, the body, its text, its URL, and a file of it."""
    pages = {}
    for name, page in json.loads((folder / "ground-truth.json").read_text()).items():
        body = gzip.decompress((folder / "html" / f"{name}.html.gz").read_bytes())
        file = scratch / f"{name}.html"
        file.write_bytes(body)
        text = body.decode(errors="replace")
        pages[name] = {
            "truth": page["articleBody"],
            "url": page["url"],
            "body": body,
            "text": text,
            "file": file,
        }
    return pages


def compare_texts(pages, ours):
    """Print precision, recall and F1 of all, and return F1 of ours and whether it falls short."""
    found = {"web.fetch": ours}
    for kind in ("trafilatura", "trafilatura fast"):
        found[kind] = {n: trafilatura_text(kind, page) for n, page in pages.items()}
    read = {}
    for kind, texts in found.items():
        read[kind] = [counts(page["truth"], plain(texts[n])) for n, page in pages.items()]
        precision, recall, f1 = scores(read[kind])
        print(f"{kind:20} precision {precision:.4f}  recall {recall:.4f}  F1 {f1:.4f}")
    short = False
    for kind in ("trafilatura", "trafilatura fast"):
        mean, low, high = difference(read["web.fetch"], read[kind], 10_000)
        print(
            f"F1 of web.fetch minus {kind}: {mean:+.4f}, 95 % of a paired bootstrap {low:+.4f} to {high:+.4f}"
        )
        short |= high < 0
    return scores(read["web.fetch"])[2], scores(read["trafilatura"])[2], short


def trafilatura_text(kind, page):
    """Return the text alone, without the head that metadata make."""
    fast = PEERS[kind].get("fast", False)
    return trafilatura.extract(page["text"], include_comments=False, fast=fast) or ""


def compare_times(spent):
    """Print processor times, and return the ratio of medians of ours and trafilatura's default."""
    ours = statistics.median(spent["ours"])
    for kind in PEERS:
        theirs = statistics.median(spent[kind])
        paired = statistics.median(a / b for a, b in zip(spent["ours"], spent[kind], strict=True))
        print(
            f"processor time per page, median {ours:.2f} ms, {kind} {theirs:.2f} ms: "
            f"ratio {ours / theirs:.2f}, page by page {paired:.2f}"
        )
    return ours / statistics.median(spent["trafilatura"])


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
    pages = load(given.folder, given.scratch)
    print(f"{len(pages)} pages, trafilatura {importlib.metadata.version('trafilatura')}")
    ours = through_server(given.server, given.port, {n: page["body"] for n, page in pages.items()})
    f1, theirs, short = compare_texts(pages, ours)
    ratio = compare_times(in_turns(given.program, pages, given.rounds))
    print(f"bench-web: F1 {f1:.4f} against {theirs:.4f}, processor time {ratio:.2f} of trafilatura's")
    failed = short + (ratio > 0.8)  # of texts and times
    print(f"{2 - failed} passed, {failed} failed, 0 skipped")
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
