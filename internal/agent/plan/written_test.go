package plan

import (
	"encoding/json"
	"testing"
)

// What a user said with its unit is written with it where the solver would doubt the
// number: nobody who says 4 K is asked whether it is 4 degC.
func TestSmallNumbersKeepTheirUnits(t *testing.T) {
	for want, v := range map[string]any{`"4 K"`: kelvin(4), `293.15`: kelvin(293.15), `77`: kelvin(77), `"500000 Pa"`: modulus(5e5), `210000000000`: modulus(210e9)} {
		if got, err := json.Marshal(v); err != nil || string(got) != want {
			t.Errorf("%v is written as %s, want %s: %v", v, got, want, err)
		}
	}
	if got, err := json.Marshal(boundary{Type: "convection"}); err != nil || string(got) != `{"type":"convection"}` {
		t.Errorf("without a temperature: %s %v", got, err)
	}
}
