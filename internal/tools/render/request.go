package render

// request is what the engine reads; paths are relative to its working folder.
type request struct {
	Surface      *surfaceFiles `json:"surface,omitempty"`
	Pieces       []string      `json:"pieces,omitempty"`
	Time         *float64      `json:"time,omitempty"`
	LengthUnit   string        `json:"length_unit,omitempty"`
	Width        int           `json:"width"`
	Height       int           `json:"height"`
	Views        []shot        `json:"views"`
	Outputs      outputs       `json:"outputs"`
	Field        string        `json:"field,omitempty"`
	Component    component     `json:"component"`
	Unit         string        `json:"unit,omitempty"`
	Convert      *conversion   `json:"convert,omitempty"`
	Range        bounds        `json:"range,omitempty"`
	Colormap     string        `json:"colormap,omitempty"`
	Warp         *warp         `json:"warp,omitempty"`
	Slice        *plane        `json:"slice,omitempty"`
	Clip         *plane        `json:"clip,omitempty"`
	Edges        bool          `json:"edges"`
	FeatureEdges bool          `json:"feature_edges"`
	Lighting     bool          `json:"lighting"`
	Annotations  bool          `json:"annotations"`
	Title        string        `json:"title,omitempty"`
	Background   string        `json:"background,omitempty"`
	UpAxis       string        `json:"up_axis,omitempty"`
	Fit          string        `json:"fit,omitempty"`
	NormalSpace  string        `json:"normal_space,omitempty"`
}

// shot is a view with the beginning of its files' names.
type shot struct {
	view
	Stem string `json:"stem"`
}

func newRequest(in input, out outputs, src *source) request {
	r := request{
		Surface: src.surface, Pieces: src.pieces, LengthUnit: src.lengthUnit,
		Width: in.Width, Height: in.Height, Outputs: out,
		Field: in.Field, Component: in.Component, Unit: in.Unit, Range: in.Range, Colormap: in.Colormap,
		Warp: in.Warp, Slice: in.Slice, Clip: in.Clip,
		Edges: in.Edges, FeatureEdges: in.FeatureEdges, Lighting: in.Lighting, Annotations: in.Annotations,
		Title: in.Title, Background: in.Background, UpAxis: in.UpAxis, Fit: in.Fit, NormalSpace: in.NormalSpace,
	}
	if in.LengthUnit != "" {
		r.LengthUnit = in.LengthUnit
	}
	if src.time != nil && src.time.Count > 1 {
		r.Time = src.time.Value
	}
	for i, v := range in.Views {
		if v.Name == "iso" {
			v.Name = "isometric"
		}
		r.Views = append(r.Views, shot{v, stem(i, in.Views[i])})
	}
	return r
}
