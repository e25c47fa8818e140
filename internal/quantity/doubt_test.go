package quantity_test

import (
	"errors"
	"strings"
	"testing"

	"atelier/internal/quantity"
)

// A product with a scale that has a zero of its own says no temperature, although its
// dimension is one: degC/m·m could be 20 K or 293.15 K.
func TestProductsWithAScaleSayNoTemperature(t *testing.T) {
	for _, text := range []string{"20 degC/m·m", "20 m·degC/m", "20 degF*rad", "20 °C^2/°C", "20 1*degC", "68 degF m m^-1"} {
		if v, err := quantity.ParseAs(text, quantity.Temperature); err == nil {
			t.Errorf("%q is %g K", text, v)
		}
	}
	for text, want := range map[string]float64{"20 degC": 293.15, "20 (degC)": 293.15, "20 K*m/m": 20} {
		if v, err := quantity.ParseAs(text, quantity.Temperature); err != nil || v != want {
			t.Errorf("%q is %g K, want %g: %v", text, v, want, err)
		}
	}
	if v, err := quantity.ParseAs("5 W/(m^2*degC)", quantity.FilmCoefficient); err != nil || v != 5 {
		t.Errorf("a coefficient by degC: %g %v", v, err)
	}
	for _, pair := range [][2]string{{"degC*rad", "K"}, {"K", "degC*rad"}} {
		if v, err := quantity.Convert(20, pair[0], pair[1]); err == nil {
			t.Errorf("%v: %g", pair, v)
		}
	}
}

// No computer's number has an exponent of more than three digits; its digits are no unit.
func TestExponentsThatAreTooLarge(t *testing.T) {
	for _, text := range []string{"1e9999999999 Pa", "1e-4000 Pa", "2.5E+1000 Pa", "1×10^12345 Pa", "1·10⁻⁴⁰⁰⁰ Pa"} {
		_, err := quantity.ParseAs(text, quantity.Pressure)
		var e *quantity.Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, "exponent") || e.Hint == "" {
			t.Errorf("%s: %v", text, err)
		}
	}
	if v, err := quantity.ParseAs("1e0003 Pa", quantity.Pressure); err != nil || v != 1000 {
		t.Errorf("1e0003 Pa: %g %v", v, err)
	}
}

// Numbers that are possible and, without a unit, more likely in another one.
func TestNumbersThatNeedAUnit(t *testing.T) {
	for _, c := range []struct {
		kind    quantity.Kind
		value   float64
		meant   string // "" where the number is believed
		because string
	}{
		{quantity.Temperature, 20, "20 degC", "nitrogen"}, {quantity.Temperature, 76.9, "76.9 degC", "nitrogen"}, {quantity.Temperature, 77.4, "", ""}, {quantity.Temperature, 293.15, "", ""},
		{quantity.YoungsModulus, 210000, "210 GPa", "rubber"}, {quantity.YoungsModulus, 70000, "70 GPa", "rubber"}, {quantity.YoungsModulus, 1.5e6, "", ""}, {quantity.YoungsModulus, 210e9, "", ""},
		{quantity.HeatCapacity, 500, "", "density is missing"}, {quantity.HeatCapacity, 4186, "", "density is missing"}, {quantity.HeatCapacity, 3.9e6, "", ""},
		{quantity.Pressure, 5, "", ""}, {quantity.Gravity, 98.1, "", ""}, {quantity.Viscosity, 1000, "", ""},
	} {
		err := c.kind.CheckBare(c.value)
		if c.because == "" {
			if err != nil {
				t.Errorf("%g as %s: %v", c.value, c.kind.Name, err)
			}
			continue
		}
		var e *quantity.Error
		if !errors.As(err, &e) || !strings.Contains(e.Hint, c.because) || !strings.Contains(e.Hint, c.meant) || !strings.Contains(e.Hint, "Write the unit") {
			t.Errorf("%g as %s: %v", c.value, c.kind.Name, err)
		}
	}
}
