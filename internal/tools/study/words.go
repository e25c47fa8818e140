package study

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/dataset"
	"atelier/internal/study"
	"atelier/internal/study/words"
)

// question is what a sentence leaves open.
type question struct {
	About   string `json:"about"`
	Text    string `json:"text"`
	Example string `json:"example"`
}

// reading is what a sentence was understood to say, beside the change that it makes.
type reading struct {
	Questions   []question `json:"questions"`
	Refusal     string     `json:"refusal"`
	Unused      []string   `json:"unused"`
	Asks        []string   `json:"asks"`
	Assumptions []string   `json:"assumptions"`

	language string
}

func noReading() reading {
	return reading{Questions: []question{}, Unused: []string{}, Asks: []string{}, Assumptions: []string{}}
}

// words reads a sentence and makes the change that it says. Nothing is stored while
// something is open, unless the caller wants it anyway.
func (t tools) words(ctx context.Context, c *contract.Call, in changeInput) (*contract.Result, error) {
	h := &study.History{}
	said := words.Context{Earlier: in.Earlier}
	if in.Study != "" {
		var err error
		if h, err = t.studies.Load(ctx, in.Study); err != nil {
			return nil, err
		}
		said.Document, said.LastRun = h.Head().Document, len(h.Runs) > 0
		said.Files = t.known(ctx, c, h)
	}
	for _, name := range append(slices.Clone(in.Files), tablesIn(in.Words, said.Document)...) {
		if !slices.ContainsFunc(said.Files, func(f words.File) bool { return f.Name == name }) {
			said.Files = append(said.Files, words.File{Name: name, Columns: columns(ctx, c, name)})
		}
	}
	r := words.Read(in.Words, said)
	made := reading{Refusal: r.Refusal, Unused: append([]string{}, r.Unused...), Asks: append([]string{}, r.Asks...), Assumptions: append([]string{}, r.Assumptions...), Questions: []question{}, language: r.Language}
	for _, q := range r.Questions {
		made.Questions = append(made.Questions, question(q))
	}
	open := len(r.Questions) > 0 || r.Refusal != "" || len(r.Unused) > 0
	change := study.Change{Study: in.Study, Revision: in.Revision, Patch: r.Patch, Undo: r.Undo}
	if open && !in.Anyway || len(r.Patch) == 0 && r.Undo == 0 {
		change.Patch, change.Undo = nil, 0
		if in.Study == "" {
			return answered(changeOutput{Changes: []difference{}, Table: []study.Row{}, Steps: []call{}, Open: []string{}, Document: json.RawMessage("null"), reading: made}, in), nil
		}
	}
	done, err := t.studies.Apply(ctx, change)
	if err != nil {
		return nil, err
	}
	out := output(done, in)
	out.reading = made
	return answered(out, in), nil
}

// known are the parts of a study, with what the last run has learnt of their faces.
func (t tools) known(ctx context.Context, call *contract.Call, h *study.History) []words.File {
	var out []words.File
	s, err := study.Read(h.Head().Document)
	if err != nil {
		return nil
	}
	shapes := t.studies.Known(ctx, call, h)
	for _, name := range slices.Sorted(maps.Keys(s.Parts)) {
		p := s.Parts[name]
		f := words.File{Name: p.File}
		if g := shapes[p.File]; g != nil {
			for _, face := range g.Faces {
				if face.Name != "" {
					f.Faces = append(f.Faces, face.Name)
				}
			}
			f.Holes = []float64{}
			for _, hole := range g.Holes {
				f.Holes = append(f.Holes, 2*hole.Radius*g.Metres())
			}
		}
		out = append(out, f)
	}
	return out
}

// open is what the answer says first of a sentence that was not carried out.
func (r reading) open() string {
	var said []string
	if r.Refusal != "" {
		said = append(said, r.Refusal)
	}
	for _, q := range r.Questions {
		said = append(said, q.Text+" ("+q.Example+")")
	}
	if len(r.Unused) > 0 {
		not := "Not understood: "
		if r.language == words.German {
			not = "Nicht verstanden: "
		}
		said = append(said, not+strings.Join(r.Unused, ", ")+".")
	}
	if len(r.Asks) > 0 {
		of := "Asked of the last run: "
		if r.language == words.German {
			of = "Gefragt ist der letzte Lauf: "
		}
		said = append(said, of+strings.Join(r.Asks, ", ")+" (study_ask).")
	}
	return strings.Join(append(said, r.Assumptions...), " ")
}

var tableName = regexp.MustCompile(`(?i)[^\s"',;:()]+\.(csv|tsv|parquet|jsonl)\b`)

// tablesIn are the tables that a sentence names, and those of a document.
func tablesIn(sentence string, document json.RawMessage) []string {
	names := tableName.FindAllString(sentence, -1)
	if s, err := study.Read(document); err == nil {
		for _, t := range s.Tables {
			names = append(names, t.File)
		}
	}
	return names
}

// mostRead bounds a table whose columns are looked at, in bytes.
const mostRead = 16 << 20

// columns of a table; nil where it cannot be read, which its own tool tells better.
func columns(ctx context.Context, c *contract.Call, name string) []string {
	if !tableName.MatchString(name) {
		return nil
	}
	file, err := c.File(ctx, name, "/files")
	if err != nil {
		return nil
	}
	in, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer in.Close()
	out, err := os.CreateTemp(c.Dir, ".columns-*")
	if err != nil {
		return nil
	}
	defer os.Remove(out.Name())
	defer out.Close()
	if info, err := in.Stat(); err != nil || info.Size() > mostRead {
		return nil
	}
	info, err := dataset.ImportFile(ctx, filepath.Base(file), "", in, out, dataset.Options{})
	if err != nil {
		return nil
	}
	var names []string
	for _, column := range info.Columns {
		names = append(names, column.Name)
	}
	return names
}
