package quantity_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"atelier/internal/quantity"
	"atelier/internal/testenv"
)

// Every unit that docs/units.md names is understood.
func TestThePageNamesUnitsThatAreRead(t *testing.T) {
	raw, err := os.ReadFile(testenv.Path("docs", "units.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`SI units with every prefix and: (.*); and their products, quotients and powers \((.*)\), by`).FindStringSubmatch(string(raw))
	if m == nil {
		t.Fatal("the page has no list of units")
	}
	names := strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ';' || r == ' ' })
	for _, quoted := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(m[2], -1) {
		names = append(names, quoted[1])
	}
	if len(names) < 40 {
		t.Errorf("only %d units: %v", len(names), names)
	}
	for _, name := range names {
		_, angle := quantity.ParseIn("1 "+name, quantity.Angle, "rad")
		if _, ok := quantity.ParseUnit(name); !ok && angle != nil {
			t.Errorf("%q is not read", name)
		}
	}
}
