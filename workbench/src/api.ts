// Requests to the server: the token, errors as sentences, event streams that
// are resumed where they broke off.
import type { JobError } from "./types";

const tokenKey = "atelier.token";
let token = sessionStorage.getItem(tokenKey) ?? "";
let askForToken: () => void = () => {};

/** setToken keeps the token for this tab. */
export function setToken(value: string): void {
  token = value;
  sessionStorage.setItem(tokenKey, value);
}

/** hasToken says whether links must be fetched, since they carry no header. */
export const hasToken = (): boolean => token !== "";

/** onUnauthorized is told when the server wants a token. */
export function onUnauthorized(ask: () => void): void {
  askForToken = ask;
}

/** ApiError is an error of the server, or that it cannot be reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint = "",
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }

  /** list are all errors of an input, each with its JSON pointer. */
  get list(): FieldError[] {
    const all = this.details.errors;
    if (Array.isArray(all)) return all as FieldError[];
    const field = this.details.field;
    return typeof field === "string" ? [{ field, message: this.message, hint: this.hint, code: this.code }] : [];
  }
}

export interface FieldError {
  field?: string;
  message: string;
  hint?: string;
  code: string;
}

/** errorOf makes an ApiError of a job's error. */
export function errorOf(e: JobError): ApiError {
  return new ApiError(200, e.code, e.message, String(e.details?.hint ?? ""), e.details ?? {});
}

async function refused(r: Response): Promise<ApiError> {
  if (r.status === 401) askForToken();
  try {
    const { error } = (await r.json()) as { error: JobError };
    return new ApiError(r.status, error.code, error.message, String(error.details?.hint ?? ""), error.details ?? {});
  } catch {
    return new ApiError(r.status, "http_" + r.status, `The server answered with status ${r.status}.`);
  }
}

/** request fetches; an answer that is no success is thrown as an ApiError. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token) headers.set("Authorization", "Bearer " + token);
  let r: Response;
  try {
    r = await fetch(path, { ...init, headers });
  } catch (e) {
    if ((e as Error).name === "AbortError") throw e;
    throw new ApiError(0, "unreachable", "The server cannot be reached.", "It may be starting; this page tries again.");
  }
  if (!r.ok) throw await refused(r);
  return r;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await request(path, { signal })).json() as Promise<T>;
}

export async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
  const r = await request(path, {
    method,
    headers: body === undefined ? {} : { "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return r.json() as Promise<T>;
}

/** upload sends files as a form. */
export async function upload<T>(path: string, files: Iterable<File>): Promise<T> {
  const form = new FormData();
  for (const f of files) form.append("file", f, f.name);
  return (await request(path, { method: "POST", body: form })).json() as Promise<T>;
}

export interface ServerEvent {
  id: number;
  event: string;
  data: any;
}

async function* parse(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let buffer = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      buffer += value;
      for (let end = buffer.indexOf("\n\n"); end >= 0; end = buffer.indexOf("\n\n")) {
        const e: ServerEvent = { id: 0, event: "message", data: null };
        for (const line of buffer.slice(0, end).split("\n")) {
          if (line.startsWith("id: ")) e.id = Number(line.slice(4));
          else if (line.startsWith("event: ")) e.event = line.slice(7);
          else if (line.startsWith("data: ")) e.data = JSON.parse(line.slice(6));
        }
        buffer = buffer.slice(end + 2);
        if (e.data !== null) yield e;
      }
    }
  } finally {
    reader.releaseLock();
  }
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((done) => {
    const t = setTimeout(done, ms);
    signal.addEventListener("abort", () => (clearTimeout(t), done()), { once: true });
  });

/**
 * follow reads an event stream and goes on after the last event when the
 * connection breaks off, until the server ends the stream, finished says so, or
 * the signal. A server that is away is tried again, ever more slowly.
 */
export async function* follow(
  path: string,
  signal: AbortSignal,
  finished: (e: ServerEvent) => boolean,
  down: (error: ApiError | null) => void = () => {},
  after = 0,
): AsyncGenerator<ServerEvent> {
  for (let wait = 250; !signal.aborted; wait = Math.min(wait * 2, 5000)) {
    try {
      const r = await request(path, {
        signal,
        headers: { Accept: "text/event-stream", "Last-Event-ID": String(after) },
      });
      down(null);
      for await (const e of parse(r.body!)) {
        wait = 250;
        if (e.id > after) after = e.id;
        yield e;
        if (finished(e)) return;
      }
      return;
    } catch (e) {
      if (signal.aborted) return;
      if (e instanceof ApiError && e.status >= 400 && e.status < 500) throw e;
      down(
        e instanceof ApiError
          ? e
          : new ApiError(0, "broken_off", "The connection broke off; it is being taken up again."),
      );
      await pause(wait, signal);
    }
  }
}

/** save fetches a content and hands it to the browser's downloads. */
export async function save(url: string, name: string): Promise<void> {
  const blob = await (await request(url)).blob();
  saveBlob(blob, name);
}

export function saveBlob(blob: Blob, name: string): void {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}
