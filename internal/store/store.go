// Package store keeps what must survive the process: rows in one database and
// file contents in one content-addressed blob store.
//
// Rows live in SQLite (one file, one process) or Postgres (many processes); the
// same SQL runs on both. A write that has returned nil is durable: a kill -9 or
// a power cut directly after it loses nothing. Concurrent writes on SQLite share
// one group commit.
//
// Contents live under their SHA-256 in a folder or an S3 bucket, small ones as
// rows. A content is held as long as an artifact or an uploaded file refers to
// it; Sweep frees the rest. The package runs nothing and knows no tool: package job does.
//
// All errors that leave the package are *contract.Error: not_found, conflict,
// quota_exceeded, or storage_unavailable with its cause.
package store

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"time"

	"atelier/internal/contract"
)

// State of a job. A job ends in exactly one of the last three.
type State string

// The states of a job.
const (
	Queued    State = "queued"
	Running   State = "running"
	Succeeded State = "succeeded"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// Finished says whether the state is final.
func (s State) Finished() bool { return s == Succeeded || s == Failed || s == Cancelled }

// Job is the record of one call. Times are UTC with millisecond resolution; the
// zero time means that it has not happened.
type Job struct {
	ID    string // job_ and 26 base-32 characters, see NewJobID
	Tool  string // canonical name
	Queue string // the engine whose workers run it; "" runs inside the server at once
	State State

	Input   json.RawMessage
	Limits  json.RawMessage // what the caller asked for, not yet resolved; nil when nothing
	Context json.RawMessage // the caller's context (session_id …), opaque here; nil when none

	RequestID      string
	IdempotencyKey string // "" when none; unique among all jobs
	Idempotent     bool   // the tool may be run again after an interruption

	Created, Started, Finished time.Time

	Summary string           // of the result; of a queued job, its input keys
	Result  *contract.Result // of a finished job, also of a failed or cancelled one
	Error   *contract.Error  // of a failed or cancelled job

	Attempt         int    // how often it was started
	Interruptions   int    // how often its process died under it
	Worker          string // the process that runs or ran it
	CancelRequested bool
	Pinned          bool  // retention never deletes it
	Bytes           int64 // of all its artifacts

	encoded   string           // Result as JSON, where it was encoded ahead
	encodedOf *contract.Result // the one that it was made of
}

// EncodeResult encodes the result ahead of the write, so that a result that
// cannot be encoded is found before, and the writer, which serves everyone, has
// less to do.
func (j *Job) EncodeResult() error {
	text, err := encode(j.Result != nil, j.Result)
	if err == nil {
		j.encoded, j.encodedOf = text, j.Result
	}
	return err
}

func (j *Job) resultJSON() (string, error) {
	if j.Result != nil && j.encodedOf == j.Result {
		return j.encoded, nil
	}
	return encode(j.Result != nil, j.Result)
}

// Artifact is one stored file of a job. Head is empty for the artifacts that
// the tool declared; a further file of a series has its head's name.
type Artifact struct {
	JobID  string
	Name   string // relative, with forward slashes
	MIME   string
	Bytes  int64
	SHA256 string
	Head   string

	row string
}

// Artifact names a stored content, for a record of it to be made.
func (b Blob) Artifact(name string) Artifact {
	return Artifact{Name: name, Bytes: b.Bytes, SHA256: b.SHA256, row: b.row}
}

// File is an uploaded file, named by callers as `file:<id>`.
type File struct {
	ID      string // file_ and 26 base-32 characters
	Name    string // the last component of the name it was uploaded under
	MIME    string
	Bytes   int64
	SHA256  string
	Created time.Time
	Pinned  bool
}

// Event is one persisted event of a job. Seq grows within a job and across its
// attempts, so that a reader can resume after the last one it saw.
type Event struct {
	Seq  int64
	Data json.RawMessage
}

// Document is a small versioned record for callers above: a session, its
// manifest, a capture. Version starts at 1 and grows by 1 with every Put.
type Document struct {
	Kind, ID         string
	Version          int64
	Body             json.RawMessage
	Created, Updated time.Time
}

var idEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// NewID makes an unguessable id: the prefix and 128 random bits in 26 lower-case
// base-32 characters.
func NewID(prefix string) string {
	var b [16]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return prefix + idEncoding.EncodeToString(b[:])
}

// NewJobID makes an unguessable id that sorts by the time of its making, as a
// ULID does: job_ and 26 lower-case base-32 characters, of 45 bits of the time in
// milliseconds and 85 random bits. New rows then go to the end of the table's
// index, which halves the cost of a durable record.
func NewJobID() string {
	const digits = "234567abcdefghijklmnopqrstuvwxyz"
	var random [17]byte
	rand.Read(random[:])
	id := make([]byte, 0, 30)
	id = append(id, "job_"...)
	at := time.Now().UnixMilli()
	for shift := 40; shift >= 0; shift -= 5 {
		id = append(id, digits[at>>shift&31])
	}
	for _, b := range random {
		id = append(id, digits[b&31])
	}
	return string(id)
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// Now is the present time as the database keeps it: UTC, whole milliseconds.
func Now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

func unavailable(doing string, err error) error {
	if err == nil {
		return nil
	}
	if known, ok := err.(*contract.Error); ok {
		return known
	}
	return contract.Errorf(contract.CodeStorageUnavailable, "%s: %w", doing, err)
}

func notFound(what, id string) error {
	return contract.Errorf(contract.CodeNotFound, "there is no %s %q", what, id)
}

// IsNotFound says whether the error means that the record does not exist.
func IsNotFound(err error) bool {
	return err != nil && contract.AsError(err).Code == contract.CodeNotFound
}
