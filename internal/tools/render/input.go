package render

import (
	"encoding/json"
	"fmt"

	"atelier/internal/contract"
	"atelier/internal/quantity"
)

// input is what the schema describes.
type input struct {
	InputPath    string    `json:"input_path"`
	Width        int       `json:"width"`
	Height       int       `json:"height"`
	Views        []view    `json:"views"`
	OutputColor  bool      `json:"output_color"`
	OutputDepth  bool      `json:"output_depth"`
	OutputNormal bool      `json:"output_normal"`
	OutputGLB    bool      `json:"output_glb"`
	Field        string    `json:"field"`
	Component    component `json:"component"`
	Unit         string    `json:"unit"`
	Range        bounds    `json:"range"`
	Colormap     string    `json:"colormap"`
	Warp         *warp     `json:"warp"`
	Slice        *plane    `json:"slice"`
	Clip         *plane    `json:"clip"`
	TimeIndex    *int      `json:"time_index"`
	LengthUnit   string    `json:"length_unit"`
	Edges        bool      `json:"edges"`
	FeatureEdges bool      `json:"feature_edges"`
	Lighting     bool      `json:"lighting"`
	Annotations  bool      `json:"annotations"`
	Title        string    `json:"title"`
	Background   string    `json:"background"`
	UpAxis       string    `json:"up_axis"`
	Fit          string    `json:"fit"`
	NormalSpace  string    `json:"normal_space"`
}

// view is a named view or a camera of the caller's own.
type view struct {
	Name       string      `json:"name"`
	Position   *point      `json:"position,omitempty"`
	FocalPoint *point      `json:"focal_point,omitempty"`
	ViewUp     *[3]float64 `json:"view_up,omitempty"`
}

// UnmarshalJSON reads a string or an object.
func (v *view) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, &v.Name)
	}
	type plain view
	return json.Unmarshal(raw, (*plain)(v))
}

// component of a field: a name, or the index as a number; nil takes the field's own.
type component struct{ value any }

// UnmarshalJSON reads a string or a whole number.
func (c *component) UnmarshalJSON(raw []byte) error {
	var index int
	if json.Unmarshal(raw, &index) == nil {
		c.value = index
		return nil
	}
	var name string
	if err := json.Unmarshal(raw, &name); err != nil {
		return err
	}
	c.value = name
	return nil
}

// MarshalJSON writes what was read.
func (c component) MarshalJSON() ([]byte, error) { return json.Marshal(c.value) }

// bounds of the colours; nil is the field's own extremes.
type bounds []float64

// UnmarshalJSON reads "auto" or a pair.
func (b *bounds) UnmarshalJSON(raw []byte) error {
	if string(raw) == `"auto"` {
		*b = nil
		return nil
	}
	return json.Unmarshal(raw, (*[]float64)(b))
}

type warp struct {
	Field string `json:"field"`
	Scale scale  `json:"scale"`
}

// scale of a deformation; nil is "auto".
type scale struct{ value *float64 }

// UnmarshalJSON reads "auto" or a number.
func (s *scale) UnmarshalJSON(raw []byte) error {
	if string(raw) == `"auto"` {
		return nil
	}
	return json.Unmarshal(raw, &s.value)
}

// MarshalJSON writes "auto" or the number.
func (s scale) MarshalJSON() ([]byte, error) {
	if s.value == nil {
		return []byte(`"auto"`), nil
	}
	return json.Marshal(*s.value)
}

type plane struct {
	Origin *point     `json:"origin,omitempty"`
	Normal [3]float64 `json:"normal"`
}

// point is a place in the file's unit.
type point [3]quantity.FileLength

// in puts the numbers of the unit in the place of lengths in metres. A file that
// names no unit, and whose caller names none, has no numbers for them.
func (p *point) in(unit, at string) error {
	if p == nil {
		return nil
	}
	for i, l := range p {
		if !l.Metres {
			continue
		}
		if unit == "" {
			return contract.Errorf(contract.CodeInvalidInput, "a length with a unit stands where the unit of the file is not known").
				At(fmt.Sprintf("%s/%d", at, i)).WithHint("Give length_unit, or write numbers in the file's own unit.")
		}
		v, err := l.In(unit)
		if err != nil {
			return contract.AsError(err).At(fmt.Sprintf("%s/%d", at, i))
		}
		p[i] = quantity.FileLength{Value: v}
	}
	return nil
}

// place converts every place of the input into the file's unit.
func (in *input) place(unit string) error {
	for i, v := range in.Views {
		if err := v.Position.in(unit, fmt.Sprintf("/views/%d/position", i)); err != nil {
			return err
		}
		if err := v.FocalPoint.in(unit, fmt.Sprintf("/views/%d/focal_point", i)); err != nil {
			return err
		}
	}
	for name, p := range map[string]*plane{"slice": in.Slice, "clip": in.Clip} {
		if p == nil {
			continue
		}
		if err := p.Origin.in(unit, "/"+name+"/origin"); err != nil {
			return err
		}
	}
	return nil
}

// outputs are the kinds of files that a call makes.
type outputs struct {
	Color  bool `json:"color"`
	Depth  bool `json:"depth"`
	Normal bool `json:"normal"`
	GLB    bool `json:"glb"`
}

func (o outputs) perView() int64 {
	var n int64
	for _, on := range []bool{o.Color, o.Depth, o.Normal} {
		if on {
			n++
		}
	}
	return n
}

// check finds what the schema cannot.
func (in *input) check(limits contract.Limits) (outputs, error) {
	out := outputs{Color: in.OutputColor, Depth: in.OutputDepth, Normal: in.OutputNormal, GLB: in.OutputGLB}
	if out.perView() == 0 {
		return out, contract.Errorf(contract.CodeInvalidInput, "output_color, output_depth and output_normal are all false").
			At("/output_color").WithHint("Leave at least one of them true.")
	}
	files := out.perView() * int64(len(in.Views))
	if out.GLB {
		files++
	}
	if files > limits.MaxArtifacts {
		return out, contract.Errorf(contract.CodeArtifactTooMany, "%d views with %d images each make %d files; max_artifacts is %d",
			len(in.Views), out.perView(), files, limits.MaxArtifacts).At("/views").
			WithHint("Ask for fewer views or images, or raise limits.max_artifacts.")
	}
	if r := in.Range; r != nil && r[0] >= r[1] {
		return out, contract.Errorf(contract.CodeInvalidInput, "range is [%g, %g]; its first number must be the smaller one", r[0], r[1]).
			At("/range")
	}
	return out, in.needField()
}

// needField refuses what has no meaning without a field.
func (in *input) needField() error {
	if in.Field != "" {
		return nil
	}
	for _, f := range []struct {
		name  string
		given bool
	}{{"component", in.Component.value != nil}, {"range", in.Range != nil}, {"unit", in.Unit != ""}, {"colormap", in.Colormap != ""}} {
		if f.given {
			return contract.Errorf(contract.CodeInvalidInput, "%s is given without a field", f.name).
				At("/" + f.name).WithHint("Name the field that is to be shown.")
		}
	}
	return nil
}

// stem is the beginning of the names of a view's files.
func stem(i int, v view) string { return fmt.Sprintf("%d_%s", i, v.Name) }
