package circuit

import (
	"fmt"
	"slices"
	"strings"

	"atelier/internal/contract"
)

const (
	unlimited    = 1e20 // Ohm, what the simulator says where no current flows
	inputEnding  = "#input_impedance"
	outputEnding = "#output_impedance"
)

// dropClipped takes impedances out of a transfer function that are no figures. For a
// current the simulator drives the output source and takes the current that flows with
// the other sign: clipped at 1e-20 A, so that the impedance is 1e20 Ohm for every
// passive circuit. Where the output is the current of the input source itself, it is
// the input impedance, which is right.
func (p *plot) dropClipped() (warnings []contract.Warning) {
	p.index = nil
	p.vectors = slices.DeleteFunc(p.vectors, func(v vector) bool {
		name := plainName(v.name)
		source, ofCurrent := strings.CutSuffix(name, outputEnding)
		same := slices.ContainsFunc(p.vectors, func(o vector) bool { return plainName(o.name) == source+inputEnding })
		input, ofInput := strings.CutSuffix(name, inputEnding)
		switch {
		case ofCurrent && !same:
			warnings = append(warnings, contract.Warning{Code: "impedance_left_out", Message: fmt.Sprintf(
				"The simulator does not find the output impedance of a transfer function to a current, and says 1e20 Ohm: it is left out. The impedance that %s sees is the input impedance of tf i(%s) %s.", strings.ToUpper(source), source, source)})
			return true
		case ofInput && len(v.re) > 0 && v.re[0] >= unlimited:
			warnings = append(warnings, contract.Warning{Code: "impedance_left_out", Message: fmt.Sprintf(
				"%s drives no current, so that its input impedance has no limit; the simulator says 1e20 Ohm, which is left out.", strings.ToUpper(input))})
			return true
		}
		return false
	})
	return warnings
}

// leftOut tells of figures that the simulator did not find.
func (o *outcome) leftOut() []contract.Warning {
	return slices.Concat(o.clipped, o.undefinedTotals())
}

// transferUnit is the unit of a transfer function, what comes out by what goes in.
func transferUnit(command string) string {
	f := strings.Fields(strings.ToLower(command))
	if len(f) < 3 {
		return "1"
	}
	out, in := f[1][:1], f[len(f)-1][:1]
	if unit, ok := map[string]string{"vi": "Ohm", "iv": "S"}[out+in]; ok {
		return unit
	}
	return "1"
}
