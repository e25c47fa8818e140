package render

import "atelier/internal/contract"

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
	Time        *timeStep     `json:"time,omitempty"`
	GLBPath     string        `json:"glb_path,omitempty"`
	GLBURL      string        `json:"glb_url,omitempty"`
	ArtifactURL string        `json:"artifact_url"`

	// Residual is the engine's check of its depth images; it goes into the evidence.
	Residual *residual `json:"depth_residual,omitempty"`
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

// evidence turns the engine's check into the result's, and removes it from the output.
func (o *output) evidence() *contract.Evidence {
	r := o.Residual
	o.Residual = nil
	if r == nil {
		return &contract.Evidence{Trust: contract.Computed, Reasons: []string{"The images could not be held against a surface by their depth."}, Checks: []contract.Check{}}
	}
	tolerance := depthTolerance
	check := contract.Check{Name: "depth_on_surface", Value: &r.Value, Unit: "1", Tolerance: &tolerance, OK: r.Value <= tolerance,
		Note: "Largest distance from pixels, put back into space by depth and camera matrices, to the surface, over the diagonal."}
	if !check.OK {
		return &contract.Evidence{Trust: contract.Suspect, Reasons: []string{"Depth images and camera matrices do not agree with the surface."}, Checks: []contract.Check{check}}
	}
	return &contract.Evidence{Trust: contract.Verified, Reasons: []string{"Sampled pixels, put back into space by the camera matrices, lie on the surface."}, Checks: []contract.Check{check}}
}
