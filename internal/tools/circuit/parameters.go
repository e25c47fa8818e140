package circuit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/contract"
)

var (
	devicePattern = regexp.MustCompile(`@[\w.:#+-]+\[\w+\]`)
	// swinging are the parameters that follow the signals. In ac the simulator has of
	// some nothing, and of others the operating point, which is no amplitude.
	swinging = regexp.MustCompile(`\[(?:i[a-z]?|v[a-z]{0,2}|p|power|flux|current|q[a-z]+|c[dcbeg])\]$`)
)

// parameters are the device parameters that commands read: of one that is not kept
// with every point, the simulator has its last value alone.
func (s *script) parameters() []string {
	var found []string
	for _, c := range s.commands {
		if word := firstWord(c.text); word == "alter" || word == "altermod" || word == "save" {
			continue
		}
		found = append(found, devicePattern.FindAllString(strings.ToLower(c.text), -1)...)
	}
	return found
}

// kept are the device parameters that are kept with every point. Of power MOSFETs the
// simulator has no current into a bulk, and of their circuits it keeps all currents only
// by name.
func (d *deck) kept() []string {
	kept := slices.Clone(d.saved)
	if !d.currents || !d.net.hasVDMOS() {
		return kept
	}
	devices, _ := d.net.flat()
	for i := range devices {
		for _, parameter := range devices[i].terminals() {
			if name := "@" + devices[i].name + "[" + parameter + "]"; !slices.Contains(kept, name) {
				kept = append(kept, name)
			}
		}
	}
	return kept
}

// hasVDMOS says whether a device is a power MOSFET.
func (n *netlist) hasVDMOS() bool {
	return slices.ContainsFunc(n.elements, func(e element) bool { return e.isVDMOS() })
}

// save writes which device parameters are kept beside everything else; of an ac
// analysis, those that it has.
func save(b *strings.Builder, kept []string, analysis string) {
	if analysis == "ac" {
		kept = slices.DeleteFunc(slices.Clone(kept), swinging.MatchString)
	}
	b.WriteString(strings.Join(append([]string{"save all"}, kept...), " ") + "\n")
}

// savesAnew says whether every analysis has to be told which parameters are kept.
func (d *deck) savesAnew(kept []string) bool {
	isAC := func(c command) bool { return c.analysis == "ac" }
	return slices.ContainsFunc(d.commands, isAC) && slices.ContainsFunc(kept, swinging.MatchString)
}

// checkSwinging refuses amplitudes of device parameters, which an ac analysis does not
// have.
func (r *request) checkSwinging() *contract.Error {
	fault := func(name string) *contract.Error {
		device, parameter, _ := strings.Cut(strings.Trim(name, "@]"), "[")
		hint := fmt.Sprintf("Measure voltages of nodes, such as v(a), or the current of a voltage source of 0 V in series with %s; its own value at rest is that of an op analysis.", strings.ToUpper(device))
		if e := r.net.device(device); e != nil && parameter == "i" && strings.IndexByte("rclv", e.kind()) >= 0 {
			hint = fmt.Sprintf("Name i(%s) as a probe, or measure the current of a voltage source of 0 V in series with it.", strings.ToUpper(device))
		}
		return contract.Errorf(contract.CodeUnknownVector, "an ac analysis has no amplitude of %s", name).WithHint("%s", hint).With("vector", name)
	}
	for _, c := range r.script.commands {
		if f := strings.Fields(strings.ToLower(c.text)); len(f) > 3 && strings.HasPrefix(f[0], "meas") && (f[1] == "ac" || f[1] == "sp") {
			for _, name := range devicePattern.FindAllString(strings.ToLower(c.text), -1) {
				if swinging.MatchString(name) {
					return fault(name).At(r.commandField()).With("line", c.number)
				}
			}
		}
	}
	if slices.ContainsFunc(r.script.analyses(), func(c command) bool { return c.analysis != "ac" }) {
		return nil
	}
	for _, name := range r.script.parameters() {
		if swinging.MatchString(name) {
			return fault(name).At(r.commandField())
		}
	}
	for k, p := range r.probes {
		if strings.HasPrefix(p.name, "@") && swinging.MatchString(p.name) {
			return fault(p.name).At(fmt.Sprintf("/probes/%d", k))
		}
	}
	return nil
}

// unknownParameter is the error of a device parameter that the simulator does not have.
func unknownParameter(n *netlist, name string) *contract.Error {
	device, parameter, _ := strings.Cut(strings.Trim(name, "@]"), "[")
	if n.device(device) == nil && !strings.Contains(device, ".") {
		fault := unknownDevice(n, device)
		fault.Message = fmt.Sprintf("there is no %s: %s", name, fault.Message)
		return fault.At("/control").With("vector", name)
	}
	return contract.Errorf(contract.CodeUnknownVector, "there is no vector %q", name).At("/control").With("vector", name).
		WithHint("%s has no parameter %s there. Currents are i (id of a diode or MOSFET, ic of a transistor), powers p.", strings.ToUpper(device), parameter)
}
