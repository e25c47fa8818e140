package store

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"atelier/internal/contract"
)

const jobColumns = `id, tool, queue, state, input, limits, context, request_id, idempotency_key, idempotent,
created_at, started_at, finished_at, summary, result, error, attempt, interruptions, worker,
cancel_requested, pinned, bytes`

// InsertJob adds the record of a new job; false when another job has its
// idempotency key.
func (db *DB) InsertJob(ctx context.Context, tx Tx, j *Job, lease time.Duration) (bool, error) {
	result, err := j.resultJSON()
	if err != nil {
		return false, err
	}
	if lease == 0 && j.isSimple() {
		n, err := tx.Exec(ctx, insertPlain, j.ID, clean(j.Tool), string(j.Input), clean(j.RequestID), bit(j.Idempotent),
			millis(j.Created), millis(j.Finished), clean(j.Summary), result, j.Worker)
		return n == 1, err
	}
	fault, err := encode(j.Error != nil, j.Error)
	if err != nil {
		return false, err
	}
	n, err := tx.Exec(ctx, db.insertJob,
		j.ID, clean(j.Tool), j.Queue, string(j.State), string(j.Input), string(j.Limits), string(j.Context),
		clean(j.RequestID), clean(j.IdempotencyKey), bit(j.Idempotent),
		millis(j.Created), millis(j.Started), millis(j.Finished), clean(j.Summary), result, fault,
		j.Attempt, j.Interruptions, j.Worker, bit(j.CancelRequested), bit(j.Pinned), j.Bytes, lease.Milliseconds())
	return n == 1, err
}

// insertPlain is the record of a quick call that went well. Half of its columns
// are always the same, and binding them costs as much as storing them.
const insertPlain = `INSERT INTO jobs (` + jobColumns + `, lease_until)
VALUES ($1, $2, '', 'succeeded', $3, '', '', $4, '', $5, $6, $6, $7, $8, $9, '', 1, 0, $10, 0, 0, 0, 0)
ON CONFLICT DO NOTHING`

// isSimple says whether insertPlain can hold the job.
func (j *Job) isSimple() bool {
	return j.Queue == "" && j.State == Succeeded && len(j.Limits) == 0 && len(j.Context) == 0 && j.IdempotencyKey == "" &&
		j.Started.Equal(j.Created) && j.Error == nil && j.Attempt == 1 && j.Interruptions == 0 && !j.CancelRequested && !j.Pinned && j.Bytes == 0
}

func insertJob(now string) string {
	return `INSERT INTO jobs (` + jobColumns + `, lease_until)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, ` + now + ` + $23)
ON CONFLICT DO NOTHING`
}

// Job returns one record, or not_found.
func (db *DB) Job(ctx context.Context, id string) (*Job, error) {
	return jobBy(ctx, db.Reader(), "id", id)
}

// JobTx is Job inside a transaction.
func (db *DB) JobTx(ctx context.Context, tx Tx, id string) (*Job, error) {
	return jobBy(ctx, tx, "id", id)
}

// JobByKey returns the job of an idempotency key, or not_found.
func (db *DB) JobByKey(ctx context.Context, key string) (*Job, error) {
	return jobBy(ctx, db.Reader(), "idempotency_key", clean(key))
}

func jobBy(ctx context.Context, tx Tx, column, value string) (*Job, error) {
	if value == "" { // an empty key is no key
		return nil, notFound("job", value)
	}
	j, found, err := one(ctx, tx, scanJob, `SELECT `+jobColumns+` FROM jobs WHERE `+column+` = $1`, value)
	if err == nil && !found {
		return nil, notFound("job", value)
	}
	return j, unavailable("read a job", err)
}

func scanJob(r Rows) (*Job, error) {
	var j Job
	var state, input, limits, context, result, fault string
	var idempotent, cancel, pinned int
	var created, started, finished int64
	err := r.Scan(&j.ID, &j.Tool, &j.Queue, &state, &input, &limits, &context, &j.RequestID, &j.IdempotencyKey, &idempotent,
		&created, &started, &finished, &j.Summary, &result, &fault, &j.Attempt, &j.Interruptions, &j.Worker,
		&cancel, &pinned, &j.Bytes)
	if err != nil {
		return nil, err
	}
	j.State, j.Idempotent, j.CancelRequested, j.Pinned = State(state), idempotent != 0, cancel != 0, pinned != 0
	j.Created, j.Started, j.Finished = fromMillis(created), fromMillis(started), fromMillis(finished)
	j.Input, j.Limits, j.Context = raw(input), raw(limits), raw(context)
	if result != "" {
		// The output stays the JSON that it was stored as.
		v := struct {
			*contract.Result
			Output json.RawMessage `json:"output"`
		}{Result: &contract.Result{}}
		if err := json.Unmarshal([]byte(result), &v); err != nil {
			return nil, fmt.Errorf("result of %s: %w", j.ID, err)
		}
		if j.Result = v.Result; v.Output != nil {
			j.Result.Output = v.Output
		}
	}
	if fault != "" {
		if err := json.Unmarshal([]byte(fault), &j.Error); err != nil {
			return nil, fmt.Errorf("error of %s: %w", j.ID, err)
		}
	}
	return &j, nil
}

// JobFilter selects jobs; empty fields select all.
type JobFilter struct {
	State  State
	Tool   string
	Limit  int    // 1 to 500; 50 when 0
	Cursor string // Next of the page before
}

// JobPage is a part of a list, newest first. Next is "" on the last page.
type JobPage struct {
	Jobs []*Job
	Next string
}

// Jobs lists records. The cursor names the last record of a page by its time and
// id, so that pages neither repeat nor skip a job while others come and go.
func (db *DB) Jobs(ctx context.Context, f JobFilter) (JobPage, error) {
	if f.Limit == 0 {
		f.Limit = 50
	}
	f.Limit = min(max(f.Limit, 1), 500)
	where, args := []string{"1 = 1"}, []any{}
	bind := func(v any) string { args = append(args, v); return "$" + strconv.Itoa(len(args)) }
	if f.State != "" {
		where = append(where, "state = "+bind(string(f.State)))
	}
	if f.Tool != "" {
		where = append(where, "tool = "+bind(f.Tool))
	}
	if f.Cursor != "" {
		at, id, err := parseCursor(f.Cursor)
		if err != nil {
			return JobPage{}, err
		}
		where = append(where, "(created_at, id) < ("+bind(at)+", "+bind(id)+")")
	}
	jobs, err := collect(ctx, db.Reader(), scanJob, `SELECT `+jobColumns+` FROM jobs WHERE `+strings.Join(where, " AND ")+
		` ORDER BY created_at DESC, id DESC LIMIT `+bind(f.Limit+1), args...)
	if err != nil {
		return JobPage{}, unavailable("list jobs", err)
	}
	page := JobPage{Jobs: jobs}
	if len(jobs) > f.Limit {
		page.Jobs = jobs[:f.Limit]
		last := page.Jobs[f.Limit-1]
		page.Next = cursor(millis(last.Created), last.ID)
	}
	return page, nil
}

func cursor(at int64, id string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(at, 10) + " " + id))
}

func parseCursor(text string) (at int64, id string, err error) {
	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		number, rest, found := strings.Cut(string(plain), " ")
		if at, err = strconv.ParseInt(number, 10, 64); err == nil && found {
			return at, rest, nil
		}
	}
	return 0, "", contract.Errorf(contract.CodeInvalidRequest, "%q is not a cursor of this list", text).At("cursor").
		WithHint("Use the cursor that the page before gave, or none.")
}

func encode(present bool, v any) (string, error) {
	if !present {
		return "", nil
	}
	text, err := json.Marshal(v)
	return string(text), err
}

// clean makes a caller's text storable: Postgres takes no NUL and only UTF-8.
func clean(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD")
}

func raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
