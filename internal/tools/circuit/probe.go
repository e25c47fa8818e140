package circuit

import (
	"regexp"
	"slices"
	"strings"

	"atelier/internal/contract"
)

// probe is a quantity of a plot: a vector, or the difference of two nodes.
type probe struct {
	label string // as the caller wrote it
	name  string // v(out), v(a,b), i(v1), @r1[i]
	form  form   // what is shown of a complex quantity
}

var deviceProbe = regexp.MustCompile(`^@[\w.:#+-]+\[\w+\]$`)

var barePattern = regexp.MustCompile(`^[\w.+#:-]+$`)

var probePattern = regexp.MustCompile(`^(?:(v|i)(m|db|p|r|i)?\(\s*([^()]+?)\s*\)|(mag|db|ph|cph|phase|real|re|imag|im)\(\s*(v|i)\(\s*([^()]+?)\s*\)\s*\))$`)

// parseProbe reads v(out), v(a,b), i(v1), @r1[i], a bare node name, and the ac
// forms vdb(out) or db(v(out)).
func parseProbe(text string) (probe, bool) {
	s := strings.ToLower(strings.TrimSpace(text))
	p := probe{label: strings.TrimSpace(text)}
	if strings.HasPrefix(s, "@") {
		p.name = s
		return p, deviceProbe.MatchString(s)
	}
	if barePattern.MatchString(s) {
		p.name = "v(" + s + ")"
		return p, true
	}
	m := probePattern.FindStringSubmatch(s)
	if m == nil || strings.ContainsAny(m[3]+m[6], "\"'`;|&<>${}") {
		return p, false
	}
	p.name = m[1] + m[5] + "(" + strings.ReplaceAll(m[3]+m[6], " ", "") + ")"
	p.form = forms[m[2]+m[4]]
	return p, true
}

// title is the quantity with its form: vdb(out).
func (p probe) title() string {
	if p.form == whole {
		return p.name
	}
	if p.form == continuous {
		return string(continuous) + "(" + p.name + ")"
	}
	return p.name[:1] + string(p.form) + p.name[1:]
}

// of takes the probe from a plot; ok is false when the plot does not have it.
func (p probe) of(from *plot) (vector, bool) {
	if p.form == whole {
		return p.complexOf(from)
	}
	v, ok := p.complexOf(from)
	if !ok || v.im == nil {
		return vector{}, false // these are forms of complex quantities
	}
	return p.form.of(v), true
}

func (p probe) complexOf(from *plot) (vector, bool) {
	for _, name := range p.spellings() {
		if v := from.find(name); v != nil {
			return vector{name: p.label, kind: v.kind, re: v.re, im: v.im}, true
		}
	}
	inner, isVoltage := strings.CutPrefix(p.name, "v(")
	a, b, isPair := strings.Cut(strings.TrimSuffix(inner, ")"), ",")
	if !isVoltage {
		return vector{}, false
	}
	if !isPair {
		if a != "0" && a != "gnd" {
			return vector{}, false
		}
		return vector{name: p.label, kind: "voltage", re: make([]float64, from.points()), im: zeros(from)}, true
	}
	va, okA := probe{name: "v(" + a + ")"}.of(from)
	vb, okB := probe{name: "v(" + b + ")"}.of(from)
	if !okA || !okB {
		return vector{}, false
	}
	return vector{name: p.label, kind: "voltage", re: minus(va.re, vb.re), im: minus(va.im, vb.im)}, true
}

func zeros(p *plot) []float64 {
	if !p.complex {
		return nil
	}
	return make([]float64, p.points())
}

func minus(a, b []float64) []float64 {
	if a == nil || b == nil {
		return nil
	}
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return d
}

// spellings are the names under which the simulator may keep the probe.
func (p probe) spellings() []string {
	names := []string{p.name, "i(" + p.name + ")", "v(" + p.name + ")"}
	if device, ok := strings.CutPrefix(p.name, "i("); ok {
		device = strings.TrimSuffix(device, ")")
		names = append(names, "i(@"+device+"["+currentParameter(device)+"])")
	}
	if strings.HasPrefix(p.name, "v(") { // what neither a voltage nor a current is keeps its bare name
		names = append(names, strings.TrimSuffix(p.name[2:], ")"))
	}
	return names
}

// currentParameter is the name of a device's main current.
func currentParameter(device string) string {
	if device == "" {
		return "i"
	}
	switch device[0] {
	case 'd', 'j', 'm':
		return "id"
	case 'q':
		return "ic"
	}
	return "i"
}

// needsCurrents says whether the probe is a current that the simulator keeps
// only when it is told to.
func (p probe) needsCurrents() bool {
	device, ok := strings.CutPrefix(p.name, "i(")
	return ok && device != "" && slices.Contains([]byte("rcdqmjigzfb"), device[0])
}

// check refuses probes that the netlist cannot have, before anything runs.
func (p probe) check(n *netlist, field string) *contract.Error {
	device, isCurrent := strings.CutPrefix(p.name, "i(")
	if !isCurrent {
		return nil
	}
	device = strings.TrimSuffix(device, ")")
	if n.device(device) == nil && !strings.Contains(device, ".") {
		return unknownDevice(n, device).At(field)
	}
	return nil
}

func unit(kind, name string) string {
	switch {
	case kind == "current":
		return "A"
	}
	if u, ok := kindUnits[kind]; ok && !strings.HasPrefix(name, "i(") || kind == "decibel" || kind == "degree" {
		return u
	}
	if strings.HasPrefix(name, "i(") {
		return "A"
	}
	return "1"
}

// kindUnits are the units of the simulator's kinds of vectors.
var kindUnits = map[string]string{
	"decibel": "dB", "degree": "deg", "time": "s", "frequency": "Hz", "voltage": "V", "admittance": "S", "impedance": "Ohm", "capacitance": "F", "charge": "C",
	"power": "W", "temperature": "degC", "temp-sweep": "degC", "res-sweep": "Ohm", "voltage-density": "V/sqrt(Hz)", "current-density": "A/sqrt(Hz)",
}
