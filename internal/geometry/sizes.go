package geometry

import (
	"fmt"
	"strconv"
)

// FileUnit is the length unit of a result whose file names none: its lengths,
// areas and volumes are in the numbers of the file.
const FileUnit = "file_unit"

// Sizes says how large an extent in a file's numbers is in the units that parts
// are drawn in, so that a person sees which of them is meant.
func Sizes(extent float64) string {
	g := func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
	return fmt.Sprintf("%s m in metres, %s mm in millimetres, %s mm in inches", g(extent), g(extent), g(25.4*extent))
}

// Extent is the longest edge of the bounding box.
func (m *Mesh) Extent() float64 {
	lo, hi := m.Bounds()
	d := hi.Sub(lo)
	return max(d[0], d[1], d[2])
}
