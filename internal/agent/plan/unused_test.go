package plan

import (
	"slices"
	"testing"
)

// Requests with what no plan of them uses; told are to be nearly all of that, and
// nearly nothing else.
var requests = []struct {
	text   string
	unused []string
}{
	{"steel, fixed at the bottom, 500 N downwards on the top", nil},
	{"Please compute the stress in this bracket: aluminium, clamped at the left face, 1 kN pulling on the right face. Thanks!", nil},
	{"Could you kindly tell me how far the shelf sags? It is made of steel, fixed at the left end and carries 200 N downwards on the top.", nil},
	{"titanium, bolt holes fixed, 2 kN in +z on the top face, 2 mm elements, show the displacement", nil},
	{"copper, 80 °C at the left, 20 °C at the right, show the temperature", nil},
	{"aluminium heat sink: 10 W into the bottom, convection 25 W/m²K with 20 °C on all other faces", nil},
	{"water enters at the left with 0.1 m/s and leaves on the right, show the velocity", nil},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, frequency response from 10 Hz to 10 kHz", nil},
	{"voltage divider with 1 kOhm and 2 kOhm at 5 V: what is the output voltage?", nil},
	{"a step response of an RC low-pass, R = 10 kOhm, C = 100 nF", nil},
	{"E = 70 GPa, nu = 0.33, density 2700 kg/m3, fixed at the bottom, 300 N downwards on the top, yield 240 MPa", nil},
	{"steel, fixed at the left end, own weight, fine mesh, seen from the front", nil},
	{"steel, fixed at z = 0, pressure of 2 MPa on the top, within 5 %", nil},
	{"I would like to know whether my lever breaks: steel, held at the hole, 150 N downwards at the free end", nil},
	{"My chair leg is steel, glued at the bottom and a person of 80 kg sits on top. How much does it bend?", nil},
	{"Take the uploaded crane hook, stainless steel, clamp the hole and pull with 3 kN downwards at the free end, please render it from the left", nil},
	{"How hot does the top get when 15 W go into the bottom and 10 W/m2K cool the rest to 25 °C? It is aluminium.", nil},
	{"Channel flow of air, 2 m/s inlet on the left, outlet right, show pressure drop", nil},
	{"steel shaft, clamped left, 300 N in +y right, rotating at 3000 rpm", []string{"rotating", "3000 rpm"}},
	{"ABS lever, bolt holes fixed, 40 N down at the free end, printed with 30 % infill", []string{"30 %", "infill"}},

	{"steel, 5 mm thick, fixed at the bottom, 500 N downwards on the top", []string{"5 mm"}},
	{"steel plate of 200 mm length, fixed at the left, 1 kN downwards on the right", []string{"200 mm"}},
	{"anisotropic steel, fixed at the bottom, 500 N downwards on the top", []string{"anisotropic"}},
	{"steel with a preload, fixed at the bottom, 500 N downwards on the top, friction 0.2", []string{"preload", "friction", "0.2"}},
	{"hyperelastic nylon, fixed at the bottom, 50 N downwards on the top", []string{"hyperelastic"}},
	{"steel, fixed at the bottom, 500 N downwards on the top, damping 3 %", []string{"damping", "3 %"}},
	{"nonlinear analysis: steel, fixed at the bottom, 500 N downwards on the top", []string{"nonlinear"}},
	{"copper, 80 °C at the left, 20 °C at the right, emissivity 0.9", []string{"emissivity", "0.9"}},
	{"copper with radiation, 80 °C at the left, 20 °C at the right", []string{"radiation"}},
	{"water through a steel pipe, inlet on the left with 0.1 m/s, outlet on the right", []string{"steel"}},
	{"water enters at the left with 0.1 m/s and leaves on the right, roughness 20 um", []string{"roughness", "20 um"}},
	{"RC low-pass with R = 1 kOhm, C = 1 uF and a coil of 10 mH", []string{"coil", "10 mH"}},
	{"voltage divider with 1 kOhm and 2 kOhm at 5 V, tolerance 1 %", []string{"tolerance", "1 %"}},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, temperature drift between 0 °C and 85 °C", []string{"temperature", "drift", "0 °C", "85 °C"}},
	{"steel, fixed at the bottom, 500 N downwards on the top, coated with copper", []string{"copper", "coated"}},
	{"steel, fixed at the bottom, 500 N downwards on the top for 10000 cycles", []string{"10000", "cycles"}},
}

func TestWhatNoStepUsesIsTold(t *testing.T) {
	told, dropped, wrong := 0, 0, 0
	for _, q := range requests {
		p := Read(q.text, Facts{File: "file:part.step"})
		dropped += len(q.unused)
		for _, u := range q.unused {
			if slices.Contains(p.Unused, u) || slices.Contains(p.Unread, u) || len(p.Questions) > 0 { // a question holds the plan up
				told++
			} else {
				t.Logf("%q: %q is not told: %q", q.text, u, p.Unused)
			}
		}
		for _, u := range p.Unused {
			if !slices.Contains(q.unused, u) {
				wrong++
				t.Logf("%q: %q is told, and is used or means nothing", q.text, u)
			}
		}
		if len(p.Questions) > 0 {
			t.Logf("%q asks: %s", q.text, p.Asks())
		}
	}
	t.Logf("of %d requests: %d of %d things that are dropped are told, and %d others", len(requests), told, dropped, wrong)
	if told < dropped-1 || wrong > 1 {
		t.Error("too few, or too many")
	}
}
