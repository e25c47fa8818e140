-- A session's body is what its callers write; run_id names the run that works on
-- it, '' when none does. Everything of a session changes under its row's lock.

CREATE TABLE sessions (
  id         TEXT PRIMARY KEY,
  version    BIGINT NOT NULL,
  body       TEXT NOT NULL,
  run_id     TEXT NOT NULL,
  run_worker TEXT NOT NULL,
  run_cancel INTEGER NOT NULL,
  run_lease  BIGINT NOT NULL,
  event_seq  BIGINT NOT NULL,
  bytes      BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);

CREATE INDEX sessions_by_time ON sessions (created_at, id);

CREATE INDEX sessions_by_change ON sessions (updated_at);

CREATE INDEX sessions_at_work ON sessions (run_worker) WHERE run_id <> '';

CREATE TABLE session_assets (
  session_id TEXT NOT NULL,
  path       TEXT NOT NULL,
  position   BIGINT NOT NULL,
  mime       TEXT NOT NULL,
  bytes      BIGINT NOT NULL,
  sha256     TEXT NOT NULL,
  head       TEXT NOT NULL,
  job_id     TEXT NOT NULL,
  artifact   TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (session_id, path)
);

CREATE INDEX session_assets_by_content ON session_assets (sha256);

CREATE TABLE session_steps (
  session_id  TEXT NOT NULL,
  position    BIGINT NOT NULL,
  id          TEXT NOT NULL,
  tool        TEXT NOT NULL,
  job_id      TEXT NOT NULL,
  state       TEXT NOT NULL,
  input       TEXT NOT NULL,
  body        TEXT NOT NULL,
  started_at  BIGINT NOT NULL,
  finished_at BIGINT NOT NULL,
  PRIMARY KEY (session_id, position)
);

CREATE UNIQUE INDEX session_steps_by_id ON session_steps (session_id, id);

CREATE INDEX session_steps_open ON session_steps (started_at) WHERE finished_at = 0;

CREATE TABLE session_events (
  session_id TEXT NOT NULL,
  seq        BIGINT NOT NULL,
  type       TEXT NOT NULL,
  run_id     TEXT NOT NULL,
  data       TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (session_id, seq)
);
