"""A session of the server, with nothing but the standard library."""

import json
import urllib.request
import uuid


def call(url, body=None, method=None, headers=None, kind="application/json"):
    """Send a request and decode the JSON of the answer."""
    data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers=headers or {})
    if data is not None:
        request.add_header("Content-Type", kind)
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


def session(base, name=None, content=b""):
    """Make a session, of a file if there is one, and return its id."""
    if name is None:
        return call(f"{base}/v1/sessions", {})["session_id"]
    mark = uuid.uuid4().hex
    head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = head.encode() + content + f"\r\n--{mark}--\r\n".encode()
    kind = f"multipart/form-data; boundary={mark}"
    return call(f"{base}/v1/sessions", body, kind=kind)["session_id"]


def events(answer):
    """Yield (id, type, data) of a stream of events."""
    number, kind, data = None, None, []
    for raw in answer:
        line = raw.decode().rstrip("\n")
        if line.startswith("id:"):
            number = int(line[3:])
        elif line.startswith("event:"):
            kind = line[6:].strip()
        elif line.startswith("data:"):
            data.append(line[5:].strip())
        elif line == "" and data:
            yield number, kind, json.loads("\n".join(data))
            kind, data = None, []


def chat(base, name, prompt):
    """Say something in a session and return every event of the turn."""
    request = urllib.request.Request(
        f"{base}/v1/sessions/{name}/chat",
        json.dumps({"prompt": prompt, "stream": True}).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=300) as answer:
        return list(events(answer))
