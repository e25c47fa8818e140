package cad

import (
	"fmt"
	"strings"
	"testing"

	"atelier/internal/contract"
)

// igesBox is an IGES 5.3 file, in millimetres, with the first n of the six faces of a box,
// each a parametric spline surface of first degree (type 128), and every other one moved
// by so many mm along x, y and z.
func igesBox(a, b, c float64, n int, moved float64) string {
	size := [3]float64{a, b, c}
	var directory, parameters []string
	for k, f := range boxFaces[:n] {
		var at [4][3]float64
		for i, bits := range f.corners {
			for axis := range 3 {
				at[i][axis] = float64(bits>>axis&1)*size[axis] + float64(k%2)*moved
			}
		}
		text := "128,1,1,1,1,0,0,1,0,0,0.,0.,1.,1.,0.,0.,1.,1.,1.,1.,1.,1."
		for _, i := range []int{0, 1, 3, 2} { // u runs along the first edge, v along the second
			text += fmt.Sprintf(",%.9f,%.9f,%.9f", at[i][0], at[i][1], at[i][2])
		}
		text += ",0.,1.,0.,1.;"
		entry, first := len(directory)+1, len(parameters)+1
		for len(text) > 0 {
			cut := min(len(text), 64)
			if cut == 64 { // a number must not be divided
				cut = strings.LastIndex(text[:64], ",") + 1
			}
			parameters = append(parameters, fmt.Sprintf("%-64s%8dP%7d\n", text[:cut], entry, len(parameters)+1))
			text = text[cut:]
		}
		directory = append(directory,
			fmt.Sprintf("%8d%8d%8d%8d%8d%8d%8d%8d%8sD%7d\n", 128, first, 0, 0, 0, 0, 0, 0, "00000000", entry),
			fmt.Sprintf("%8d%8d%8d%8d%8d%8s%8s%8s%8dD%7d\n", 128, 0, 0, len(parameters)-first+1, 0, "", "", "", 0, entry+1))
	}
	global := []string{
		"1H,,1H;,3Hbox,7Hbox.igs,4Htest,3H1.0,32,38,6,308,15,3Hbox,1.,2,2HMM,1,",
		"1.,15H20250101.000000,1E-6,1000.,4Htest,4Htest,11,0,15H20250101.000000;",
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%-72sS%7d\n", "a box", 1)
	for i, line := range global {
		fmt.Fprintf(&out, "%-72sG%7d\n", line, i+1)
	}
	out.WriteString(strings.Join(directory, "") + strings.Join(parameters, ""))
	fmt.Fprintf(&out, "S%7dG%7dD%7dP%7d%40sT%7d\n", 1, len(global), len(directory), len(parameters), "", 1)
	return out.String()
}

// An IGES file is told as one, whatever its first section says, and where it can be meshed.
func TestIGESIsNoSTEP(t *testing.T) {
	whole := igesBox(1, 2, 3, 6, 0)
	_, rest, _ := strings.Cut(whole, "\n")
	for _, text := range []string{whole, fmt.Sprintf("%-72sS%7d\n", "", 1) + rest, fmt.Sprintf("%-72sS%07d\r\n", " ", 1) + rest} {
		err := checkSTEP(writeFile(t, "part.igs", text))
		if err == nil || !strings.Contains(err.Error(), "IGES") || !strings.Contains(contract.AsError(err).Hint, "volume_mesh_cad") {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}
