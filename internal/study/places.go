package study

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/quantity"
	"atelier/internal/shape"
)

// Place is where a condition acts, as the document says it: a word, or holes by size and
// side, a coordinate, all faces but some.
type Place struct {
	Word   string
	Hole   *Holes  `json:"hole,omitempty"`
	Holes  *Holes  `json:"holes,omitempty"`
	X      *Length `json:"x,omitempty"`
	Y      *Length `json:"y,omitempty"`
	Z      *Length `json:"z,omitempty"`
	AllBut places  `json:"all_but,omitempty"`
	// Feature that no face is called by, found by the geometry.
	Feature *Feature `json:"feature,omitempty"`
}

// Feature is one of shape.Features, and which side of it.
type Feature struct {
	Name string `json:"name"`
	Side string `json:"side,omitempty"`
}

// Holes are said by their diameter or size, and their side.
type Holes struct {
	Diameter *Length `json:"diameter,omitempty"`
	Side     string  `json:"side,omitempty"`
	Size     string  `json:"size,omitempty"`
}

// Length is a number of metres, or a text with its unit.
type Length struct {
	Metres float64
	fault  error // why the text is no length; told with its place
}

// UnmarshalJSON reads 0.012 and "12 mm".
func (l *Length) UnmarshalJSON(raw []byte) error {
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte(`"`)) {
		return json.Unmarshal(raw, &l.Metres)
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	l.Metres, l.fault = quantity.ParseAs(text, quantity.Length)
	return nil
}

// check is the fault of a length that is there, or one that is not above 0.
func (l *Length) check(at string, positive bool) []*contract.Error {
	switch {
	case l == nil:
		return nil
	case l.fault != nil:
		return []*contract.Error{contract.AsError(l.fault).At(at)}
	case positive && l.Metres <= 0:
		return []*contract.Error{contract.Errorf(contract.CodeInvalidInput, "a length of %g m is not possible here", l.Metres).At(at).WithHint("Give one above 0, such as \"12 mm\".")}
	}
	return nil
}

// lengths are the faults of those of some places.
func lengths(at string, list places) (faults []*contract.Error) {
	for i, p := range list {
		here := at
		if len(list) > 1 {
			here = fmt.Sprintf("%s/%d", at, i)
		}
		for axis, v := range map[string]*Length{"x": p.X, "y": p.Y, "z": p.Z} {
			faults = append(faults, v.check(here+"/"+axis, false)...)
		}
		for noun, h := range map[string]*Holes{"hole": p.Hole, "holes": p.Holes} {
			if h != nil {
				faults = append(faults, h.Diameter.check(here+"/"+noun+"/diameter", true)...)
			}
		}
		faults = append(faults, lengths(here+"/all_but", p.AllBut)...)
	}
	return faults
}

// places is one place or a list of them.
type places []Place

// UnmarshalJSON accepts "left" and ["left", {"hole": {"diameter": "12 mm"}}].
func (p *places) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		return json.Unmarshal(raw, (*[]Place)(p))
	}
	var one Place
	err := json.Unmarshal(raw, &one)
	*p = places{one}
	return err
}

// UnmarshalJSON accepts a word or an object.
func (p *Place) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte(`"`)) {
		return json.Unmarshal(raw, &p.Word)
	}
	type object Place
	return json.Unmarshal(raw, (*object)(p))
}

var (
	sides = map[string]string{"left": "x_min", "right": "x_max", "front": "y_min", "back": "y_max", "bottom": "z_min", "top": "z_max"}
	sizes = map[string]string{"": "", "smallest": "small", "largest": "large", "most_numerous": "bolt"}

	faceNumber = regexp.MustCompile(`^face\s+(\d{1,6})$`)
)

// shape is the place as the part's geometry knows it.
func (p Place) shape() shape.Place {
	for axis, v := range map[string]*Length{"x": p.X, "y": p.Y, "z": p.Z} {
		if v != nil {
			return shape.Place{Kind: "coordinate", Name: axis, Value: v.Metres}
		}
	}
	switch {
	case p.Hole != nil:
		return p.Hole.shape("hole")
	case p.Holes != nil:
		return p.Holes.shape("holes")
	case p.AllBut != nil:
		return shape.Place{Kind: "rest", Not: shapes(p.AllBut)}
	case p.Feature != nil:
		return shape.Place{Kind: "feature", Name: p.Feature.Name, Near: sides[p.Feature.Side]}
	}
	word := strings.ToLower(strings.TrimSpace(p.Word))
	if m := faceNumber.FindStringSubmatch(word); m != nil {
		id, _ := strconv.Atoi(m[1]) // at most six digits
		return shape.Place{Kind: "attribute", ID: id}
	}
	switch plane := sides[word]; {
	case plane != "":
		return shape.Place{Kind: "plane", Name: plane}
	case shape.Normals[word] != nil:
		return shape.Place{Kind: "plane", Name: word}
	case word == "end_min" || word == "end_max":
		return shape.Place{Kind: "end", Name: "longest" + word[len("end"):]}
	case word == "rest" || word == "all":
		return shape.Place{Kind: word}
	}
	return shape.Place{Kind: "face", Name: p.Word}
}

func (h Holes) shape(kind string) shape.Place {
	out := shape.Place{Kind: kind, Near: sides[h.Side], Many: sizes[h.Size]}
	if h.Diameter != nil {
		out.Diameter = h.Diameter.Metres
	}
	return out
}

func shapes(list []Place) []shape.Place {
	out := make([]shape.Place, len(list))
	for i, p := range list {
		out[i] = p.shape()
	}
	return out
}

// String is the place in words.
func (p Place) String() string {
	holes := func(h Holes, noun string) string {
		words := []string{"the"}
		if h.Size != "" {
			words = append(words, strings.ReplaceAll(h.Size, "_", " "))
		}
		words = append(words, noun)
		if h.Diameter != nil {
			words = append(words, "of "+quantity.Length.Format(h.Diameter.Metres))
		}
		if h.Side != "" {
			words = append(words, "on the "+h.Side)
		}
		return strings.Join(words, " ")
	}
	switch {
	case p.Hole != nil:
		return holes(*p.Hole, "hole")
	case p.Holes != nil:
		return holes(*p.Holes, "holes")
	case p.AllBut != nil:
		return "all faces but " + said(p.AllBut)
	case p.Word != "":
		return p.Word
	}
	return p.shape().Phrase()
}

func said(list []Place) string {
	words := make([]string, len(list))
	for i, p := range list {
		words[i] = p.String()
	}
	return shape.List(words)
}

// materialFigures are those that some solver takes, and tensile, against which is judged.
func materialFigures() []string {
	known := []string{"tensile"}
	for _, names := range figures {
		known = append(known, names...)
	}
	slices.Sort(known)
	return slices.Compact(known)
}

// references names what the sections say of each other and is not there.
func (s *Study) references() []*contract.Error {
	var faults []*contract.Error
	lacks := func(at, kind, name string, have []string) {
		if name == "" || slices.Contains(have, name) {
			return
		}
		e := contract.Errorf(contract.CodeInvalidInput, "the study has no %s %q", kind, name).At(at)
		if near := contract.Nearest(name, have); near != "" {
			e = e.WithHint("Did you mean %q?", near)
		} else if len(have) > 0 {
			e = e.WithHint("It has %s.", shape.List(have))
		} else {
			e = e.WithHint("Add it to the section first.")
		}
		faults = append(faults, e)
	}
	parts, analyses, circuits := keys(s.Parts), keys(s.Analyses), keys(s.Circuits)
	for _, name := range keys(s.Materials) {
		lacks("/materials/"+escape(name)+"/part", "part", s.Materials[name].Part, parts)
		for _, figure := range keys(s.Materials[name].Figures) {
			if known := materialFigures(); !slices.Contains(known, figure) {
				e := contract.Errorf(contract.CodeInvalidInput, "%q is no figure of a material", figure).At("/materials/"+escape(name)+"/"+escape(figure)).
					WithHint("A material has material, part, body, and %s.", shape.List(known))
				if near := contract.Nearest(figure, known); near != "" {
					e = e.WithHint("Did you mean %q?", near)
				}
				faults = append(faults, e)
			}
		}
	}
	for section, list := range map[string]map[string]Condition{"supports": s.Supports, "loads": s.Loads} {
		for _, name := range keys(list) {
			at := fmt.Sprintf("/%s/%s", section, escape(name))
			lacks(at+"/part", "part", list[name].Part, parts)
			faults = append(faults, lengths(at+"/on", list[name].On)...)
			for i, a := range list[name].Analyses {
				lacks(fmt.Sprintf("%s/analyses/%d", at, i), "analysis", a, analyses)
			}
		}
	}
	for _, name := range analyses {
		lacks("/analyses/"+escape(name)+"/part", "part", s.Analyses[name].Part, parts)
		lacks("/analyses/"+escape(name)+"/circuit", "circuit", s.Analyses[name].Circuit, circuits)
	}
	for _, name := range keys(s.Questions) {
		lacks("/questions/"+escape(name)+"/analysis", "analysis", s.Questions[name].Analysis, analyses)
	}
	for _, name := range keys(s.Requirements) {
		lacks("/requirements/"+escape(name)+"/analysis", "analysis", s.Requirements[name].Analysis, analyses)
	}
	for _, name := range circuits {
		faults = append(faults, s.Circuits[name].checkValues("/circuits/"+escape(name))...)
	}
	if s.Mesh != nil {
		faults = append(faults, s.Mesh.Size.check("/mesh/size", true)...)
		for _, name := range keys(s.Mesh.Local) {
			at := "/mesh/local/" + escape(name)
			lacks(at+"/part", "part", s.Mesh.Local[name].Part, parts)
			faults = append(faults, s.Mesh.Local[name].Size.check(at+"/size", true)...)
			faults = append(faults, lengths(at+"/on", s.Mesh.Local[name].On)...)
		}
	}
	return faults
}
