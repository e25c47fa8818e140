package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// The test vectors of api/spec, whose README says what each field means. They
// are written from the papers, and know nothing of this server.
var vectorFolder = testenv.Path("api", "spec", "vectors")

type vectorFile struct {
	Paper   string   `json:"paper"`
	About   string   `json:"about"`
	Vectors []vector `json:"vectors"`
}

type vector struct {
	Name    string            `json:"name"`
	Rule    string            `json:"rule"`
	Needs   []string          `json:"needs"`
	Files   map[string]string `json:"files"`
	Pending string            `json:"pending"` // why this server does not pass it yet
	Steps   []vectorStep      `json:"steps"`
}

type vectorStep struct {
	Request *vectorRequest    `json:"request"`
	Call    *vectorCall       `json:"call"`
	Expect  vectorExpectation `json:"expect"`
	Save    map[string]string `json:"save"`
}

type vectorRequest struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	JSON    any               `json:"json"`
	Text    string            `json:"text"`
	Form    *struct {
		Field    string `json:"field"`
		Filename string `json:"filename"`
		Content  string `json:"content"`
	} `json:"form"`
}

// vectorCall is a call of a tool whose answer is the flat result.
type vectorCall struct {
	Tool  string `json:"tool"`
	Input any    `json:"input"`
}

func TestVectors(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(vectorFolder, "*", "*.json"))
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d files of vectors: %v", len(paths), err)
	}
	for _, path := range paths {
		file := readVectors(t, path)
		name := filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			s := start(t, nil)
			for i, v := range file.Vectors {
				t.Run(v.Name, func(t *testing.T) { v.check(t, s, fmt.Sprintf("%s %d", name, i)) })
			}
		})
	}
}

// readVectors refuses a field that no reader knows, a paper that is not there and
// two vectors of one name.
func readVectors(t *testing.T, path string) vectorFile {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	var file vectorFile
	if err := dec.Decode(&file); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if _, err := os.Stat(filepath.Join(vectorFolder, "..", file.Paper)); err != nil || file.Paper == "" || len(file.Vectors) == 0 {
		t.Fatalf("%s: its paper is %q, and it has %d vectors: %v", path, file.Paper, len(file.Vectors), err)
	}
	names := map[string]bool{}
	for _, v := range file.Vectors {
		if v.Name == "" || v.Rule == "" || len(v.Steps) == 0 || names[v.Name] {
			t.Fatalf("%s: the vector %q lacks its name, rule or steps, or stands twice", path, v.Name)
		}
		names[v.Name] = true
	}
	return file
}

// begin puts the vector's files in place, or skips it where an engine is missing.
func (v vector) begin(t *testing.T, s *server, unique string) *vectorRun {
	t.Helper()
	testenv.NeedEngines(t, s.app.host, v.Needs...)
	for name, from := range v.Files {
		content, err := os.ReadFile(filepath.Join(vectorFolder, from))
		if err == nil {
			err = os.WriteFile(filepath.Join(s.root, name), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return &vectorRun{t: t, s: s, unique: unique, values: map[string]any{"unique": unique, "root": s.root}}
}

func (v vector) check(t *testing.T, s *server, unique string) {
	run := v.begin(t, s, unique)
	faults := run.steps(v.Steps)
	switch {
	case v.Pending == "" && len(faults) > 0:
		t.Errorf("%s:\n%s", v.Rule, strings.Join(faults, "\n"))
	case v.Pending != "" && len(faults) == 0:
		t.Error("it passes now: take its \"pending\" away")
	}
}

// vectorRun is one vector at work: the values saved so far, and the answers.
type vectorRun struct {
	t       *testing.T
	s       *server
	unique  string
	values  map[string]any
	answers []any
}

// steps ends with the first step that has faults: the next ones build on it.
func (run *vectorRun) steps(steps []vectorStep) []string {
	for i, step := range steps {
		got := run.perform(step)
		faults := run.compare(step.Expect, got)
		run.answers = append(run.answers, got.value)
		for name, pointer := range step.Save {
			value, ok := pointed(got.value, pointer)
			if !ok {
				faults = append(faults, "there is no "+pointer+" to save")
			}
			run.values[name] = value
		}
		if len(faults) > 0 {
			return append(faults, fmt.Sprintf("step %d answered %d: %.1500s", i, got.status, got.raw))
		}
	}
	return nil
}

// vectorAnswer is what came back; value is nil where it is no JSON.
type vectorAnswer struct {
	status int
	header http.Header
	raw    []byte
	value  any
}

func (run *vectorRun) perform(step vectorStep) vectorAnswer {
	run.t.Helper()
	if step.Call != nil {
		return run.call(*step.Call)
	}
	req := *step.Request
	body, kind := io.Reader(nil), ""
	switch {
	case req.Form != nil:
		var form bytes.Buffer
		writer := multipart.NewWriter(&form)
		part, err := writer.CreateFormFile(req.Form.Field, req.Form.Filename)
		if err != nil {
			run.t.Fatal(err)
		}
		_, _ = part.Write([]byte(req.Form.Content)) // into memory
		_ = writer.Close()
		body, kind = &form, writer.FormDataContentType()
	case req.JSON != nil:
		raw, err := json.Marshal(run.filled(req.JSON))
		if err != nil {
			run.t.Fatal(err)
		}
		body, kind = bytes.NewReader(raw), "application/json"
	case req.Text != "":
		body = strings.NewReader(req.Text)
	}
	var headers []string
	for name, value := range req.Headers {
		headers = append(headers, name, value)
	}
	path := strings.TrimPrefix(run.filled(req.Path).(string), run.s.url) // an answer may hold an absolute address
	r := run.s.do(req.Method, path, kind, body, headers...)
	return newVectorAnswer(r)
}

func newVectorAnswer(r reply) vectorAnswer {
	got := vectorAnswer{status: r.status, header: r.header, raw: r.raw}
	_ = json.Unmarshal(r.raw, &got.value) // not every answer is JSON
	return got
}

// call makes a call in Harmony, whose answers are flat results. The name of the
// client keeps the notebooks of the vectors apart.
func (run *vectorRun) call(c vectorCall) vectorAnswer {
	run.t.Helper()
	input, err := json.Marshal(run.filled(c.Input))
	if err != nil {
		run.t.Fatal(err)
	}
	r := run.s.post("/v1/harmony/calls", completion("<|channel|>commentary to="+c.Tool+" <|constrain|>json<|message|>"+string(input)+"<|call|>"), "User-Agent", run.unique)
	if r.status != 200 {
		run.t.Fatalf("%d %s", r.status, r.raw)
	}
	got := newVectorAnswer(r)
	got.value, _ = pointed(got.value, "/calls/0/output")
	return got
}

var placeholder = regexp.MustCompile(`\{\{(\w+)\}\}`)

// filled puts the saved values and repeated texts into a request or expectation.
func (run *vectorRun) filled(v any) any {
	switch x := v.(type) {
	case string:
		return placeholder.ReplaceAllStringFunc(x, func(found string) string {
			value, ok := run.values[found[2:len(found)-2]]
			if !ok {
				run.t.Fatalf("nothing was saved as %s", found)
			}
			return fmt.Sprint(value)
		})
	case map[string]any:
		if parts, ok := x["$repeat"].([]any); ok {
			return strings.Repeat(parts[0].(string), int(parts[1].(float64)))
		}
		out := map[string]any{}
		for k, item := range x {
			out[k] = run.filled(item)
		}
		return out
	case []any:
		out := slices.Clone(x)
		for i, item := range out {
			out[i] = run.filled(item)
		}
		return out
	}
	return v
}
