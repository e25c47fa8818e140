package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/contract/join"
	"atelier/internal/quantity"
	"atelier/internal/testenv"
)

// others is another unit of each kind, and its size in SI units by the definition
// of the unit.
var others = map[string]struct{ unit, factor string }{
	"length": {"mm", "1/1000"}, "displacement": {"um", "1/1000000"}, "force": {"kN", "1000"}, "force_per_length": {"kN/m", "1000"},
	"pressure": {"bar", "100000"}, "traction": {"MPa", "1000000"}, "youngs_modulus": {"GPa", "1000000000"},
	"poissons_ratio": {"%", "1/100"}, "density": {"g/cm^3", "1000"}, "density_of_a_solid": {"g/cm^3", "1000"},
	"temperature": {"degR", "5/9"}, "thermal_conductivity": {"mW/(mm*K)", "1"}, "specific_heat": {"kJ/(kg*K)", "1000"},
	"heat_capacity_per_volume": {"MJ/(m^3*K)", "1000000"}, "dynamic_viscosity": {"mPa*s", "1/1000"},
	"heat_transfer_coefficient": {"kW/(m^2*K)", "1000"}, "heat_flux": {"kW/m^2", "1000"}, "heat_source": {"W/cm^3", "1000000"},
	"velocity": {"mm/s", "1/1000"}, "gravity": {"mm/s^2", "1/1000"}, "force_per_volume": {"kN/m^3", "1000"}, "latent_heat": {"kJ/kg", "1000"}, "foundation_stiffness": {"N/mm^3", "1000000000"}, "damping_ratio": {"%", "1/100"}, "time": {"ms", "1/1000"},
	"mass": {"g", "1/1000"}, "energy_or_a_moment": {"kN*m", "1000"}, "stress": {"MPa", "1000000"},
	"temperature_gradient": {"K/mm", "1000"}, "coefficient_of_thermal_expansion": {"um/(m*K)", "1/1000000"},
	"voltage": {"mV", "1/1000"}, "current": {"mA", "1/1000"}, "frequency": {"kHz", "1000"}, "angle": {"turn", "360"},
}

// at puts a value, and fields beside it, into an object at a pointer with indices.
func at(pointer string, beside map[string]any, value any) json.RawMessage {
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for _, token := range slices.Backward(tokens) {
		if index, err := strconv.Atoi(token); err == nil {
			list := slices.Repeat([]any{300}, index+1) // a possible value of what stands before it
			list[index] = value
			value = list
			continue
		}
		object := map[string]any{token: value}
		maps.Copy(object, beside)
		beside, value = nil, object
	}
	raw, _ := json.Marshal(value)
	return raw
}

// Every argument that a contract marks as a quantity takes a number and the same
// value as a text in another unit, and refuses a unit of another dimension at its
// place. The arguments are those of the contracts; none is listed here.
func TestArgumentsWithUnits(t *testing.T) {
	rng := testenv.Random(t)
	count := 0
	for _, tool := range registry(t).All() {
		c := tool.Contract
		for _, q := range c.Quantities() {
			for _, use := range uses(q.Mark) {
				count++
				pointer := strings.ReplaceAll(q.Pointer, "*", "0")
				t.Run(fmt.Sprintf("%s%s as %s", c.Name, pointer, use.kind.ID()), func(t *testing.T) {
					checkArgument(t, c, pointer, q.Mark, use, 1+rng.IntN(998))
				})
			}
		}
	}
	if count < 60 {
		t.Errorf("the contracts mark %d quantities; the keyword is not read", count)
	}
}

type use struct {
	kind   quantity.Kind
	beside map[string]any
}

// uses are the kinds that a mark may mean, with the field that makes it so.
func uses(m join.Mark) []use {
	var list []use
	add := func(id string, beside map[string]any) {
		k, _ := quantity.ByID(id)
		list = append(list, use{k, beside})
	}
	for _, id := range append(append([]string{}, m.Any...), m.Kind) {
		if id != "" {
			add(id, nil)
		}
	}
	for word, id := range m.Of {
		switch {
		case word == "":
			add(id, nil)
		case word == "*":
			add(id, map[string]any{m.By: 1})
		default:
			add(id, map[string]any{m.By: strings.Replace(word, "*", "1", 1)})
		}
	}
	return list
}

func checkArgument(t *testing.T, c *contract.Contract, pointer string, mark join.Mark, u use, n int) {
	other, ok := others[u.kind.ID()]
	if !ok {
		t.Fatalf("give another unit of %s", u.kind.ID())
	}
	size, _ := new(big.Rat).SetString(other.factor)
	if mark.Unit != "" && mark.Unit != join.FileUnit && u.kind.Dim != quantity.One { // of a time in minutes, a length in mm
		unit, known := map[string]*big.Rat{"min": big.NewRat(60, 1), "s": big.NewRat(1, 1), "mm": big.NewRat(1, 1000)}[mark.Unit]
		if !known {
			t.Fatalf("give the size of %s", mark.Unit)
		}
		size.Quo(size, unit)
	}
	if u.kind.ID() == "poissons_ratio" {
		n = 1 + n%48
	}
	value, _ := size.Mul(size, big.NewRat(int64(n), 1)).Float64()
	text := fmt.Sprintf("%d %s", n, other.unit)
	var number any = value
	if mark.Unit == join.FileUnit {
		plain, _ := json.Marshal(value)
		number = string(plain) + " m"
	}
	asNumber, asText := c.Normalise(at(pointer, u.beside, number)), c.Normalise(at(pointer, u.beside, text))
	if string(asNumber) != string(asText) {
		t.Errorf("%s became %s, the number %s", text, asText, asNumber)
	}
	for wrong, refused := range map[string]bool{"5 mol": true, "0.25": u.kind.Dim != quantity.One || u.kind.ID() == "angle", "wide": true, text: false, "5 " + other.unit + "q": true} {
		found := false
		for _, f := range c.ValidateInput(at(pointer, u.beside, wrong)) {
			if f.Field == pointer && f.Actual != "string" && f.Details["fault"] == contract.FaultValue {
				found = found || f.Hint != ""
			}
		}
		if found != refused {
			t.Errorf("%q is refused with a hint: %v, want %v", wrong, found, refused)
		}
	}
}
