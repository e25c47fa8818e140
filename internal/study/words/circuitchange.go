package words

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/quantity"
)

// askedOfCircuit passes a question about the last run on: where is the -3 dB point?
func (r *reader) askedOfCircuit() bool {
	if !r.in.LastRun || r.marks.instead || r.marks.change {
		return false
	}
	var words []string
	for _, n := range r.list {
		switch {
		case n.is("c.ac"), n.is("c.voltage"), n.is("c.current"):
			words = append(words, n.text)
		case n.kind == "element" && n.text[0] != 'V', n.kind == "word", n.kind == "amount" && !n.used, n.is("change"), n.is("also"), n.is("sweep"), n.is("c.step"), n.is("c.op"):
			return false
		}
	}
	if len(words) == 0 || len(words) > 3 {
		return false
	}
	for _, n := range r.list {
		n.use()
	}
	r.asks(strings.Join(words, " "))
	return true
}

// changeCircuit puts other values on the devices of the netlist, or another analysis.
func (r *reader) changeCircuit(devices []device) {
	r.relations()
	var circuit member
	if list := r.members("circuits"); len(list) == 1 {
		circuit = list[0]
	} else {
		r.ask("circuit", r.say("Which circuit is meant?", "Welche Schaltung ist gemeint?"), "circuit")
		return
	}
	if circuit.value["file"] != nil {
		r.changeFile(circuit, devices)
		return
	}
	lines := strings.Split(text(circuit.value["netlist"]), "\n")
	for _, d := range devices {
		var at []int
		for i, line := range lines[1:] {
			fields := strings.Fields(line)
			if len(fields) >= 4 && strings.EqualFold(fields[0][:1], string(d.kind)) && (d.name == "" || len(d.name) == 1 || strings.EqualFold(fields[0], d.name)) {
				at = append(at, i+1)
			}
		}
		if len(at) != 1 {
			r.ask("device", r.say("Which device gets %s? The circuit has %d of that kind.", "Welches Bauteil erhält %s? Die Schaltung hat %d dieser Art.", d.node.text, len(at)), fmt.Sprintf("%c1 = %s", d.kind, d.node.text))
			continue
		}
		fields := strings.Fields(lines[at[0]])
		fields[3] = number(d.value)
		lines[at[0]] = strings.Join(fields, " ")
		d.node.use()
	}
	scaled := r.scaleDevice(lines)
	if (len(devices) > 0 || scaled) && circuit.value["netlist"] != nil {
		circuit.value["netlist"] = strings.Join(lines, "\n")
	}
	if r.has("c.step", "c.ac", "an.transient", "sweep", "c.op") != nil || slices.ContainsFunc(r.list, func(n *node) bool { a := n.amount(); return a != nil && a.is(quantity.Frequency) }) {
		r.circuitAnalysis(devicesOf(lines))
	}
}

// devicesOf a netlist, to find its corner.
func devicesOf(lines []string) []device {
	var out []device
	for _, line := range lines[1:] {
		fields := strings.Fields(line)
		if len(fields) >= 4 {
			if v, err := strconv.ParseFloat(fields[3], 64); err == nil {
				out = append(out, device{kind: strings.ToUpper(fields[0])[0], value: v})
			}
		}
	}
	return out
}

// scaleDevice multiplies the value of a device: double R1.
func (r *reader) scaleDevice(lines []string) bool {
	for i, n := range r.list {
		if i+1 >= len(r.list) || r.list[i+1].kind != "element" && deviceWord(r.list[i+1]) == 0 {
			continue
		}
		for name, f := range factors {
			if !n.is(name) {
				continue
			}
			of := r.list[i+1]
			var at []int
			for k, line := range lines[1:] {
				fields := strings.Fields(line)
				if len(fields) >= 4 && (strings.EqualFold(fields[0], of.text) || of.kind != "element" && strings.EqualFold(fields[0][:1], string(deviceWord(of)))) {
					at = append(at, k+1)
				}
			}
			if len(at) != 1 {
				return false
			}
			fields := strings.Fields(lines[at[0]])
			v, err := strconv.ParseFloat(fields[3], 64)
			if err != nil {
				return false
			}
			fields[3] = number(quantity.Significant(v * f))
			lines[at[0]] = strings.Join(fields, " ")
			n.use()
			of.use()
			return true
		}
	}
	return false
}

// changeFile puts other values on the devices of a netlist that is a file.
func (r *reader) changeFile(circuit member, devices []device) {
	values, _ := circuit.value["values"].(map[string]any)
	if values == nil {
		values = map[string]any{}
	}
	for name, v := range r.valuesOf(devices) {
		values[name] = v
	}
	if len(values) > 0 {
		circuit.value["values"] = values
	}
	if r.has("c.step", "c.ac", "an.transient", "sweep", "c.op") != nil || len(r.amountsOf(quantity.Frequency)) > 0 {
		r.circuitAnalysis(devices)
	}
}
