package render

import (
	"cmp"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/geometry"
	"atelier/internal/vtkfile"
)

// output is what output_schema describes.
type output struct {
	Views       []shotOutput  `json:"views"`
	Intrinsics  [3][3]float64 `json:"camera_intrinsics"`
	BoundsMin   [3]float64    `json:"bounds_min"`
	BoundsMax   [3]float64    `json:"bounds_max"`
	LengthUnit  string        `json:"length_unit"`
	Arrays      []array       `json:"arrays"`
	Field       *fieldOutput  `json:"field,omitempty"`
	Warp        *warpOutput   `json:"warp,omitempty"`
	Time        *vtkfile.Step `json:"time,omitempty"`
	GLBPath     string        `json:"glb_path,omitempty"`
	GLBURL      string        `json:"glb_url,omitempty"`
	ArtifactURL string        `json:"artifact_url"`

	// Residual is the engine's check of its depth images; it goes into the evidence.
	Residual *residual `json:"depth_residual,omitempty"`

	// What the file says of its units; OwnUnit alone asks for a conversion.
	OwnUnit       string `json:"own_unit,omitempty"`
	FieldOwnUnit  string `json:"field_own_unit,omitempty"`
	OwnLengthUnit string `json:"own_length_unit,omitempty"`
}

type shotOutput struct {
	View       string        `json:"view"`
	ColorPath  string        `json:"color_path,omitempty"`
	ColorURL   string        `json:"color_url,omitempty"`
	DepthPath  string        `json:"depth_path,omitempty"`
	DepthURL   string        `json:"depth_url,omitempty"`
	NormalPath string        `json:"normal_path,omitempty"`
	NormalURL  string        `json:"normal_url,omitempty"`
	Extrinsics [4][4]float64 `json:"extrinsics"`
	Position   [3]float64    `json:"position"`
	FocalPoint [3]float64    `json:"focal_point"`
	ViewUp     [3]float64    `json:"view_up"`
	Near       float64       `json:"near"`
	Far        float64       `json:"far"`
	Coverage   float64       `json:"coverage"`
	DepthRange *[2]float64   `json:"depth_range"`
}

type array struct {
	Name        string   `json:"name"`
	Association string   `json:"association"`
	Components  int      `json:"components"`
	Unit        string   `json:"unit"`
	Min         *float64 `json:"min"`
	Max         *float64 `json:"max"`
}

type fieldOutput struct {
	Name        string     `json:"name"`
	Component   string     `json:"component"`
	Unit        string     `json:"unit"`
	Association string     `json:"association"`
	Min         float64    `json:"min"`
	MinAt       [3]float64 `json:"min_at"`
	Max         float64    `json:"max"`
	MaxAt       [3]float64 `json:"max_at"`
	Mean        float64    `json:"mean"`
	NotFinite   int        `json:"not_finite"`
	Range       [2]float64 `json:"range"`
}

type warpOutput struct {
	Field   string  `json:"field"`
	Scale   float64 `json:"scale"`
	Largest float64 `json:"largest"`
}

type residual struct {
	Value  float64 `json:"value"`
	Pixels int     `json:"pixels"`
}

// finish adds what only this side knows: the links, the time, the views' names as asked.
func (o *output) finish(jobID string, in input, src *source) {
	link := func(name string) string {
		if name == "" {
			return ""
		}
		url := contract.ArtifactURL(jobID, name)
		if o.ArtifactURL == "" {
			o.ArtifactURL = url
		}
		return url
	}
	for i := range o.Views {
		v := &o.Views[i]
		v.View = in.Views[i].Name
		v.ColorURL, v.DepthURL, v.NormalURL = link(v.ColorPath), link(v.DepthPath), link(v.NormalPath)
	}
	o.GLBURL = link(o.GLBPath)
	o.Time = src.time
}

// depthTolerance is what a pixel put back into space may miss the surface by, as
// a part of the bounding box's diagonal: some thirty steps of a 24-bit depth buffer.
const depthTolerance = 2e-4

// statement turns what the engine measured into the result's, and removes it from
// the output. Values of a field are those of the file, and as good as the result
// that made it; in a unit that only the caller names nothing stands behind them.
func (o *output) statement(in input) *evidence.Statement {
	s := &evidence.Statement{}
	o.depth(s)
	if c, contradicts := lengthUnit(in.LengthUnit, o.OwnLengthUnit); contradicts {
		s.Check(c)
	}
	if f := o.Field; f != nil {
		if knownUnit(in.Unit, o.FieldOwnUnit) {
			s.Check(evidence.Holds("unit_of_field", evidence.Balance, "/field", true, "The values are those of the file, in its own unit or converted from it."))
		}
		unit := cmp.Or(f.Unit, geometry.FileUnit)
		s.Figure(evidence.Of("field, lowest", "/field/min", f.Min, unit, "least of the file's values").Quote(),
			evidence.Of("field, highest", "/field/max", f.Max, unit, "largest of the file's values").Quote())
	}
	o.FieldOwnUnit, o.OwnLengthUnit = "", ""
	return s
}

func (o *output) depth(s *evidence.Statement) {
	r := o.Residual
	o.Residual = nil
	if r == nil {
		s.Note("The images could not be held against a surface by their depth.")
		return
	}
	s.Check(evidence.Within("depth_on_surface", evidence.Independent, "/views", r.Value, depthTolerance, "1",
		"Largest distance to the surface of sampled pixels that were put back into space by depth image and camera matrices, over the diagonal."))
}
