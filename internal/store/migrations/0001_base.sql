-- Runs on SQLite and on Postgres. Times are milliseconds since 1970 in UTC, 0
-- for never; absent texts are empty; truth values are 0 and 1.

CREATE TABLE jobs (
  id               TEXT PRIMARY KEY,
  tool             TEXT NOT NULL,
  queue            TEXT NOT NULL,
  state            TEXT NOT NULL,
  input            TEXT NOT NULL,
  limits           TEXT NOT NULL,
  context          TEXT NOT NULL,
  request_id       TEXT NOT NULL,
  idempotency_key  TEXT NOT NULL,
  idempotent       INTEGER NOT NULL,
  created_at       BIGINT NOT NULL,
  started_at       BIGINT NOT NULL,
  finished_at      BIGINT NOT NULL,
  summary          TEXT NOT NULL,
  result           TEXT NOT NULL,
  error            TEXT NOT NULL,
  attempt          INTEGER NOT NULL,
  interruptions    INTEGER NOT NULL,
  worker           TEXT NOT NULL,
  lease_until      BIGINT NOT NULL,
  cancel_requested INTEGER NOT NULL,
  pinned           INTEGER NOT NULL,
  bytes            BIGINT NOT NULL
);

CREATE INDEX jobs_by_time ON jobs (created_at, id);

CREATE INDEX jobs_active ON jobs (state, queue) WHERE state IN ('queued', 'running');

CREATE UNIQUE INDEX jobs_by_key ON jobs (idempotency_key) WHERE idempotency_key <> '';

CREATE TABLE artifacts (
  job_id   TEXT NOT NULL,
  name     TEXT NOT NULL,
  position INTEGER NOT NULL,
  mime     TEXT NOT NULL,
  bytes    BIGINT NOT NULL,
  sha256   TEXT NOT NULL,
  head     TEXT NOT NULL,
  PRIMARY KEY (job_id, name)
);

CREATE INDEX artifacts_by_content ON artifacts (sha256);

CREATE TABLE events (
  job_id TEXT NOT NULL,
  seq    BIGINT NOT NULL,
  data   TEXT NOT NULL,
  PRIMARY KEY (job_id, seq)
);

CREATE TABLE files (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  mime       TEXT NOT NULL,
  bytes      BIGINT NOT NULL,
  sha256     TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  pinned     INTEGER NOT NULL
);

CREATE INDEX files_by_time ON files (created_at, id);

CREATE INDEX files_by_content ON files (sha256);

-- A content is put down here before its bytes are written, and its row goes
-- after its bytes: what lies in the blob store is always accounted for. The row's
-- own name tells it from an earlier row of the same content that was freed.
CREATE TABLE blobs (
  sha256      TEXT PRIMARY KEY,
  row_name    TEXT NOT NULL,
  bytes       BIGINT NOT NULL,
  touched_at  BIGINT NOT NULL,
  deleting_at BIGINT NOT NULL
);

CREATE INDEX blobs_by_time ON blobs (touched_at);

CREATE TABLE documents (
  kind       TEXT NOT NULL,
  id         TEXT NOT NULL,
  version    BIGINT NOT NULL,
  body       TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (kind, id)
);

CREATE INDEX documents_by_time ON documents (kind, updated_at, id);
