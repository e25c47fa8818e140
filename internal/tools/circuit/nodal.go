package circuit

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// expression is what makes a device's value something else than a number.
var expression = regexp.MustCompile(`(?i)[{}']|\b(?:value|vol|cur|table|laplace|poly|tc|temp|dtemp)\b`)

// device is a linear device with plain numbers, as the netlist gives it.
type device struct {
	kind    byte
	name    string
	nodes   []string   // two, and two more that control e and g
	value   float64    // resistance, capacitance, inductance or gain
	drive   complex128 // of a source
	control string     // the source whose current controls f and h
}

// part reads a device; ok is false for one that is not linear or not plain.
func (e *element) part(ac bool) (device, bool) {
	d := device{kind: e.kind(), name: e.name, nodes: e.nodes}
	ok := false
	switch e.kind() {
	case 'r', 'c', 'l':
		d.value, ok = e.value()
		ok = ok && d.value != 0
	case 'v', 'i':
		d.drive, ok = e.source(ac)
	case 'e', 'g':
		d.value, ok = e.numberAt(5)
		ok = ok && len(e.tokens) == 6 && len(e.nodes) == 4
	case 'f', 'h':
		d.value, ok = e.numberAt(4)
		if ok = ok && len(e.tokens) == 5; ok {
			d.control = e.tokens[3]
		}
	}
	return d, ok
}

// value is a device's only parameter, where it is a plain number; a starting
// condition does not matter here.
func (e *element) value() (float64, bool) {
	if len(e.tokens) != 4 && !(len(e.tokens) == 5 && strings.HasPrefix(e.tokens[4], "ic=")) {
		return 0, false
	}
	return e.numberAt(3)
}

func (e *element) numberAt(i int) (float64, bool) {
	if i >= len(e.tokens) {
		return 0, false
	}
	return parseNumber(e.tokens[i])
}

// source is a source's direct value, or its ac phasor. A waveform has a value at
// time 0 that is not read here.
func (e *element) source(ac bool) (complex128, bool) {
	dc, mag, phase, wave := 0.0, 0.0, 0.0, false
	for i := 3; i < len(e.tokens) && !wave; i++ {
		switch t := e.tokens[i]; t {
		case "dc":
			v, ok := e.numberAt(i + 1)
			if !ok {
				return 0, false
			}
			dc = v
			i++
		case "ac":
			mag = 1 // of AC alone
			for _, to := range []*float64{&mag, &phase} {
				v, ok := e.numberAt(i + 1)
				if !ok {
					break
				}
				*to = v
				i++
			}
		default:
			v, ok := parseNumber(t)
			if ok && i == 3 {
				dc = v
				continue
			}
			wave = true
		}
	}
	if strings.Contains(e.text, "=") || wave && !ac {
		return 0, false
	}
	if ac {
		for i, t := range e.tokens { // ac may stand behind the waveform
			if wave && t == "ac" && i > 3 && mag == 0 {
				return 0, false
			}
		}
		return cmplx.Rect(mag, phase*math.Pi/180), true
	}
	return complex(dc, 0), true
}

// current is the current through the device from its first node to its second, at
// a point of an ac plot.
func (d *device) current(p *plot, at int) (complex128, bool) {
	volt := func(node string) (complex128, bool) {
		if isGround(node) {
			return 0, true
		}
		return lookup(p, "v("+node+")", at)
	}
	va, okA := volt(d.nodes[0])
	vb, okB := volt(d.nodes[1])
	switch d.kind {
	case 'r':
		return (va - vb) / complex(d.value, 0), okA && okB
	case 'c':
		return (va - vb) * complex(0, 2*math.Pi*p.vectors[0].re[at]*d.value), okA && okB
	case 'i':
		return d.drive, true
	case 'g':
		vc, okC := volt(d.nodes[2])
		vd, okD := volt(d.nodes[3])
		return (vc - vd) * complex(d.value, 0), okC && okD
	case 'f':
		i, ok := lookup(p, "i("+d.control+")", at)
		return i * complex(d.value, 0), ok
	}
	return lookup(p, "i("+d.name+")", at)
}

// nodal is a linear circuit for modified nodal analysis: one unknown for each node
// and for each device whose current cannot be had from voltages.
type nodal struct {
	devices  []device
	coupled  []coupling
	unknowns map[string]int // v(node), i(device)
	solved   map[string]map[string]wide
	largest  float64 // of all that was solved for
}

// coupling is the mutual inductance of two inductors.
type coupling struct {
	a, b   string
	mutual float64
}

// couple reads a K of inductors that were read before; ok is false where one is
// missing or no number.
func (m *nodal) couple(e *element) bool {
	k, ok := e.numberAt(len(e.tokens) - 1)
	if !ok || len(e.tokens) < 4 {
		return false
	}
	var own []device
	for _, name := range e.tokens[1 : len(e.tokens)-1] {
		at := slices.IndexFunc(m.devices, func(d device) bool { return d.kind == 'l' && d.name == name })
		if at < 0 || m.devices[at].value <= 0 {
			return false
		}
		for _, other := range own {
			m.coupled = append(m.coupled, coupling{other.name, name, k * math.Sqrt(other.value*m.devices[at].value)})
		}
		own = append(own, m.devices[at])
	}
	return len(own) > 1
}

// largestNodal bounds the dense matrix.
const largestNodal = 80

// nodal is the circuit, where all of its devices are plain and linear and stand at
// the top level; ok is false otherwise.
func (n *netlist) nodal(ac bool) (*nodal, bool) {
	m := &nodal{unknowns: map[string]int{}, solved: map[string]map[string]wide{}}
	for _, c := range n.cards {
		word := firstWord(c.text)
		if strings.HasPrefix(word, ".opt") || word == ".if" || word == ".temp" || word == ".global" {
			return nil, false // may change what the values mean
		}
	}
	unknown := func(name string) {
		if _, ok := m.unknowns[name]; !ok {
			m.unknowns[name] = len(m.unknowns)
		}
	}
	for i := range n.elements {
		e := &n.elements[i]
		if e.kind() == 'k' && !e.inner {
			continue
		}
		d, ok := e.part(ac)
		if !ok || e.inner {
			return nil, false
		}
		m.devices = append(m.devices, d)
		for _, node := range d.nodes {
			if !isGround(node) {
				unknown("v(" + node + ")")
			}
		}
		if strings.IndexByte("vleh", d.kind) >= 0 {
			unknown("i(" + d.name + ")")
		}
	}
	for i := range n.elements {
		if e := &n.elements[i]; e.kind() == 'k' && !m.couple(e) {
			return nil, false
		}
	}
	return m, len(m.unknowns) <= largestNodal
}

// solve computes the unknowns at an angular frequency; 0 is direct current.
// swept, where it is not empty, names a source or resistor with another value.
// A trial above 0 disturbs every number of the matrix by a digit of rounding, each
// one in another way.
func (m *nodal) solve(omega float64, swept string, value float64, trial int) (map[string]wide, error) {
	size := len(m.unknowns)
	a := make([][]wide, size)
	for i := range a {
		a[i] = make([]wide, size+1)
	}
	for _, d := range m.devices {
		if d.name == swept {
			d.value, d.drive = value, complex(value, 0)
		}
		if _, ok := m.unknowns["i("+d.control+")"]; !ok && (d.kind == 'f' || d.kind == 'h') {
			return nil, fmt.Errorf("%s is controlled by the current of %s, which is no source", d.name, d.control)
		}
		m.stamp(a, d, omega)
	}
	for _, c := range m.coupled {
		i, j := m.unknowns["i("+c.a+")"], m.unknowns["i("+c.b+")"]
		y := widened(complex(0, omega*c.mutual))
		a[i][j], a[j][i] = a[i][j].minus(y), a[j][i].minus(y)
	}
	if trial > 0 {
		disturb(a, trial)
	}
	x, err := eliminate(a)
	if err != nil {
		return nil, err
	}
	solution := make(map[string]wide, size)
	for name, i := range m.unknowns {
		solution[name] = x[i]
	}
	return solution, nil
}

// stamp adds a device to the matrix and its right side. A current leaves the first
// node through the device to the second; a branch's equation fixes its voltage.
func (m *nodal) stamp(a [][]wide, d device, omega float64) {
	row := func(name string) int {
		if i, ok := m.unknowns[name]; ok {
			return i
		}
		return -1 // ground
	}
	put := func(i, j int, v wide) {
		if i >= 0 && j >= 0 {
			a[i][j] = a[i][j].plus(v)
		}
	}
	add := func(i, j int, v complex128) { put(i, j, widened(v)) }
	p, q, branch, right := row("v("+d.nodes[0]+")"), row("v("+d.nodes[1]+")"), row("i("+d.name+")"), len(a)
	gain := complex(d.value, 0)
	// into adds current = y (voltage or current of the unknown) to both nodes.
	into := func(unknown int, y complex128) {
		add(p, unknown, y)
		add(q, unknown, -y)
	}
	if branch >= 0 {
		into(branch, 1)
		add(branch, p, 1)
		add(branch, q, -1)
	}
	switch d.kind {
	case 'r':
		y := widened(1).over(widened(gain))
		for _, side := range [][2]int{{p, q}, {q, p}} {
			put(side[0], side[0], y)
			put(side[0], side[1], wide{}.minus(y))
		}
	case 'c':
		y := complex(0, omega*d.value)
		into(p, y)
		into(q, -y)
	case 'l':
		add(branch, branch, complex(0, -omega*d.value))
	case 'v':
		add(branch, right, d.drive)
	case 'i':
		into(right, -d.drive)
	case 'e':
		add(branch, row("v("+d.nodes[2]+")"), -gain)
		add(branch, row("v("+d.nodes[3]+")"), gain)
	case 'g':
		into(row("v("+d.nodes[2]+")"), gain)
		into(row("v("+d.nodes[3]+")"), -gain)
	case 'f':
		into(row("i("+d.control+")"), gain)
	case 'h':
		add(branch, row("i("+d.control+")"), -gain)
	}
}

// disturb changes every number of a matrix by up to a digit of rounding.
func disturb(a [][]wide, trial int) {
	r := rand.New(rand.NewPCG(uint64(trial), 0))
	for i := range a {
		for j := range a[i] {
			by := widened(complex(epsilon*(2*r.Float64()-1), 0))
			a[i][j] = a[i][j].plus(a[i][j].times(by))
		}
	}
}

// epsilon is the last digit of a float64, relative.
const epsilon = 0x1p-52

// eliminate solves an augmented system by Gauss with partial pivoting.
func eliminate(a [][]wide) ([]wide, error) {
	size := len(a)
	for k := range size {
		best, largest := k, 0.0
		for i := k; i < size; i++ {
			if v := a[i][k].size(); v > largest {
				best, largest = i, v
			}
		}
		if largest < 1e-30 {
			return nil, fmt.Errorf("the matrix is singular at unknown %d", k)
		}
		a[k], a[best] = a[best], a[k]
		for i := k + 1; i < size; i++ {
			if a[i][k] == (wide{}) {
				continue
			}
			f := a[i][k].over(a[k][k])
			for j := k; j <= size; j++ {
				if a[k][j] != (wide{}) {
					a[i][j] = a[i][j].minus(f.times(a[k][j]))
				}
			}
		}
	}
	x := make([]wide, size)
	for i := size - 1; i >= 0; i-- {
		sum := a[i][size]
		for j := i + 1; j < size; j++ {
			sum = sum.minus(a[i][j].times(x[j]))
		}
		x[i] = sum.over(a[i][i])
	}
	return x, nil
}
