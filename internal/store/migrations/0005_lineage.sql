-- What a finished job was made from: a JSON list of files, each with its content and
-- the job that made it. It outlives the job, as its makers do, so that what was made of
-- its files is known to be out of date when theirs has changed.
CREATE TABLE lineage (
  job_id     TEXT PRIMARY KEY,
  inputs     TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE INDEX lineage_by_time ON lineage (created_at)
