package solve

import (
	"bytes"
	"encoding/json"
	"strconv"

	"atelier/internal/quantity"
)

// MeshRef names the volume mesh: a file, or MFEM's text format inline.
type MeshRef struct {
	Type       string `json:"type"` // file or inline_mfem
	Path       string `json:"path,omitempty"`
	Data       string `json:"data,omitempty"`
	Encoding   string `json:"encoding,omitempty"`    // plain or base64
	LengthUnit string `json:"length_unit,omitempty"` // m, mm, cm, um, in, ft, km
}

// Material is an isotropic elastic material; the first of a list is the default. What a
// named one does not say is taken from the table of materials.
type Material struct {
	Attribute int      `json:"attribute,omitempty"`
	Material  string   `json:"material,omitempty"`
	E         *float64 `json:"E,omitempty"`  // Pa
	Nu        *float64 `json:"nu,omitempty"` // 1
	Density   *float64 `json:"density,omitempty"`
	Yield     *float64 `json:"yield,omitempty"` // Pa
	// Beyond yield: true stress (Pa) over logarithmic plastic strain, or its slope.
	Hardening      [][]float64 `json:"hardening,omitempty"`
	TangentModulus *float64    `json:"tangent_modulus,omitempty"` // Pa
	Alpha          *float64    `json:"alpha,omitempty"`           // 1/K
}

// HeatMaterial is what a body conducts heat with; the first of a list may be the default. What
// a named one does not say is taken from the table of materials.
type HeatMaterial struct {
	Attribute    int      `json:"attribute,omitempty"`
	Material     string   `json:"material,omitempty"`
	Conductivity *Curve   `json:"conductivity,omitempty"`  // W/(m K)
	SpecificHeat *Curve   `json:"specific_heat,omitempty"` // J/(kg K), or J/(m^3 K) without density
	Density      *float64 `json:"density,omitempty"`       // kg/m^3
	Source       *float64 `json:"source,omitempty"`        // W/m^3

	PhaseChange *PhaseChange `json:"phase_change,omitempty"`
}

// PhaseChange is a heat that a material takes up between two temperatures, K.
type PhaseChange struct {
	LatentHeat float64 `json:"latent_heat"` // J/kg
	Solidus    float64 `json:"solidus"`
	Liquidus   float64 `json:"liquidus"`
}

// Bolt is a body of the mesh that is tightened before the loads act.
type Bolt struct {
	Body    int       `json:"body"`    // element attribute
	Preload float64   `json:"preload"` // N
	Axis    []float64 `json:"axis,omitempty"`
	Share   *float64  `json:"share,omitempty"` // of its cross-section that is in the mesh
}

// Place selects the boundary faces of a condition, or of a side of a contact.
type Place struct {
	Attribute Ints    `json:"attribute,omitempty"`
	Attr      Ints    `json:"attr,omitempty"`
	Face      Strings `json:"face,omitempty"`
	Where     *Where  `json:"where,omitempty"`
}

// Where selects boundary faces by place; its parts are intersected. Lengths are
// in the mesh's unit.
type Where struct {
	Plane        string               `json:"plane,omitempty"` // x_min … z_max
	Tolerance    *quantity.FileLength `json:"tolerance,omitempty"`
	Box          *Box                 `json:"box,omitempty"`
	Normal       []float64            `json:"normal,omitempty"`
	ToleranceDeg *float64             `json:"tolerance_deg,omitempty"`
}

// Box is an axis-aligned box.
type Box struct {
	Min []quantity.FileLength `json:"min"`
	Max []quantity.FileLength `json:"max"`
}

// AnalysisOpts steers the linear solver.
type AnalysisOpts struct {
	MaxIter *int     `json:"max_iter,omitempty"`
	RelTol  *float64 `json:"rel_tol,omitempty"`
}

// Accuracy asks for a mesh on which a figure has an error bar of at most Target.
type Accuracy struct {
	Quantity    string  `json:"quantity"` // JSON pointer into the output
	Target      float64 `json:"target"`   // relative
	MaxUnknowns *int    `json:"max_unknowns,omitempty"`
}

// Ints is one whole number or a list of them.
type Ints []int

// UnmarshalJSON accepts 3 and [3, 4].
func (v *Ints) UnmarshalJSON(raw []byte) error { return oneOrMany(raw, (*[]int)(v)) }

// Strings is one string or a list of them.
type Strings []string

// UnmarshalJSON accepts "Top" and ["Top", "Side"].
func (v *Strings) UnmarshalJSON(raw []byte) error { return oneOrMany(raw, (*[]string)(v)) }

func oneOrMany[T any](raw []byte, into *[]T) error {
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		return json.Unmarshal(raw, into)
	}
	var one T
	if err := json.Unmarshal(raw, &one); err != nil {
		return err
	}
	*into = []T{one}
	return nil
}

// Value is a number or a vector, and stays what it was.
type Value struct {
	Scalar float64
	Vector []float64 // nil for a number
}

// UnmarshalJSON accepts 350 and [0, -1000, 0].
func (v *Value) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		v.Vector = []float64{}
		return json.Unmarshal(raw, &v.Vector)
	}
	return json.Unmarshal(raw, &v.Scalar)
}

// MarshalJSON gives the number or the vector.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.Vector != nil {
		return json.Marshal(v.Vector)
	}
	return json.Marshal(v.Scalar)
}

// Figure is a result as it is shown inline: ten significant digits, which is
// more than any of these methods delivers. job_result.json has them all.
type Figure float64

// MarshalJSON rounds to ten significant digits.
func (f Figure) MarshalJSON() ([]byte, error) {
	return []byte(strconv.FormatFloat(float64(f), 'g', 10, 64)), nil
}

// Point is a place or vector in metres or SI units.
type Point []Figure

// Curve is a property: a number, or a table over temperature, and stays what it was.
type Curve struct {
	Value float64
	Table [][2]float64 // [K, value]; nil for a number
}

// UnmarshalJSON accepts 50 and [[300, 50], [900, 30]].
func (c *Curve) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		return json.Unmarshal(raw, &c.Table)
	}
	return json.Unmarshal(raw, &c.Value)
}

// MarshalJSON gives the number or the table.
func (c Curve) MarshalJSON() ([]byte, error) {
	if c.Table != nil {
		return json.Marshal(c.Table)
	}
	return json.Marshal(c.Value)
}

// constant is a property that does not change with temperature; nil where there is none.
func constant(value *float64) *Curve {
	if value == nil {
		return nil
	}
	return &Curve{Value: *value}
}

// number is a property that does not change with temperature; nil for others.
func (c *Curve) number() *float64 {
	if c == nil || c.Table != nil {
		return nil
	}
	return &c.Value
}

// any is one of the values; nil where there is none.
func (c *Curve) any() *float64 {
	if c == nil {
		return nil
	}
	value := c.least()
	return &value
}

// least and most are the ends of the values.
func (c *Curve) least() float64 {
	least := c.Value
	for i, pair := range c.Table {
		if i == 0 || pair[1] < least {
			least = pair[1]
		}
	}
	return least
}

func (c *Curve) most() float64 {
	most := c.Value
	for _, pair := range c.Table {
		most = max(most, pair[1])
	}
	return most
}
