package runner

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/job"
	"atelier/internal/protocol/capture"
	"atelier/internal/protocol/httpapi"
)

// rig is the job engine with three tools: make writes files and is as good as it
// is told to be, copy adds a line to what it copies and claims nothing of it, read
// verifies its figure.
type rig struct {
	contents
	t        *testing.T
	root     string
	jobs     *job.Service
	captures http.Handler
}

type making struct {
	Files  map[string][]string `json:"files"` // in short pieces; the first in their order is the head of the others
	Passed bool                `json:"passed"`
}

// pieces of a text that are too short to be known for its content.
func pieces(text string) (p []string) {
	for piece := range slices.Chunk([]byte(text), 40) {
		p = append(p, string(piece))
	}
	return p
}

type taking struct {
	Path   string   `json:"path"`
	Beside []string `json:"beside,omitempty"`
	Text   string   `json:"text"`
	Guide  string   `json:"guide,omitempty"` // says how to read it
}

// contractOf is that of measured, or of file, under a name of its own and with any
// arguments.
func contractOf(text, name, properties string) []byte {
	var c map[string]any
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		panic(err)
	}
	c["name"], c["endpoint"] = name, "/v1/tools/"+name
	c["input_schema"] = json.RawMessage(`{"type":"object","additionalProperties":false,"properties":` + properties + `}`)
	raw, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	return raw
}

const takingProperties = `{"path":{"type":"string"},"text":{"type":"string"},"beside":{"type":"array","items":{"type":"string"}},"guide":{"type":"string"}}`

func stated(check evidence.Check) *contract.Result {
	s := &evidence.Statement{}
	s.Check(check)
	s.Figure(evidence.Of("x", "/size/x", 2, "m", "counted").PlusMinus(0, "bound").Quote())
	return &contract.Result{Output: sized{2, map[string]any{"x": 2.0}}, Statement: s}
}

func makeFiles(_ context.Context, call *contract.Call, in making) (*contract.Result, error) {
	result := stated(evidence.Holds("sound", evidence.Independent, "/size/x", in.Passed, "The part is sound."))
	var names []string
	for name, content := range in.Files {
		names = append(names, name)
		path := filepath.Join(call.Dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(strings.Join(content, "")), 0o600); err != nil {
			return nil, err
		}
	}
	slices.Sort(names)
	volume := 2.0
	result.Artifacts = []contract.Artifact{{Name: names[0], Files: names[1:], Origin: &evidence.Origin{Source: "part.step", LengthUnit: "mm", Volume: &volume}}}
	return result, nil
}

func take(ctx context.Context, call *contract.Call, in taking) (content []byte, err error) {
	if in.Path == "" {
		return []byte(in.Text), nil
	}
	path, err := call.Files.Path(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	beside := path
	if in.Guide != "" {
		if beside, err = call.Guide(ctx, in.Guide, "/guide"); err != nil {
			return nil, err
		}
	}
	for _, name := range in.Beside {
		if _, err := call.Files.Beside(ctx, beside, name); err != nil {
			return nil, err
		}
	}
	return os.ReadFile(path)
}

func readFiles(ctx context.Context, call *contract.Call, in taking) (*contract.Result, error) {
	if _, err := take(ctx, call, in); err != nil {
		return nil, err
	}
	return stated(evidence.Within("again", evidence.Independent, "/size/x", 0, 0.1, "m", "A second way gives the size.")), nil
}

func copyFile(ctx context.Context, call *contract.Call, in taking) (*contract.Result, error) {
	content, err := take(ctx, call, in)
	if err != nil {
		return nil, err
	}
	return &contract.Result{Output: input{1}, Artifacts: []contract.Artifact{{Name: "copy.csv", Content: append(content, "9,9,9\n"...)}}}, nil
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{contents: openContents(t), t: t, root: t.TempDir()}
	tools, err := contract.NewRegistry([]contract.Tool{
		contract.Bind(contractOf(measured, "make", `{"passed":{"type":"boolean"},"files":{"type":"object","additionalProperties":{"type":"array","items":{"type":"string"}}}}`), makeFiles),
		contract.Bind(contractOf(measured, "read", takingProperties), readFiles),
		contract.Bind(contractOf(file, "copy", takingProperties), copyFile),
	})
	if err != nil {
		t.Fatal(err)
	}
	resolver := Resolver{Roots: []string{r.root}, Source: r.contents}
	r.jobs, err = job.New(t.Context(), r.DB, r.blobs, NewExecutor(tools, resolver), job.Options{WorkDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = r.jobs.Drain(ctx)
	})
	captures := &capture.Server{DB: r.DB, Blobs: r.blobs, MaxUploadBytes: 1 << 20, WorkDir: t.TempDir(),
		Files: func(dir string) contract.Files { return resolver.For(dir, "") }}
	r.captures = httpapi.Mux(&httpapi.Gate{MaxBodyBytes: 1 << 20, Log: slog.New(slog.DiscardHandler)}, captures.Routes()...)
	return r
}

func (r *rig) submit(tool string, in any) *job.Job {
	r.t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		r.t.Fatal(err)
	}
	j, err := r.jobs.Submit(r.t.Context(), job.Request{Tool: tool, Input: raw})
	if err != nil {
		r.t.Fatal(err)
	}
	if j.State != job.Succeeded {
		r.t.Fatalf("%s: %v", tool, j.Error)
	}
	return j
}

// makes runs a job that writes one file.
func (r *rig) makes(passed bool, content string) (*job.Job, string) {
	r.t.Helper()
	j := r.submit("make", making{map[string][]string{"data.csv": pieces(content)}, passed})
	return j, contract.ArtifactURL(j.ID, "data.csv")
}

// wants runs read and holds what it says against the job that must be behind it.
func (r *rig) wants(what string, in taking, trust evidence.Trust, behind *job.Job) []evidence.Input {
	r.t.Helper()
	got := r.submit("read", in).Result.Evidence
	named := behind == nil
	for _, input := range got.Inputs() {
		named = named || input.JobID == behind.ID && input.Tool == behind.Tool
	}
	if got.Trust() != trust || !named {
		r.t.Errorf("%s: %s from %+v, want %s", what, got.Trust(), got.Inputs(), trust)
	}
	return got.Inputs()
}

func (r *rig) put(name, content string) string {
	return write(r.t, filepath.Join(r.root, name), content)
}

func (r *rig) upload(content string) string {
	r.t.Helper()
	f, err := r.blobs.SaveFile(r.t.Context(), "data.csv", "text/csv", strings.NewReader(content))
	if err != nil {
		r.t.Fatal(err)
	}
	return "file:" + f.ID
}

func (r *rig) capture(kind string, body []byte) string {
	r.t.Helper()
	req := httptest.NewRequest("POST", "http://localhost/v1/captures", bytes.NewReader(body))
	req.Header.Set("Content-Type", kind)
	w := httptest.NewRecorder()
	r.captures.ServeHTTP(w, req)
	var made struct {
		CaptureID string `json:"capture_id"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || made.CaptureID == "" {
		r.t.Fatalf("%d %s", w.Code, w.Body)
	}
	return contract.CapturePrefix + made.CaptureID
}

func (r *rig) captureOf(ref string) string {
	return r.capture("application/json", []byte(fmt.Sprintf(`{"path":%q}`, ref)))
}

func (r *rig) captureForm(content string) string {
	r.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "data.csv")
	if err != nil {
		r.t.Fatal(err)
	}
	_, _ = part.Write([]byte(content))
	_ = form.Close()
	return r.capture(form.FormDataContentType(), body.Bytes())
}

func packed(t *testing.T, content string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// table is a content that is longer than what is too short to be known inline.
func table(name string) string {
	return "t,x," + name + "\n0,1,2\n1,2,3\n" + strings.Repeat("2,3,4\n", 30)
}

// However the bytes of a suspect result come back (rule: no result stands above
// what it was made from), the result on them is suspect and names the job.
func TestContentsAreKnownInEveryForm(t *testing.T) {
	r := newRig(t)
	content := table("y")
	bad, url := r.makes(false, content)
	gz := packed(t, content)
	for what, in := range map[string]taking{
		"artifact": {Path: url}, "upload": {Path: r.upload(content)}, "path": {Path: r.put("data.csv", content)},
		"packed upload": {Path: r.upload(gz)}, "packed path": {Path: r.put("data.csv.gz", gz)},
		"capture of the artifact": {Path: r.captureOf(url)}, "capture of a path": {Path: r.captureOf("data.csv")},
		"capture of a packed path": {Path: r.captureOf("data.csv.gz")}, "capture of an upload": {Path: r.captureOf(r.upload(content))},
		"uploaded capture": {Path: r.captureForm(content)}, "packed, uploaded capture": {Path: r.captureForm(gz)},
		"inline": {Text: content}, "inline in base64": {Text: base64.StdEncoding.EncodeToString([]byte(content))},
		"inline, packed":          {Text: base64.StdEncoding.EncodeToString([]byte(gz))},
		"inline, without its end": {Text: strings.TrimRight(content, "\n")}, "inline, with more space": {Text: "\n" + content + " \n\n"},
		"inline, line ends": {Text: strings.ReplaceAll(content, "\n", "\r\n")}, "inline, fenced": {Text: "```csv\n" + content + "```\n"},
	} {
		if in := r.wants(what, in, evidence.Suspect, bad); len(in) != 1 || in[0].SHA256 == "" || in[0].Reason == "" {
			t.Errorf("%s: the inputs are %+v", what, in)
		}
	}
	own := strings.Replace(content, "0,1", "0,9", 1)
	for what, in := range map[string]taking{"path": {Path: r.put("own.csv", own)}, "capture": {Path: r.captureForm(own)}, "inline": {Text: own}} {
		r.wants("the caller's own "+what, in, evidence.Verified, nil)
	}
}

// A copy is what it was copied from: a tool that claims nothing of its results
// lends them no trust, and takes away none.
func TestACopyStandsNoHigher(t *testing.T) {
	r := newRig(t)
	bad, url := r.makes(false, table("bad"))
	for what, in := range map[string]taking{"of a file": {Path: url}, "of a text": {Text: table("bad")}} {
		j := r.submit("copy", in)
		r.wants("a copy "+what, taking{Path: contract.ArtifactURL(j.ID, "copy.csv")}, evidence.Suspect, j)
	}
	again := taking{Text: table("bad")}
	for range 30 { // the cause stays the first, however long the way
		j := r.submit("copy", again)
		again = taking{Path: contract.ArtifactURL(j.ID, "copy.csv")}
		if in := j.Result.Inputs; len(in) != 1 || !strings.Contains(in[0].Reason, bad.ID) || strings.Contains(in[0].Reason, "made by") || len(in[0].Reason) > 300 {
			t.Fatalf("%+v", in)
		}
		if w := j.Result.Warnings; len(w) != 1 || w[0].Code != suspectInput || !strings.Contains(w[0].Message, "is only suspect. Failed: ") {
			t.Fatalf("a copy says so itself: %+v", w)
		}
	}
	own := r.submit("copy", taking{Text: table("own")})
	r.wants("a copy of the caller's own", taking{Path: contract.ArtifactURL(own.ID, "copy.csv")}, evidence.Verified, own)
}

// A result without evidence claims no more than the weakest file it was made from: what
// was counted in a suspect table is as good as the table. Of the caller's own it is exact.
func TestAConfidenceStandsNoHigherThanTheInputs(t *testing.T) {
	r := newRig(t)
	_, bad := r.makes(false, table("bad"))
	_, good := r.makes(true, table("good"))
	for what, c := range map[string]struct {
		in   taking
		want float64
	}{
		"a suspect file":  {taking{Path: bad}, evidence.Suspect.Confidence()},
		"a suspect text":  {taking{Text: table("bad")}, evidence.Suspect.Confidence()},
		"a verified file": {taking{Path: good}, evidence.Verified.Confidence()},
		"the caller's":    {taking{Text: table("own")}, 1},
	} {
		got := r.submit("copy", c.in).Result
		if *got.Confidence != c.want {
			t.Errorf("%s: confidence %v, want %v", what, *got.Confidence, c.want)
		}
		// The stored result and each protocol say the same.
		if shown := got.InvocationResult(nil, func(string) string { return "" }).Confidence; shown != c.want {
			t.Errorf("%s: an invocation shows %v, want %v", what, shown, c.want)
		}
	}
}

// Of what claims nothing a suspect input is told all the same; any other adds nothing.
func TestAConfidenceOfNothingIsSuspectAtMost(t *testing.T) {
	var none contract.EvidenceSpec
	if err := json.Unmarshal([]byte(`"none"`), &none); err != nil {
		t.Fatal(err)
	}
	for trust, want := range map[evidence.Trust]float64{evidence.Suspect: 0.2, evidence.Computed: -1, evidence.Verified: -1, "": -1} {
		got := -1.0
		if v := none.Confidence(contract.StatusOK, nil, []evidence.Input{{Reference: "a.csv", Trust: trust}}); v != nil {
			got = *v
		}
		if got != want {
			t.Errorf("%q: %v, want %v", trust, got, want)
		}
	}
}

// Where several jobs made the same bytes, which of them a file comes from nobody
// can tell: the weakest counts, of equals the newest. A reference to one's own
// artifact tells it.
func TestTheWeakestMakerCounts(t *testing.T) {
	r := newRig(t)
	path := r.put("data.csv", table("a"))
	_, _ = r.makes(true, table("a"))
	bad, _ := r.makes(false, table("a"))
	time.Sleep(2 * time.Millisecond) // ids sort by milliseconds
	good, url := r.makes(true, table("a"))
	r.wants("two good, one bad", taking{Path: path}, evidence.Suspect, bad)
	r.wants("the good one's own artifact", taking{Path: url}, evidence.Verified, good)
	time.Sleep(2 * time.Millisecond)
	newer, _ := r.makes(false, table("a"))
	r.wants("two bad ones", taking{Path: path}, evidence.Suspect, newer)
}
