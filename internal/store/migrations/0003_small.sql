-- The bytes of small contents: a row of a group commit costs less than a file
-- that is made durable on its own. A content's row here goes with its row in blobs.
CREATE TABLE small_blobs (
  sha256  TEXT PRIMARY KEY,
  content BYTEA NOT NULL
)
