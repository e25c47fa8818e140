package study

import (
	"encoding/json"
	"fmt"
	"strings"

	"atelier/internal/quantity"
	"atelier/internal/shape"
)

// Row of the table that shows a study before it runs.
type Row struct {
	Section string `json:"section"`
	Name    string `json:"name"`
	Says    string `json:"says"`
}

// Table is the study in rows, in the order in which people read it.
func (s *Study) Table() []Row {
	out := []Row{}
	add := func(section, name, format string, args ...any) {
		out = append(out, Row{section, name, fmt.Sprintf(format, args...)})
	}
	for _, n := range keys(s.Parts) {
		add("part", n, "%s%s", s.Parts[n].File, suffix(", in ", s.Parts[n].LengthUnit))
	}
	for _, n := range keys(s.Materials) {
		m := s.Materials[n]
		body := ""
		if m.Body != nil {
			body = ", body " + strings.Trim(string(m.Body), `"`)
		}
		add("material", n, "%s", strings.TrimPrefix(suffix(", ", m.Name)+suffix(", ", fields(m.Figures))+suffix(", part ", m.Part)+body, ", "))
	}
	for _, n := range keys(s.Supports) {
		add("support", n, "%s", s.Supports[n].says())
	}
	for _, n := range keys(s.Loads) {
		add("load", n, "%s", s.Loads[n].says())
	}
	if s.Mesh != nil {
		add("mesh", "", "%s", s.Mesh.says())
	}
	for _, n := range keys(s.Circuits) {
		c := s.Circuits[n]
		add("circuit", n, "%s", strings.TrimPrefix(suffix(", ", c.File)+suffix(", ", strings.SplitN(c.Netlist, "\n", 2)[0]), ", "))
	}
	for _, n := range keys(s.Tables) {
		add("table", n, "%s", s.Tables[n].File)
	}
	for _, n := range keys(s.Analyses) {
		a := s.Analyses[n]
		add("analysis", n, "%s%s", a.Type, suffix(" ", a.Tool)+suffix(", part ", a.Part)+suffix(", ", fields(a.Options)))
	}
	for _, n := range keys(s.Questions) {
		q := s.Questions[n]
		accuracy := ""
		if q.Accuracy != nil {
			accuracy = fmt.Sprintf(" within %g %%", 100**q.Accuracy)
		}
		add("question", n, "%s%s%s", q.Quantity, suffix(" of ", q.Analysis), accuracy)
	}
	for _, n := range keys(s.Requirements) {
		r := s.Requirements[n]
		add("requirement", n, "%s%s%s%s", r.Quantity, suffix(" of ", r.Analysis), suffix(" at most ", r.AtMost.says()), suffix(" at least ", r.AtLeast.says()))
	}
	return out
}

// suffix is a text behind its introduction; "" for none.
func suffix(introduction, text string) string {
	if text == "" {
		return ""
	}
	return introduction + text
}

// fields in words, such as "force [0,0,-500]".
func fields(of map[string]json.RawMessage) string {
	words := []string{}
	for _, n := range keys(of) {
		words = append(words, n+" "+brief(json.RawMessage(strings.Trim(string(of[n]), `"`))))
	}
	return strings.Join(words, ", ")
}

func (c Condition) says() string {
	out := c.Type
	if len(c.On) > 0 {
		out += " on " + said(c.On)
	}
	return out + suffix(", ", fields(c.Fields)) + suffix(", part ", c.Part) + suffix(", in ", shape.List(c.Analyses))
}

func (m *Mesh) says() string {
	var words []string
	if m.Size != nil {
		words = append(words, fmt.Sprintf("elements of at most %g mm", quantity.Significant(1000*m.Size.Metres)))
	}
	if m.Fineness != "" {
		words = append(words, m.Fineness)
	}
	if m.ElementsPerCircle != nil {
		words = append(words, fmt.Sprintf("%g elements around a circle", *m.ElementsPerCircle))
	}
	return strings.Join(words, ", ")
}

func (l *Limit) says() string {
	switch {
	case l == nil:
		return ""
	case l.Number != nil:
		return fmt.Sprintf("%g", *l.Number)
	}
	return l.Text
}
