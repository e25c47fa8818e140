"""A search service in the shape of SearXNG for the suite: the query says how it behaves.

Every result names the query and the page of results that were asked for, so that an answer
shows what reached the service. Requests are written to the file that is given, one a line.
"""

import http.server
import json
import sys
import time
import urllib.parse

PER_PAGE = 10


def results(query: str, page: int) -> list[dict]:
    """Ten results a page, three pages; every fifth again under another form of its address."""
    if page > 3:
        return []
    found = []
    for n in range((page - 1) * PER_PAGE + 1, page * PER_PAGE + 1):
        host = "docs.example.org" if n % 2 else "www.example.net"
        found.append(
            {
                "title": f"<b>Result</b> {n} &amp; more",
                "url": f"https://{host}/page/{n}?utm_source=x#top",
                "content": f"Passage {n} on {query}, page {page}",
                "publishedDate": f"2026-01-{n:02}T03:04:05" if n % 3 else None,
                "engine": "made",
            }
        )
        if n % 5 == 0:
            found.append(
                {"title": "Again", "url": f"http://{host.removeprefix('www.')}/page/{n}/", "content": ""}
            )
    return found


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Answer GET /search as SearXNG does with format=json."""
        split = urllib.parse.urlsplit(self.path)
        asked = {k: v[0] for k, v in urllib.parse.parse_qs(split.query).items()}
        with open(sys.argv[2], "a", encoding="utf-8") as log:
            log.write(json.dumps({"path": split.path, **asked}) + "\n")
        query = asked.get("q", "")
        status, body = (
            200,
            json.dumps({"query": query, "results": results(query, int(asked.get("pageno", 1)))}),
        )
        if query.startswith("fails"):
            status, body = 500, "Internal Server Error: the engine broke"
        elif query.startswith("slow"):
            time.sleep(8)
        elif query.startswith("malformed"):
            body = '{"results": [{"title": "cut'
        elif query.startswith("formless"):
            body = json.dumps({"answers": []})
        elif query.startswith("nothing"):
            body = json.dumps({"results": []})
        raw = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
