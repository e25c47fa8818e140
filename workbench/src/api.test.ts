// Against a real HTTP server of this process.
import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import "./testing";
import { ApiError, follow, get, onUnauthorized, send, setToken } from "./api";

async function serving(answer: RequestListener, body: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    await body(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("a refusal is an error with code, hint and the fields it speaks of", async () => {
  const error = { code: "invalid_input", message: "No.", details: { hint: "Do.", field: "/a" } };
  await serving(
    (_, res) => res.writeHead(422, { "Content-Type": "application/json" }).end(JSON.stringify({ error })),
    async (url) => {
      const e = await send("POST", url, { a: 1 }).catch((e: unknown) => e);
      assert.ok(e instanceof ApiError);
      assert.deepEqual([e.status, e.code, e.message, e.hint], [422, "invalid_input", "No.", "Do."]);
      assert.deepEqual(e.list, [{ field: "/a", message: "No.", hint: "Do.", code: "invalid_input" }]);
    },
  );
});

test("an answer that is no JSON, and none at all, are errors too", async () => {
  let url = "";
  await serving(
    (_, res) => res.writeHead(502).end("<html>"),
    async (u) => {
      url = u;
      await assert.rejects(get(u), { code: "http_502", status: 502 });
    },
  );
  await assert.rejects(get(url), { code: "unreachable", status: 0 });
});

test("the token is sent, and asked for where it is missing", async () => {
  let asked = 0;
  onUnauthorized(() => asked++);
  await serving(
    (req, res) =>
      req.headers.authorization === "Bearer open sesame"
        ? res.end('{"ok":true}')
        : res.writeHead(401).end(JSON.stringify({ error: { code: "unauthorized", message: "No." } })),
    async (url) => {
      await assert.rejects(get(url), { code: "unauthorized" });
      assert.equal(asked, 1);
      setToken("open sesame");
      assert.deepEqual(await get(url), { ok: true });
    },
  );
});

test("a stream that breaks off goes on after the last event", async () => {
  const after: (string | undefined)[] = [];
  await serving(
    (req, res) => {
      const last = Number(req.headers["last-event-id"]);
      after.push(req.headers["last-event-id"] as string);
      res.writeHead(200, { "Content-Type": "text/event-stream" });
      const event = `id: ${last + 1}\nevent: progress\ndata: {"n":${last + 1}}\n\n`;
      res.write(event.slice(0, 9));
      setTimeout(() => {
        res.write(event.slice(9) + (last < 2 ? "id: 99\ndata: {" : ""));
        setTimeout(() => (last < 2 ? res.destroy() : res.end()), 20);
      }, 20);
    },
    async (url) => {
      const seen: number[] = [];
      const down: (string | undefined)[] = [];
      const stop = new AbortController();
      for await (const e of follow(
        url,
        stop.signal,
        (e) => e.data.n === 3,
        (e) => down.push(e?.code),
      ))
        seen.push(e.data.n);
      assert.deepEqual(seen, [1, 2, 3]);
      assert.deepEqual(after, ["0", "1", "2"]);
      assert.deepEqual(down, [undefined, "broken_off", undefined, "broken_off", undefined]);
    },
  );
});

test("a refused stream is not asked for again", async () => {
  let asked = 0;
  await serving(
    (_, res) => (asked++, res.writeHead(404).end(JSON.stringify({ error: { code: "not_found", message: "No." } }))),
    async (url) => {
      await assert.rejects(
        async () => {
          for await (const e of follow(url, new AbortController().signal, () => false)) assert.fail(String(e));
        },
        { code: "not_found" },
      );
      assert.equal(asked, 1);
    },
  );
});
