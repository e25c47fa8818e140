package circuit

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"atelier/internal/contract"
)

const (
	inlineTotal = 250  // numbers of all inline series together
	inlineMost  = 50   // of one
	tableRows   = 2000 // of data.csv
	tableWidth  = 250  // columns of data.csv
	inlineNames = 60   // operating point values shown inline
	figuresMost = 24   // … of which so many are judged
	defaultMost = 6    // series when nobody named a vector
)

// series is one quantity over a sweep, thinned out to what an answer can hold.
// In ac, y is the magnitude.
type series struct {
	Probe    string    `json:"probe"`
	Analysis string    `json:"analysis"`
	Unit     string    `json:"unit"`
	XName    string    `json:"x_name"`
	XUnit    string    `json:"x_unit"`
	X        []float64 `json:"x"`
	Y        []float64 `json:"y"`
	Real     []float64 `json:"real,omitempty"`
	Imag     []float64 `json:"imag,omitempty"`
	PhaseDeg []float64 `json:"phase_deg,omitempty"`
	Min      extreme   `json:"min"`
	Max      extreme   `json:"max"`
	Final    float64   `json:"final"`
	Points   int       `json:"points"` // computed; the inline ones are picked from them
}

type extreme struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// makeSeries thins a vector of a plot to at most so many points, the first and
// the last among them.
func makeSeries(p *plot, v vector, analysis string, most int) series {
	scale := p.vectors[0]
	s := series{Probe: v.name, Analysis: analysis, Unit: unit(v.kind, v.name), XName: scaleName(scale, analysis), XUnit: unit(scale.kind, scale.name), Points: p.points()}
	magnitude := v.re
	if v.im != nil {
		magnitude = make([]float64, len(v.re))
		for i := range v.re {
			magnitude[i] = math.Hypot(v.re[i], v.im[i])
		}
	}
	for _, i := range pick(p.points(), most) {
		s.X, s.Y = append(s.X, digits9(scale.re[i])), append(s.Y, digits9(magnitude[i]))
		if v.im != nil {
			s.Real, s.Imag = append(s.Real, digits9(v.re[i])), append(s.Imag, digits9(v.im[i]))
			s.PhaseDeg = append(s.PhaseDeg, digits9(math.Atan2(v.im[i], v.re[i])*180/math.Pi))
		}
	}
	for i, y := range magnitude {
		if i == 0 || y < s.Min.Y {
			s.Min = extreme{scale.re[i], y}
		}
		if i == 0 || y > s.Max.Y {
			s.Max = extreme{scale.re[i], y}
		}
	}
	if n := len(magnitude); n > 0 {
		s.Final = magnitude[n-1]
	}
	return s
}

// numbersPerPoint is how many numbers a point of a series has: x and y, and in ac
// three more.
func numbersPerPoint(p *plot) int {
	if p.complex {
		return 5
	}
	return 2
}

// digits9 rounds to nine digits, more than any tolerance here is worth.
func digits9(x float64) float64 {
	v, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 9, 64), 64)
	if err != nil {
		return x
	}
	return v
}

func scaleName(v vector, analysis string) string {
	if analysis == "dc" {
		return "sweep"
	}
	return v.name
}

// pick chooses at most most of n indices, evenly, with the first and the last.
func pick(n, most int) []int {
	if n <= most {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return all
	}
	chosen := make([]int, most)
	for i := range chosen {
		chosen[i] = int(math.Round(float64(i) * float64(n-1) / float64(most-1)))
	}
	return slices.Compact(chosen)
}

// writeTable writes a plot as CSV: the scale, then every vector; in ac four
// columns each. Rows are thinned to tableRows.
func writeTable(dir, name string, p *plot) error {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	vectors := p.vectors[:min(len(p.vectors), tableWidth)]
	for j, v := range vectors {
		if j > 0 {
			w.WriteByte(',')
		}
		if v.im != nil {
			fmt.Fprintf(w, "%q,%q,%q,%q", v.name+" magnitude", v.name+" phase_deg", v.name+" real", v.name+" imag")
		} else {
			fmt.Fprintf(w, "%q", v.name)
		}
	}
	w.WriteByte('\n')
	cell := func(x float64) { w.WriteString(strconv.FormatFloat(x, 'g', 12, 64)) }
	for _, i := range pick(p.points(), tableRows) {
		for j, v := range vectors {
			if j > 0 {
				w.WriteByte(',')
			}
			if v.im == nil {
				cell(v.re[i])
				continue
			}
			for k, x := range []float64{math.Hypot(v.re[i], v.im[i]), math.Atan2(v.im[i], v.re[i]) * 180 / math.Pi, v.re[i], v.im[i]} {
				if k > 0 {
					w.WriteByte(',')
				}
				cell(x)
			}
		}
		w.WriteByte('\n')
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// chooseProbes are the quantities shown: those asked for, else the first few
// node voltages of the plot.
func chooseProbes(p *plot, asked []probe) []probe {
	if len(asked) > 0 {
		return asked
	}
	var chosen []probe
	for _, v := range p.vectors[min(1, len(p.vectors)):] {
		if len(chosen) < defaultMost {
			chosen = append(chosen, probe{label: v.name, name: v.name})
		}
	}
	return chosen
}

// file is an artifact as the output names it.
type file struct {
	FileName    string `json:"file_name"`
	ArtifactURL string `json:"artifact_url"`
}

func fileOf(call *contract.Call, name string) file {
	return file{name, contract.ArtifactURL(call.JobID, name)}
}
