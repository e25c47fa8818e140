"""Asks search.web over HTTP and over stdio MCP, with a real LiteLLM proxy behind it."""

import asyncio
import json
import os
import sys
import urllib.error
import urllib.request

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

CHECKS = 0


def check(what: str, good: bool, seen: object) -> None:
    """Count a check; end the suite at the first that fails."""
    global CHECKS
    if not good:
        sys.exit(f"search: {what}: {seen}")
    CHECKS += 1


def call(base: str, body: dict, timeout_ms: int = 0) -> tuple[int, dict, str]:
    """POST /v1/tools/search.web: status, answer, and the job's id."""
    url = base + "/v1/tools/search.web" + (f"?timeout_ms={timeout_ms}" if timeout_ms else "")
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status, json.load(reply), reply.headers["X-Atelier-Job-Id"]
    except urllib.error.HTTPError as error:
        return error.code, json.load(error), ""


def metrics(base: str, job: str) -> dict:
    """The metrics of a job's result."""
    with urllib.request.urlopen(f"{base}/v1/jobs/{job}", timeout=60) as reply:
        return json.load(reply)["result"]["metrics"]


def fault(
    base: str, what: str, body: dict, want: tuple[int, str], says: str = "", timeout_ms: int | None = None
) -> None:
    """Hold an error's status, code and words."""
    status, answer, _ = call(base, body, timeout_ms)
    code = answer.get("error", {}).get("code")
    text = json.dumps(answer)
    check(what, (status, code) == want and says in text and "sk-suite" not in text, (status, text))


def over_http(base: str) -> None:
    """The same service over HTTP: results, paging, filters, faults."""
    status, answer, job = call(base, {"query": "durable queue", "max_results": 3})
    first = answer["results"][0]
    check(
        "three results, although LiteLLM gives eleven", status == 200 and len(answer["results"]) == 3, answer
    )
    check(
        "closed output",
        set(first) == {"title", "url", "snippet", "date"} and set(answer) == {"results"},
        answer,
    )
    check("plain text", first["title"] == "Result 1 & more" and first["date"] == "2026-01-01T03:04:05", first)
    check("the query reached the service", "on durable queue, page 1" in first["snippet"], first)
    told = metrics(base, job)
    check("the service stands in the metrics", told["backend"] == "litellm", told)
    status, answer, job = call(base, {"query": "durable queue", "max_results": 25})
    addresses = [r["url"] for r in answer["results"]]
    check(
        "25 results over three pages of the service", len(addresses) == 25 == len(set(addresses)), addresses
    )
    check("duplicates merged", metrics(base, job)["duplicates_merged"] >= 4, metrics(base, job))
    status, answer, job = call(base, {"query": "nothing at all"})
    check("no results are no error", status == 200 and answer == {"results": []}, answer)
    fault(base, "blank query", {"query": "   "}, (400, "invalid_query"))
    fault(base, "no query", {}, (400, "invalid_query"))
    fault(base, "26 results", {"query": "x", "max_results": 26}, (400, "invalid_query"))
    fault(base, "upstream 500", {"query": "fails"}, (502, "upstream_failure"), "behind the proxy")
    fault(base, "malformed JSON", {"query": "malformed"}, (502, "upstream_failure"))
    fault(base, "slow", {"query": "slow"}, (504, "timeout"), timeout_ms=1500)


async def over_mcp(program: str, arguments: list[str]) -> None:
    """Over stdio MCP, as the server web-fetch of the document."""
    parameters = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        names = {tool.name for tool in (await session.list_tools()).tools}
        check("the server web-fetch", names == {"search.web", "web.fetch"}, names)
        reply = await session.call_tool("search.web", {"query": "durable queue", "max_results": 2})
        raw = reply.model_dump(by_alias=True)
        output = raw["structuredContent"]
        check("two results over MCP", len(output["results"]) == 2 and not raw.get("isError"), raw)
        check("the service stands in _meta", raw["_meta"]["metrics"]["backend"] == "litellm", raw["_meta"])
        reply = await session.call_tool("search.web", {"query": "fails"})
        raw = reply.model_dump(by_alias=True)
        check(
            "a failure over MCP",
            raw["isError"] and raw["_meta"]["errors"][0]["code"] == "upstream_failure",
            raw,
        )


def main() -> None:
    """Run one of the three parts."""
    part, rest = sys.argv[1], sys.argv[2:]
    if part == "http":
        over_http(rest[0])
    elif part == "mcp":
        asyncio.run(over_mcp(rest[0], rest[1:]))
    else:  # one fault of a server that is set up for it: base, status, code, words
        fault(rest[0], part, {"query": "durable queue"}, (int(rest[1]), rest[2]), rest[3])
    print(CHECKS)


main()
