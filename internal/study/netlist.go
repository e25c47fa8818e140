package study

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/quantity"
	"atelier/internal/shape"
)

// DeviceValue is what a device of a netlist has instead of its own value: a number in SI
// units, a text with its unit, or what a source gives, as SPICE writes it.
type DeviceValue struct {
	Number *float64
	Text   string
}

// UnmarshalJSON accepts 2.2e-7, "220 nF" and "PULSE(0 1 0 1n 1n 1 2)".
func (v *DeviceValue) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte(`"`)) {
		return json.Unmarshal(raw, &v.Text)
	}
	return json.Unmarshal(raw, &v.Number)
}

// deviceKinds are what the value of a device is, by its letter.
var deviceKinds = map[byte]quantity.Kind{'R': quantity.Resistance, 'C': quantity.Capacitance, 'L': quantity.Inductance, 'V': quantity.Voltage, 'I': quantity.Current}

// sourceText is what may stand behind the nodes of a source.
var sourceText = regexp.MustCompile(`(?i)^(?:dc|ac|pulse|sin|exp|pwl|sffm|am)\b[\w\s().,+-]*$`)

// written is a value as a netlist has it.
func (v DeviceValue) written(letter byte) (string, error) {
	if v.Number != nil {
		return strconv.FormatFloat(*v.Number, 'g', -1, 64), nil
	}
	if source := letter == 'V' || letter == 'I'; source && sourceText.MatchString(v.Text) {
		return v.Text, nil
	}
	si, err := quantity.ParseAs(v.Text, deviceKinds[letter])
	if err != nil {
		return "", err
	}
	return strconv.FormatFloat(si, 'g', -1, 64), nil
}

// withValues puts the values of a study in the place of those of a netlist. A letter alone
// means the only device of that kind.
func withValues(netlist string, values map[string]DeviceValue, at string) (string, error) {
	lines := strings.Split(netlist, "\n")
	for _, name := range keys(values) {
		here := at + "/values/" + escape(name)
		found, have := devicesNamed(lines, name)
		if len(found) != 1 {
			what := "no device"
			if len(found) > 1 {
				what = fmt.Sprintf("%d devices", len(found))
			}
			return "", contract.Errorf(contract.CodeInvalidInput, "the netlist has %s %s", what, name).At(here).WithHint("It has %s.", shape.List(have))
		}
		i := found[0]
		fields := strings.Fields(lines[i])
		letter := strings.ToUpper(name)[0]
		text, err := values[name].written(letter)
		if err != nil {
			return "", contract.AsError(err).At(here)
		}
		if letter == 'V' || letter == 'I' {
			lines[i] = strings.Join(append(fields[:3:3], text), " ")
			for i+1 < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[i+1]), "+") {
				lines = slices.Delete(lines, i+1, i+2) // the rest of what it gave
			}
			continue
		}
		fields[3] = text
		lines[i] = strings.Join(fields, " ")
	}
	return strings.Join(lines, "\n"), nil
}

// devicesNamed are the lines of the devices of a name, and the names of all that can have a
// value.
func devicesNamed(lines []string, name string) (found []int, have []string) {
	for i, line := range lines[1:] {
		fields := strings.Fields(line)
		if len(fields) < 4 || deviceKinds[strings.ToUpper(fields[0])[0]].Name == "" {
			continue
		}
		have = append(have, fields[0])
		if strings.EqualFold(fields[0], name) || len(name) == 1 && strings.EqualFold(fields[0][:1], name) {
			found = append(found, i+1)
		}
	}
	return found, have
}

// checkValues are the faults of values that do not hang on the netlist.
func (c Circuit) checkValues(at string) (faults []*contract.Error) {
	for _, name := range keys(c.Values) {
		letter := strings.ToUpper(name)[0]
		if deviceKinds[letter].Name == "" {
			faults = append(faults, contract.Errorf(contract.CodeInvalidInput, "%q is no device that has a value", name).At(at+"/values/"+escape(name)).
				WithHint("Resistors, capacitors, inductors and sources have one: R1, C1, L1, V1, I1, or a letter alone for the only one."))
			continue
		}
		if _, err := c.Values[name].written(letter); err != nil {
			faults = append(faults, contract.AsError(err).At(at+"/values/"+escape(name)))
		}
	}
	return faults
}
