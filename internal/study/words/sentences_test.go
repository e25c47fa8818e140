package words

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"atelier/internal/study"
	"atelier/internal/testenv"
)

// Thresholds of the sentences: readings that run and say something else than was said, and
// the share of those that are right. The share is what has been reached: of the others most
// want what no tool here does (speech, contact and bolts of parts that are no bodies of one
// file, outliers, process capability, tables of a page as CSV).
const (
	mostWrong  = 1
	leastRight = 0.85
)

// sentence of the collection, with what it means.
type sentence struct {
	ID       int            `json:"id"`
	Sentence string         `json:"sentence"`
	Language string         `json:"language"`
	Family   string         `json:"family"`
	Files    []string       `json:"files"`
	Follows  *int           `json:"follows"`
	Expect   string         `json:"expect"`
	Meaning  map[string]any `json:"meaning"`
}

// collection is all sentences.
func collection(t *testing.T) (list []sentence) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(testenv.Root(), "test", "sentences", "sentences.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// apply makes the document that a reading proposes.
func apply(t *testing.T, document, patch json.RawMessage) json.RawMessage {
	t.Helper()
	if len(document) == 0 {
		document = json.RawMessage(`{"study":"1.0"}`)
	}
	if len(patch) == 0 {
		return document
	}
	ops, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		t.Fatal(err)
	}
	options := jsonpatch.NewApplyOptions()
	options.EnsurePathExistsOnAdd = true
	out, err := ops.ApplyWithOptions(document, options)
	if err != nil {
		t.Fatalf("%v: %s", err, patch)
	}
	return out
}

type outcome struct {
	sentence
	reading *Reading
	before  json.RawMessage
	after   json.RawMessage
	result  string // right, asked or wrong
	why     string
}

// read goes through the sentences; one that continues another has its study.
func readAll(t *testing.T, list []sentence) []outcome {
	t.Helper()
	var out []outcome
	documents := map[int]json.RawMessage{}
	open, before := map[int]string{}, map[int]json.RawMessage{} // sentences that were asked about, and their studies
	for _, s := range list {
		in := Context{}
		for _, f := range s.Files {
			file := File{Name: f}
			if f == "table.csv" {
				file.Columns = []string{"group", "value", "temperature", "strength"}
			}
			in.Files = append(in.Files, file)
		}
		o := outcome{sentence: s}
		if s.Follows != nil {
			in.Document, in.LastRun = documents[*s.Follows], len(documents[*s.Follows]) > 0
			o.before = in.Document
		}
		o.reading = Read(s.Sentence, in)
		if s.Follows != nil && open[*s.Follows] != "" && !o.reading.Runs() {
			// As a client has it, which stores nothing that is open.
			answer := Context{Files: in.Files, Document: before[*s.Follows], Earlier: open[*s.Follows]}
			if r := Read(s.Sentence, answer); r.Earlier {
				o.reading, in = r, answer
				o.before = in.Document
			}
		}
		if before[s.ID] = in.Document; !o.reading.Runs() {
			open[s.ID] = s.Sentence
		}
		o.after = apply(t, in.Document, o.reading.Patch)
		documents[s.ID] = o.after
		if o.reading.Undo > 0 || len(o.reading.Patch) == 0 {
			documents[s.ID] = in.Document
		}
		o.judge()
		out = append(out, o)
	}
	return out
}

// judge compares what was read with what was said.
func (o *outcome) judge() {
	runs := o.reading.Runs()
	if runs && len(o.reading.Patch) > 0 {
		if _, err := study.Read(o.after); err != nil {
			o.result, o.why = "wrong", "no study: "+err.Error()
			return
		}
	}
	switch o.Expect {
	case "ask":
		o.result = "right"
		if runs {
			o.result, o.why = "wrong", "it runs"
		} else if o.reading.Refusal != "" && len(o.reading.Questions) == 0 {
			o.result = "asked"
		}
		return
	case "refuse":
		switch {
		case runs:
			o.result, o.why = "wrong", "it runs"
		case o.reading.Refusal != "":
			o.result = "right"
		default:
			o.result = "asked"
		}
		return
	case "answer":
		switch {
		case !runs:
			o.result = "asked"
		case len(o.reading.Asks) == 0 || len(o.reading.Patch) > 0:
			o.result, o.why = "wrong", "it changes the study"
		default:
			o.result = "right"
		}
		return
	}
	if !runs {
		o.result = "asked"
		return
	}
	var doc, before map[string]any
	_ = json.Unmarshal(o.after, &doc) // made by apply
	_ = json.Unmarshal(o.before, &before)
	c := &comparer{doc: doc, before: before, reading: o.reading, meaning: o.Meaning, follows: o.Follows != nil}
	c.compare()
	o.result = "right"
	if len(c.faults) > 0 {
		o.result, o.why = "wrong", strings.Join(c.faults, "; ")
	}
}

func TestSentences(t *testing.T) {
	list := collection(t)
	all := readAll(t, list)
	count := map[string]map[string]int{}
	add := func(row, result string) {
		if count[row] == nil {
			count[row] = map[string]int{}
		}
		count[row][result]++
		count[row]["all"]++
	}
	for _, o := range all {
		add("all", o.result)
		add("language "+o.Language, o.result)
		add("expect "+o.Expect, o.result)
		add(o.Family, o.result)
		if o.result == "wrong" {
			t.Logf("%d wrong: %s\n    %s", o.ID, o.Sentence, o.why)
		}
	}
	rows := names2(count)
	t.Logf("%-28s %5s %6s %6s %6s", "", "right", "asked", "wrong", "all")
	for _, row := range rows {
		c := count[row]
		t.Logf("%-28s %5d %6d %6d %6d", row, c["right"], c["asked"], c["wrong"], c["all"])
	}
	if c := count["all"]; c["wrong"] > mostWrong || float64(c["right"]) < leastRight*float64(c["all"]) {
		t.Errorf("%d of %d are right and %d wrong", c["right"], c["all"], c["wrong"])
	}
	if os.Getenv("SENTENCES") != "" {
		for _, o := range all {
			if o.result != "right" {
				fmt.Printf("#%d %s [%s %s, expected %s, %s] %v\n   %s\n", o.ID, o.result, o.Family, o.Language, o.Expect, o.why, o.Follows != nil, o.Sentence)
				fmt.Printf("   meaning %s\n   patch %s\n", encode(o.Meaning), o.reading.Patch)
				fmt.Printf("   unused %q refusal %q\n", o.reading.Unused, o.reading.Refusal)
				for _, q := range o.reading.Questions {
					fmt.Printf("   ? %s\n", q.Text)
				}
			}
		}
	}
}

func names2(m map[string]map[string]int) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
