// Package study holds the tools of the study document: study_change, study_run, study_ask,
// study_compare and study_report.
package study

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/study"
)

var (
	//go:embed change.json
	changeFile []byte
	//go:embed run.json
	runFile []byte
	//go:embed ask.json
	askFile []byte
	//go:embed compare.json
	compareFile []byte
	//go:embed report.json
	reportFile []byte
)

// Tools lists the tools of this family.
func Tools(s *study.Service) []contract.Tool {
	t := tools{s}
	return []contract.Tool{
		contract.Bind(askFile, told(t.ask)),
		contract.Bind(changeFile, told(t.change)),
		contract.Bind(compareFile, told(t.compare)),
		contract.Bind(reportFile, told(t.report)),
		contract.Bind(runFile, told(t.run)),
	}
}

// told makes several faults at once the answer of a call; one alone is its error.
func told[In any](run func(context.Context, *contract.Call, In) (*contract.Result, error)) func(context.Context, *contract.Call, In) (*contract.Result, error) {
	return func(ctx context.Context, call *contract.Call, in In) (*contract.Result, error) {
		result, err := run(ctx, call, in)
		var faults contract.Faults
		if errors.As(err, &faults) && len(faults) > 0 {
			return contract.Failure("atelier", faults...), nil
		}
		return result, err
	}
}

type tools struct{ studies *study.Service }

type changeInput struct {
	Study    string          `json:"study"`
	Revision int             `json:"revision"`
	Document json.RawMessage `json:"document"`
	Patch    json.RawMessage `json:"patch"`
	Undo     int             `json:"undo"`
	Restore  int             `json:"restore"`
	Show     bool            `json:"show"`
	Words    string          `json:"words"`
	Files    []string        `json:"files"`
	Earlier  string          `json:"earlier"`
	Anyway   bool            `json:"anyway"`
}

type difference struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

func differences(list []study.Difference) []difference {
	out := []difference{}
	for _, d := range list {
		out = append(out, difference{d.Path, d.String()})
	}
	return out
}

type call struct {
	Name string `json:"name"`
	Tool string `json:"tool"`
}

type changeOutput struct {
	Study    string          `json:"study"`
	Revision int             `json:"revision"`
	Changes  []difference    `json:"changes"`
	Table    []study.Row     `json:"table"`
	Steps    []call          `json:"steps"`
	Open     []string        `json:"open"`
	Document json.RawMessage `json:"document"`
	reading
}

func (t tools) change(ctx context.Context, c *contract.Call, in changeInput) (*contract.Result, error) {
	given := 0
	for _, is := range []bool{in.Document != nil, in.Patch != nil, in.Undo > 0, in.Restore > 0, in.Words != ""} {
		if is {
			given++
		}
	}
	if given > 1 {
		return nil, contract.Errorf(contract.CodeInvalidInput, "of document, patch, words, undo and restore several are given together").
			WithHint("Give one of them; a patch can be made of what is restored afterwards.")
	}
	if in.Words != "" {
		return t.words(ctx, c, in)
	}
	made, err := t.studies.Apply(ctx, study.Change{Study: in.Study, Revision: in.Revision, Document: in.Document, Patch: in.Patch, Undo: in.Undo, Restore: in.Restore})
	if err != nil {
		return nil, err
	}
	return answered(output(made, in), in), nil
}

// output of a study after a change.
func output(made *study.Changed, in changeInput) changeOutput {
	out := changeOutput{Study: made.ID, Revision: made.Revision, Changes: differences(made.Changes), Table: made.Study.Table(), Steps: []call{}, Open: made.Study.Open(), Document: json.RawMessage("null"), reading: noReading()}
	if in.Show {
		out.Document = made.Document
	}
	if in.Study == "" {
		out.Changes = []difference{} // all of it is new, and in the table
	}
	steps, err := made.Study.Steps()
	if err != nil {
		out.Open = append(out.Open, contract.AsError(err).Message)
	}
	for _, s := range steps {
		out.Steps = append(out.Steps, call{s.Name, s.Tool})
	}
	return out
}

func answered(out changeOutput, in changeInput) *contract.Result {
	return &contract.Result{Status: contract.StatusOK, Solver: "atelier", Summary: summary(out, in), Output: out}
}

func summary(out changeOutput, in changeInput) string {
	if out.Study == "" {
		return "No study was made. " + out.open()
	}
	s := fmt.Sprintf("%s, revision %d: ", out.Study, out.Revision)
	switch n := len(out.Changes); {
	case in.Study == "":
		s += "a new study."
	case n == 0:
		s += "nothing was changed."
	case n <= 3:
		var words []string
		for _, d := range out.Changes {
			words = append(words, d.Text)
		}
		s += strings.Join(words, "; ") + "."
	default:
		s += fmt.Sprintf("%d values were changed.", n)
	}
	if said := out.open(); said != "" {
		s += " " + said
	}
	if len(out.Open) > 0 {
		s += " A run still lacks: " + strings.Join(out.Open, " ")
	}
	return s
}

type runInput struct {
	Study    string          `json:"study"`
	Revision int             `json:"revision"`
	Document json.RawMessage `json:"document"`
}

type fault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Field   string `json:"field"`
	Hint    string `json:"hint"`
}

type step struct {
	Name    string         `json:"name"`
	Tool    string         `json:"tool"`
	At      string         `json:"at"`
	State   string         `json:"state"`
	JobID   string         `json:"job_id"`
	Trust   evidence.Trust `json:"trust"`
	Summary string         `json:"summary"`
	Notes   []string       `json:"notes"`
	Fault   *fault         `json:"fault"`
}

type answer struct {
	Question string         `json:"question"`
	Analysis string         `json:"analysis"`
	Figure   string         `json:"figure"`
	Name     string         `json:"name"`
	Value    *float64       `json:"value"`
	Unit     string         `json:"unit"`
	Error    *float64       `json:"error"`
	Trust    evidence.Trust `json:"trust"`
	Where    []float64      `json:"where"`
	Reasons  []string       `json:"reasons"`
	Text     string         `json:"text"`
	Missing  string         `json:"missing"`
}

type judgement struct {
	Requirement string         `json:"requirement"`
	Verdict     study.Verdict  `json:"verdict"`
	Text        string         `json:"text"`
	Figure      string         `json:"figure"`
	Value       *float64       `json:"value"`
	Error       *float64       `json:"error"`
	AtMost      *float64       `json:"at_most"`
	AtLeast     *float64       `json:"at_least"`
	Unit        string         `json:"unit"`
	Trust       evidence.Trust `json:"trust"`
}

type runOutput struct {
	Study        string      `json:"study"`
	Revision     int         `json:"revision"`
	Run          string      `json:"run"`
	Steps        []step      `json:"steps"`
	Answers      []answer    `json:"answers"`
	Requirements []judgement `json:"requirements"`
}

func (t tools) run(ctx context.Context, c *contract.Call, in runInput) (*contract.Result, error) {
	document, revision := in.Document, 0
	switch {
	case (in.Document != nil) == (in.Study != ""):
		return nil, contract.Errorf(contract.CodeInvalidInput, "either study or document is needed").At("/study").WithHint("study_change makes a study and answers with its id.")
	case in.Study != "":
		h, err := t.studies.Load(ctx, in.Study)
		if err != nil {
			return nil, err
		}
		r, err := h.Revision(in.Revision)
		if err != nil {
			return nil, contract.AsError(err).At("/revision")
		}
		document, revision = r.Document, r.Number
	}
	r, err := t.studies.Execute(ctx, c, document, in.Study, revision)
	if err != nil {
		return nil, err
	}
	answers, err := r.Answers()
	if err != nil {
		return nil, err
	}
	judged, err := r.Judgements()
	if err != nil {
		return nil, err
	}
	out := runOutput{Study: in.Study, Revision: revision, Run: r.ID, Steps: []step{}, Answers: []answer{}, Requirements: []judgement{}}
	for _, s := range r.Steps {
		out.Steps = append(out.Steps, stepOf(s))
	}
	for _, a := range answers {
		out.Answers = append(out.Answers, answerOf(a))
	}
	for _, j := range judged {
		a := j.Answer
		out.Requirements = append(out.Requirements, judgement{j.Requirement, j.Verdict, j.Text, a.Figure, a.Value, a.Error, j.AtMost, j.AtLeast, a.Unit, a.Trust})
	}
	return result(r, out), nil
}

func stepOf(s study.StepRun) step {
	out := step{s.Name, s.Tool, s.At, "ran", s.JobID, s.Trust, s.Summary, append([]string{}, s.Notes...), nil}
	switch f := s.Fault; {
	case f != nil:
		out.State, out.Summary, out.Fault = "failed", f.Message, &fault{f.Code, f.Message, f.Field, f.Hint}
	case s.Skipped != "":
		out.State, out.Summary = "skipped", s.Skipped
	case s.Reused:
		out.State = "reused"
	}
	return out
}

func answerOf(a study.Answer) answer {
	return answer{a.Question, a.Analysis, a.Figure, a.Name, a.Value, a.Unit, a.Error, a.Trust, append([]float64{}, a.Where...), append([]string{}, a.Reasons...), a.Text, a.Missing}
}

// result of a run: what the calls say is passed on, and stands no higher than the weakest of
// those that the answers are of.
func result(r *study.Run, out runOutput) *contract.Result {
	res := &contract.Result{Status: contract.StatusOK, Solver: "atelier", Output: out, Inputs: r.Inputs()}
	var words []string
	for _, a := range out.Answers {
		words = append(words, a.Text+".")
	}
	for _, j := range out.Requirements {
		words = append(words, j.Requirement+": "+j.Text+".")
	}
	failed := 0
	for _, s := range out.Steps {
		switch s.State {
		case "failed":
			failed++
			words = append(words, fmt.Sprintf("%s failed: %s", s.Name, s.Summary))
			res.Warnings = append(res.Warnings, contract.Warning{Code: "step_failed", Message: fmt.Sprintf("%s (%s): %s at %s. %s", s.Name, s.Tool, s.Fault.Message, s.Fault.Field, s.Fault.Hint)})
		case "skipped":
			failed++
		}
	}
	if failed > 0 {
		res.Status = contract.StatusPartial
	}
	if len(words) == 0 {
		for _, s := range out.Steps {
			if strings.HasPrefix(s.At, "/analyses/") {
				words = append(words, s.Name+": "+s.Summary)
			}
		}
	}
	res.Summary = strings.Join(words, " ")
	return res
}

type askInput struct {
	Study    string `json:"study"`
	Run      string `json:"run"`
	Quantity string `json:"quantity"`
	Analysis string `json:"analysis"`
}

type askOutput struct {
	Answer   answer `json:"answer"`
	Run      string `json:"run"`
	Revision int    `json:"revision"`
	Stale    bool   `json:"stale"`
}

func (t tools) ask(ctx context.Context, _ *contract.Call, in askInput) (*contract.Result, error) {
	h, err := t.studies.Load(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	r, err := t.studies.RunOf(ctx, h, in.Run, 1)
	if err != nil {
		return nil, contract.AsError(err).At("/run")
	}
	a, err := r.Ask("", in.Analysis, in.Quantity, "")
	if err != nil {
		return nil, err
	}
	out := askOutput{answerOf(a), r.ID, r.Revision, r.Study == h.ID && h.Stale(r)}
	text := a.Text + "."
	if out.Stale {
		text += " The study has been changed since that run."
	}
	return &contract.Result{Status: contract.StatusOK, Solver: "atelier", Summary: text, Output: out, Inputs: r.Inputs(a.Analysis)}, nil
}

type compareInput struct {
	Study  string `json:"study"`
	Before string `json:"before"`
	After  string `json:"after"`
}

type compareOutput struct {
	Before   string       `json:"before"`
	After    string       `json:"after"`
	Inputs   []difference `json:"inputs"`
	MeshOnly bool         `json:"mesh_only"`
	Figures  []study.Pair `json:"figures"`
}

func (t tools) compare(ctx context.Context, _ *contract.Call, in compareInput) (*contract.Result, error) {
	h, err := t.studies.Load(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	before, err := t.studies.RunOf(ctx, h, in.Before, 2)
	if err != nil {
		return nil, contract.AsError(err).At("/before")
	}
	after, err := t.studies.RunOf(ctx, h, in.After, 1)
	if err != nil {
		return nil, contract.AsError(err).At("/after")
	}
	c, err := study.Compare(before, after)
	if err != nil {
		return nil, err
	}
	out := compareOutput{before.ID, after.ID, differences(c.Inputs), c.MeshOnly, c.Figures}
	var words []string
	for _, d := range out.Inputs {
		words = append(words, d.Text+".")
	}
	if len(out.Inputs) == 0 {
		words = append(words, "The study was the same.")
	}
	for _, f := range out.Figures {
		if f.Verdict == "different" {
			words = append(words, f.Text+".")
		}
	}
	return &contract.Result{Status: contract.StatusOK, Solver: "atelier", Summary: strings.Join(words, " "), Output: out, Inputs: append(before.Inputs(), after.Inputs()...)}, nil
}

type reportInput struct {
	Study string `json:"study"`
	Run   string `json:"run"`
}

type reportOutput struct {
	Run         string `json:"run"`
	File        string `json:"file"`
	ArtifactURL string `json:"artifact_url"`
	Pictures    int    `json:"pictures"`
	Bundle      string `json:"bundle"`
	BundleURL   string `json:"bundle_url"`
}

const (
	reportName = "report.html"
	bundleName = "bundle.zip"
)

func (t tools) report(ctx context.Context, c *contract.Call, in reportInput) (*contract.Result, error) {
	h, err := t.studies.Load(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	r, err := t.studies.RunOf(ctx, h, in.Run, 1)
	if err != nil {
		return nil, contract.AsError(err).At("/run")
	}
	made, err := t.studies.Report(ctx, c, r)
	if err != nil {
		return nil, err
	}
	page := &contract.Artifact{Name: reportName, MIME: "text/html", Primary: true}
	if page.Content, err = made.HTML(); err != nil {
		return nil, err
	}
	out := reportOutput{Run: r.ID, File: reportName, ArtifactURL: contract.ArtifactURL(c.JobID, reportName)}
	for _, a := range made.Analyses {
		out.Pictures += len(a.Pictures)
	}
	res := &contract.Result{Status: contract.StatusOK, Solver: "atelier", Output: out, Inputs: r.Inputs(), Artifacts: []contract.Artifact{*page},
		Summary: fmt.Sprintf("The report of %s: %d analyses, %d pictures, in %s.", r.ID, len(made.Analyses), out.Pictures, reportName)}
	if err := t.bundle(ctx, c, r, res, &out); err != nil {
		return nil, err
	}
	res.Output = out
	c.IfDoubted(func(doubts []string) error { // the page is read alone
		made.Doubts = doubts
		content, err := made.HTML()
		res.Artifacts[0].Content = content
		return err
	})
	return res, nil
}

// bundle puts what repeats the run beside its report. A file that has changed since is no
// fault of the report, which does without.
func (t tools) bundle(ctx context.Context, c *contract.Call, r *study.Run, res *contract.Result, out *reportOutput) error {
	made, err := t.studies.Bundle(ctx, c, r)
	if err != nil {
		fault := contract.AsError(err)
		if fault.Code == contract.CodeInternal {
			return err
		}
		res.Warnings = append(res.Warnings, contract.Warning{Code: "no_bundle", Message: fmt.Sprintf("No bundle was made: %s. %s", fault.Message, fault.Hint)})
		return nil
	}
	content, err := made.Zip()
	if err != nil {
		return err
	}
	res.Artifacts = append(res.Artifacts, contract.Artifact{Name: bundleName, MIME: "application/zip", Content: content})
	out.Bundle, out.BundleURL = bundleName, contract.ArtifactURL(c.JobID, bundleName)
	return nil
}
