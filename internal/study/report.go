package study

import (
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

//go:embed report.html
var reportPage string

var reportTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Parse(reportPage))
})

// Report is what is told of a run on one page.
type Report struct {
	Title       string
	Doubts      []string // what speaks against what the page says
	Run         *Run
	When        string
	Table       []Row
	Assumptions []string
	Answers     []Answer
	Judgements  []Judgement
	Analyses    []ReportedAnalysis
	Failed      []StepRun
	Files       []evidence.Input
	Tools       [][2]string // name and version
	Build       string
	Document    string
}

// ReportedAnalysis is an analysis with what it gave.
type ReportedAnalysis struct {
	Step
	JobID      string
	Summary    string
	Trust      evidence.Trust
	Reasons    []string
	Notes      []string
	Quantities []ReportedFigure
	Checks     []evidence.Check
	Materials  []ReportedMaterial
	Mesh       string
	Pictures   []Picture
}

// ReportedFigure is a figure in words.
type ReportedFigure struct {
	Name, Value, Error string
	Trust              evidence.Trust
	Method             string
}

// ReportedMaterial is a material that was used, with its sources.
type ReportedMaterial struct {
	Name    string
	Figures string
	Source  string
}

// Picture of a field, as a data URL.
type Picture struct {
	Caption string
	Data    template.URL
}

// shown are the fields that a page shows, by type of analysis, with the field that deforms
// the part.
var shown = map[string][2]string{
	"static": {"von_mises", "displacement"}, "nonlinear": {"von_mises", "displacement"},
	"modal": {"mode_1", "mode_1"}, "buckling": {"mode_1", "mode_1"}, "heat": {"temperature", ""}, "flow": {"velocity", ""},
}

// Report gathers what a run gave; pictures are made, or taken from an earlier report. What
// cannot be drawn is left out and said.
func (s *Service) Report(ctx context.Context, call *contract.Call, r *Run) (*Report, error) {
	made := r.study
	out := &Report{Title: made.Title, Run: r, When: r.At.UTC().Format("2006-01-02 15:04 UTC"), Table: made.Table(), Assumptions: made.Assumptions, Build: s.Build}
	if out.Title == "" {
		out.Title = "Study"
	}
	var err error
	if out.Answers, err = r.Answers(); err != nil {
		return nil, err
	}
	if out.Judgements, err = r.Judgements(); err != nil {
		return nil, err
	}
	var indented strings.Builder
	enc := json.NewEncoder(&indented)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(decoded(r.Document)); err != nil {
		return nil, err
	}
	out.Document = indented.String()
	e := &execution{Service: s, call: call, study: made, doc: r.Document, run: &Run{results: r.results}, total: len(r.Steps)}
	for _, step := range r.Steps {
		if step.Fault != nil || step.Skipped != "" {
			out.Failed = append(out.Failed, step)
		}
		if tool, err := s.Tools.Find(step.Tool); err == nil && !slices.Contains(out.Tools, [2]string{step.Tool, tool.Contract.Version}) {
			out.Tools = append(out.Tools, [2]string{step.Tool, tool.Contract.Version})
		}
		if step.JobID == "" {
			continue
		}
		if err := out.files(ctx, s, step.JobID); err != nil {
			return nil, err
		}
		if result := r.results[step.Name]; result != nil && strings.HasPrefix(step.At, "/analyses/") {
			a := analysisOf(step, result)
			if err := e.pictures(ctx, &a, made.Analyses[step.Name].Type, result); err != nil {
				return nil, err
			}
			out.Analyses = append(out.Analyses, a)
		}
	}
	return out, nil
}

// files that a job was made from and that somebody brought.
func (out *Report) files(ctx context.Context, s *Service, jobID string) error {
	inputs, err := s.DB.MadeFrom(ctx, jobID)
	if err != nil {
		return err
	}
	for _, in := range inputs {
		if in.JobID == "" && in.SHA256 != "" && !slices.ContainsFunc(out.Files, func(have evidence.Input) bool { return have.SHA256 == in.SHA256 }) {
			out.Files = append(out.Files, in)
		}
	}
	return nil
}

func analysisOf(step StepRun, result *contract.Result) ReportedAnalysis {
	a := ReportedAnalysis{Step: step.Step, JobID: step.JobID, Summary: result.Summary, Notes: step.Notes}
	a.Trust, a.Reasons = result.Trust()
	if result.Evidence != nil {
		a.Checks = result.Evidence.Checks()
		for _, q := range result.Evidence.Quantities() {
			f := ReportedFigure{Name: q.Name, Value: "undefined", Error: "not known", Trust: q.Trust(), Method: q.Method}
			if q.Value != nil {
				f.Value = withUnit(*q.Value, q.Unit)
			}
			if q.Error != nil {
				f.Error = "± " + difference(*q.Error, q.Unit)
			}
			a.Quantities = append(a.Quantities, f)
		}
	}
	var used struct {
		Materials []map[string]any `json:"materials"`
		Unknowns  int              `json:"unknowns"`
		Order     int              `json:"order"`
		Mesh      struct {
			Elements int `json:"elements"`
		} `json:"mesh"`
	}
	if json.Unmarshal(result.OutputJSON(), &used) != nil {
		return a // the output of another tool
	}
	if used.Mesh.Elements > 0 {
		a.Mesh = fmt.Sprintf("%d elements of order %d, %d unknowns", used.Mesh.Elements, used.Order, used.Unknowns)
	}
	for _, m := range used.Materials {
		row := ReportedMaterial{}
		row.Name, _ = m["name"].(string)
		row.Source, _ = m["source"].(string)
		var words []string
		for _, name := range keys(m) {
			if v, ok := m[name].(float64); ok && name != "attribute" {
				words = append(words, fmt.Sprintf("%s %g", name, v))
			}
		}
		row.Figures = strings.Join(words, ", ")
		a.Materials = append(a.Materials, row)
	}
	return a
}

// pictures of an analysis; what cannot be drawn is noted.
func (e *execution) pictures(ctx context.Context, a *ReportedAnalysis, kind string, result *contract.Result) error {
	fields, ok := shown[kind]
	url, _ := contract.Figure(result.OutputJSON(), "/artifact_url")
	path, _ := url.(string)
	if !ok || path == "" {
		return nil
	}
	input := map[string]any{"input_path": path, "field": fields[0], "length_unit": "m", "up_axis": "z", "fit": "tight", "output_depth": false, "output_normal": false}
	if fields[1] != "" {
		input["warp"] = map[string]any{"field": fields[1], "scale": "auto"}
	}
	before := len(e.run.Steps)
	drawn, err := e.step(ctx, Step{"picture of " + a.Name, "render_pack_vtk", a.At}, prepared{input: encode(input), files: []string{"/input_path"}})
	if err != nil {
		return err
	}
	if drawn == nil {
		if f := e.run.Steps[before].Fault; f != nil {
			a.Notes = append(a.Notes, fmt.Sprintf("The picture of %s could not be made: %s", fields[0], f.Message))
		}
		return nil
	}
	var views struct {
		Views []struct {
			View string `json:"view"`
			URL  string `json:"color_url"`
		} `json:"views"`
	}
	if err := json.Unmarshal(drawn.OutputJSON(), &views); err != nil {
		return unreadable("render_pack_vtk", err)
	}
	for _, v := range views.Views {
		content, err := e.read(ctx, v.URL)
		if err != nil {
			return err
		}
		caption := strings.ReplaceAll(fields[0], "_", " ")
		if fields[1] != "" {
			caption += ", deformed"
		}
		a.Pictures = append(a.Pictures, Picture{caption, template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(content))}) // our own picture
	}
	return nil
}

// HTML is the page: whole in itself, without scripts.
func (out *Report) HTML() ([]byte, error) {
	var b strings.Builder
	if err := reportTemplate().Execute(&b, out); err != nil {
		return nil, err
	}
	return []byte(b.String()), nil
}
