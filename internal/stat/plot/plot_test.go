package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/plot/vg"

	"atelier/internal/stat"
)

// every makes one figure of each kind, of n values.
func every(n int) []*Figure {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	var sample []stat.Point
	var x []stat.DD
	s := Series{Name: "température", Unit: "s", Slope: 0.1}
	for i := range n {
		e := rng.NormFloat64()
		sample = append(sample, stat.Point{Row: int64(i + 1), Fitted: 3 * rng.NormFloat64(), Residual: e, Standardized: e, Leverage: rng.Float64() / 5, Cook: e * e})
		x = append(x, stat.F(e))
		s.X, s.T = append(s.X, e), append(s.T, float64(i))
	}
	s.Changes = stat.ChangePoints(x, 0, 1, 2).Segments
	s.Correlated = stat.Autocorrelate(x, nil, 8, 0.05)
	s.Spectrum = stat.Periodogram(s.X)
	s.Background, s.Peaks = s.Spectrum.Background(0.3), s.Spectrum.Peaks(3, n, 0.3)
	list := append(Residuals(sample, 2*n, 3, "y"), s.Figures()...)
	list = append(list, Groups([]Group{{"a", 3, 1, 0.5, 1.5}, {"b", 1, 2, math.NaN(), math.NaN()}}, "y", "g", 0.05))
	h := stat.NewHistogram(n, stat.F(-5), stat.F(5), -0.7, 0.7)
	for _, v := range s.X {
		h.Add(v)
	}
	one := stat.NewHistogram(n, stat.F(2), stat.F(2), 2, 2)
	list = append(list, Histograms([]Counted{{"y", n, h, 0, 1}, {"constant", n, one, 2, 0}}))
	return append(list, Calibration([]stat.CalibrationGroup{{N: 10, Observed: 1, Expected: 2}, {N: 0}, {N: 10, Observed: 10, Expected: 9}}, "y"))
}

func wellFormed(document []byte) error {
	for d := xml.NewDecoder(bytes.NewReader(document)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// The SVG is well-formed, and the PNG has the figure's size and ink on it.
func TestFiguresAreDrawn(t *testing.T) {
	for _, n := range []int{8, 1200} {
		for _, f := range every(n) {
			svg, err := f.SVG()
			if err != nil {
				t.Fatal(err)
			}
			if err := wellFormed(svg); err != nil {
				t.Errorf("%s of %d: %v", f.Name, n, err)
			}
			for _, bad := range []string{"NaN", "Inf"} {
				if bytes.Contains(svg, []byte(bad)) {
					t.Errorf("%s of %d has %s in it", f.Name, n, bad)
				}
			}
			raw, err := f.PNG()
			if err != nil {
				t.Fatal(err)
			}
			img, err := png.Decode(bytes.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			w, h := f.size()
			if got, want := img.Bounds().Dx(), int(math.Ceil(float64(w/vg.Inch*resolution))); got != want {
				t.Errorf("%s is %d wide, not %d", f.Name, got, want)
			}
			if got, want := img.Bounds().Dy(), int(math.Ceil(float64(h/vg.Inch*resolution))); got != want {
				t.Errorf("%s is %d high, not %d", f.Name, got, want)
			}
			dark := 0
			for y := 0; y < img.Bounds().Dy()/6; y++ { // where the title is
				for x := range img.Bounds().Dx() / 2 {
					if r, g, b, _ := img.At(x, y).RGBA(); r+g+b < 0x10000 {
						dark++
					}
				}
			}
			if dark < 50 {
				t.Errorf("%s of %d has %d dark points", f.Name, n, dark)
			}
		}
	}
}

// Pictures are drawn on canvases that others were drawn on before, at the same
// time as others, and their bytes are the same every time.
func TestTheSameDataGiveTheSameBytes(t *testing.T) {
	var first [][]byte
	for _, f := range every(900)[2:8] {
		a, err := f.SVG()
		b, err2 := f.PNG()
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		first = append(first, a, b)
	}
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			for i, f := range every(900)[2:8] {
				a, _ := f.SVG()
				b, _ := f.PNG()
				if !bytes.Equal(a, first[2*i]) || !bytes.Equal(b, first[2*i+1]) {
					t.Errorf("%s differs", f.Name)
				}
			}
		})
	}
	wait.Wait()
}

// A name is text, whatever is in it.
func TestNamesAreText(t *testing.T) {
	f := Groups([]Group{{`</text><script>alert(1)</script>`, 3, 1, 0, 2}, {"温度\x00", 3, 2, 1, 3}}, `<b onload="x">&`, "g", 0.05)
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if err := wellFormed(svg); err != nil {
		t.Error(err)
	}
	if strings.Contains(string(svg), "<script") || strings.Contains(string(svg), "<b ") {
		t.Error("a name became an element")
	}
	if !strings.Contains(string(svg), "温度") {
		t.Error("letters are lost in the SVG")
	}
	if _, err := f.PNG(); err != nil {
		t.Fatal(err)
	}
}

// The fonts have Latin, Greek and Cyrillic letters, and no Chinese ones.
func TestLegible(t *testing.T) {
	for text, want := range map[string]string{"größe_Ωж": "größe_Ωж", "温度 t": "U+6E29 U+5EA6 t", "": ""} {
		if got := Legible(text); got != want {
			t.Errorf("%q is shown as %q, not %q", text, got, want)
		}
	}
}

// Ticks stand at whole multiples, are written without rounding noise, and tell
// neighbours apart.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 1, "0 0.2 0.4 0.6 0.8 1.0"},
		{-3.2, 4.9, "−2 0 2 4"},
		{0, 8e-5, "0 2e-5 4e-5 6e-5 8e-5"},
		{1e6, 1.0000001e6, ""},
		{-2e9, 2e9, "−2e9 −1.5e9 −1e9 −5e8 0 5e8 1e9 1.5e9 2e9"},
		{5, 5, "5"},
	} {
		var got []string
		for _, k := range ticks(c.low, c.high) {
			got = append(got, k.Label)
		}
		if text := strings.Join(got, " "); c.want != "" && text != c.want {
			t.Errorf("%v to %v: %s", c.low, c.high, text)
		}
		seen := map[string]bool{}
		for _, label := range got {
			if seen[label] {
				t.Errorf("%v to %v: two ticks are %s", c.low, c.high, label)
			}
			seen[label] = true
		}
	}
}
