package toolbox

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"atelier/internal/contract"
)

type filesInput struct {
	Pattern string `json:"pattern"`
	Uploads bool   `json:"uploads"`
	JobID   string `json:"job_id"`
	At      string `json:"at"`
	Read    string `json:"read"`
	Offset  int64  `json:"offset"`
	Length  int64  `json:"length"`
}

// Entry is a file as tools may name it.
type Entry struct {
	Reference string `json:"reference"`
	Name      string `json:"name"`
	Bytes     int64  `json:"bytes"`
}

type filesOutput struct {
	Files []Entry `json:"files"`
	More  bool    `json:"more"`
	Text  string  `json:"text"`
	Next  int64   `json:"next"`
	Value any     `json:"value"`
}

const (
	mostEntries = 60
	mostLooked  = 20000   // entries of folders that a listing looks at
	mostValue   = 8 << 10 // bytes of JSON that are shown of a result
)

// files lists what tools can read, or shows a part of a file or of a job's result.
func (p Program) files(ctx context.Context, c *contract.Call, in filesInput) (*contract.Result, error) {
	out := filesOutput{Files: []Entry{}}
	switch {
	case in.Read != "" && (in.JobID != "" || in.Uploads || in.Pattern != ""), in.JobID != "" && in.Uploads:
		return nil, contract.Errorf(contract.CodeInvalidInput, "more than one of read, job_id and uploads (or pattern) is given").
			WithHint("Read one file, or list those of one place.")
	case in.At != "" && in.JobID == "":
		return nil, contract.Errorf(contract.CodeInvalidInput, "at is a place in the output of a job, but job_id is missing").At("/job_id")
	case in.Read != "":
		return p.read(ctx, c, in)
	case in.At != "":
		return p.value(ctx, in)
	}
	if _, err := path.Match(in.Pattern, ""); err != nil {
		return nil, contract.Errorf(contract.CodeInvalidInput, "%q is no pattern of file names", in.Pattern).At("/pattern").WithHint("* and ? stand for any characters, such as *.step.")
	}
	var found []Entry
	var err error
	where := "in the folders that tools may read"
	switch {
	case in.JobID != "":
		found, err = p.Store.Artifacts(ctx, in.JobID)
		where = "of the job " + in.JobID
	case in.Uploads:
		found, err = p.Store.Uploads(ctx, 500)
		where = "among the uploads"
	default:
		found, out.More = p.list(ctx)
	}
	if err != nil {
		return nil, contract.AsError(err)
	}
	for _, e := range found {
		if ok, _ := path.Match(strings.ToLower(in.Pattern), strings.ToLower(e.Name)); ok || in.Pattern == "" {
			if len(out.Files) == mostEntries {
				out.More = true
				break
			}
			out.Files = append(out.Files, e)
		}
	}
	text := fmt.Sprintf("%d files ", len(out.Files))
	if len(out.Files) == 1 {
		text = "1 file "
	}
	if in.Pattern != "" {
		text += "like " + in.Pattern + " "
	}
	text += where
	if out.More {
		text += "; there are more, which a pattern finds"
	}
	return &contract.Result{Status: contract.StatusOK, Solver: "atelier", Summary: text + ".", Output: out}, nil
}

// list walks the folders that tools may read, without hidden ones; links are not followed.
func (p Program) list(ctx context.Context) (found []Entry, more bool) {
	looked := 0
	for _, root := range p.Roots {
		_ = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			switch looked++; {
			case ctx.Err() != nil || looked > mostLooked:
				more = true
				return fs.SkipAll
			case err != nil:
				return nil // it cannot be read, and so is not there for tools
			case name != root && strings.HasPrefix(d.Name(), "."):
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			case !d.Type().IsRegular():
				return nil
			}
			info, err := d.Info()
			below, inside := filepath.Rel(root, name)
			if err != nil || inside != nil {
				return nil
			}
			found = append(found, Entry{filepath.ToSlash(below), d.Name(), info.Size()})
			return nil
		})
	}
	slices.SortStableFunc(found, func(a, b Entry) int {
		return strings.Count(a.Reference, "/") - strings.Count(b.Reference, "/") // those at hand first
	})
	return found, more
}

// read shows a piece of a text file.
func (p Program) read(ctx context.Context, c *contract.Call, in filesInput) (*contract.Result, error) {
	name, err := c.File(ctx, in.Read, "/read")
	if err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, contract.Errorf(contract.CodeFileNotFound, "%s cannot be read", in.Read).At("/read")
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, contract.Errorf(contract.CodeFileNotFound, "%s cannot be read", in.Read).At("/read")
	}
	if in.Offset > info.Size() {
		return nil, contract.Errorf(contract.CodeInvalidInput, "%s has %d bytes; offset is %d", in.Read, info.Size(), in.Offset).At("/offset")
	}
	piece := make([]byte, in.Length)
	n, err := f.ReadAt(piece, in.Offset)
	if err != nil && err != io.EOF {
		return nil, contract.Errorf(contract.CodeFileNotFound, "%s cannot be read: %w", in.Read, err).At("/read")
	}
	text, ok := wholeRunes(piece[:n])
	if !ok {
		return nil, contract.Errorf(contract.CodeInvalidInput, "%s is no text at byte %d", in.Read, in.Offset).At("/read").
			WithHint("It has %d bytes. Tools that read such files say so: find_tool.", info.Size())
	}
	out := filesOutput{Files: []Entry{{in.Read, path.Base(in.Read), info.Size()}}, Text: text, Next: in.Offset + int64(len(text))}
	out.More = out.Next < info.Size()
	return &contract.Result{Status: contract.StatusOK, Solver: "atelier", Output: out,
		Summary: fmt.Sprintf("Bytes %d to %d of the %d of %s.", in.Offset, out.Next, info.Size(), in.Read)}, nil
}

// wholeRunes is text without the part of a character at its end; false for what is no text.
func wholeRunes(raw []byte) (string, bool) {
	for cut := 0; cut < utf8.UTFMax && cut <= len(raw); cut++ {
		if part := raw[:len(raw)-cut]; utf8.Valid(part) {
			return string(part), !slices.Contains(part, 0)
		}
	}
	return "", false
}

// value shows a part of the output of a job.
func (p Program) value(ctx context.Context, in filesInput) (*contract.Result, error) {
	output, err := p.Store.Output(ctx, in.JobID)
	if err != nil {
		return nil, contract.AsError(err).At("/job_id")
	}
	value, ok := contract.Figure(output, in.At)
	if !ok {
		return nil, contract.Errorf(contract.CodeInvalidInput, "the output of %s has nothing at %s", in.JobID, in.At).At("/at").
			WithHint("The output has %s.", keysOf(output))
	}
	out := filesOutput{Files: []Entry{}, Value: value}
	text := fmt.Sprintf("%s of the output of %s.", in.At, in.JobID)
	if raw, err := json.Marshal(value); err == nil && len(raw) > mostValue {
		out.Value, out.More = nil, true
		text = fmt.Sprintf("%s of the output of %s has %d bytes, too many to be shown; it has %s.", in.At, in.JobID, len(raw), keysOf(raw))
	}
	return &contract.Result{Status: contract.StatusOK, Solver: "atelier", Summary: text, Output: out}, nil
}

// keysOf says what an object or a list holds.
func keysOf(raw json.RawMessage) string {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) == nil {
		var keys []string
		for key := range object {
			keys = append(keys, "/"+key)
		}
		slices.Sort(keys)
		return strings.Join(keys, ", ")
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		return fmt.Sprintf("the entries /0 to /%d", len(list)-1)
	}
	return "one value"
}
