-- What is known of the job that made a content. It outlives the job, since the
-- same bytes may lie elsewhere: uploaded, in a session, in a folder.
CREATE TABLE makers (
  sha256     TEXT NOT NULL,
  job_id     TEXT NOT NULL,
  tool       TEXT NOT NULL,
  trust      TEXT NOT NULL,
  reason     TEXT NOT NULL,
  origin     TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (sha256, job_id)
);

CREATE INDEX makers_by_time ON makers (created_at)
