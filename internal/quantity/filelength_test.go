package quantity_test

import (
	"encoding/json"
	"testing"

	"atelier/internal/quantity"
)

func TestFileLength(t *testing.T) {
	for text, want := range map[string]float64{`2.5`: 2.5, `"0.0025 m"`: 2.5, `-3`: -3} {
		var l quantity.FileLength
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		if got, err := l.In("mm"); err != nil || got != want {
			t.Errorf("%s is %v mm, %v; want %v", text, got, err, want)
		}
		if again, _ := json.Marshal(l); string(again) != text {
			t.Errorf("%s became %s", text, again)
		}
	}
	var l quantity.FileLength
	for _, text := range []string{`"2 mm"`, `"m"`, `true`, `" m"`} {
		if json.Unmarshal([]byte(text), &l) == nil {
			t.Errorf("%s was taken", text)
		}
	}
}
