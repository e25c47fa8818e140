package evidence

// Origin are the facts of the shape that a file was made from. They stay with
// every file that is made from it, so that repair, meshing and solving are held
// against the CAD model and not against the file before them.
type Origin struct {
	// Source is what the facts were measured on: the reference of the CAD file or
	// of the first mesh, and its hash.
	Source string `json:"source"`
	SHA256 string `json:"sha256"`
	// Exact says that volume and areas are those of the exact shape; else they are
	// those of a mesh that was handed in.
	Exact      bool      `json:"exact"`
	LengthUnit string    `json:"length_unit"`
	Volume     *float64  `json:"volume"` // in length_unit cubed; nil where the shape is not closed
	Area       *float64  `json:"area"`   // in length_unit squared
	Bodies     int       `json:"bodies"`
	Min        []float64 `json:"min"` // of the bounding box
	Max        []float64 `json:"max"`
	// Faces are the CAD faces by their id, which is the boundary attribute of what is
	// made from them.
	Faces []OriginFace `json:"faces,omitempty"`
}

// OriginFace is one CAD face.
type OriginFace struct {
	ID   int     `json:"id"`
	Name string  `json:"name,omitempty"`
	Area float64 `json:"area"`
}
