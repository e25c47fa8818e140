package statistics

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/contract"
)

// Numbers as they are written elsewhere, which are texts here. Separators of
// thousands may be spaces that do not break, and \p{Sc} are signs of currencies.
var (
	decimalComma = regexp.MustCompile(`^[+-]?[0-9]+,[0-9]+$`)
	withUnit     = regexp.MustCompile(`^([+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?) ?([^0-9.,eE\s/:_±][^0-9]*)$`)
	withCurrency = regexp.MustCompile(`^\p{Sc} ?([+-]?[0-9]+(?:\.[0-9]+)?)$`)
	thousandsOf  = regexp.MustCompile(`^[+-]?[0-9]{1,3}([, '’.\x{a0}\x{202f}\x{2009}][0-9]{3})+([.,][0-9]+)?$`)
	otherMinus   = regexp.MustCompile(`^[−–][0-9]+(\.[0-9]+)?$`)
	// inBrackets are negative numbers as accounts have them.
	inBrackets = regexp.MustCompile(`^\p{Sc}? ?\( ?\p{Sc}? ?([0-9][0-9,.]*) ?\)$`)
	// beyondLimit are values of which only a limit is known, that of detection say.
	beyondLimit = regexp.MustCompile(`^([<>]=?|[≤≥])\s*[+-]?[0-9]+([.,][0-9]+)?$|^(?i:[<>]? ?(lod|loq|lld|mdl|bdl|bql|blq|nd|n\.d\.|n\.n\.))$`)
)

// notations are further ways to write a number that are not read, with what to do.
var notations = []struct {
	is   *regexp.Regexp
	hint string
}{
	{regexp.MustCompile(`^[+-]?0[xXbBoO][0-9a-fA-F]+$`), "Write whole numbers in base ten: 0x10 is 16."},
	{regexp.MustCompile(`^[+-]?[0-9]+(_[0-9]+)+(\.[0-9]+)?$`), "Write numbers without underscores: 1_000 is 1000."},
	{regexp.MustCompile(`^[+-]?[0-9.]+ ?(±|\+/-|\+-) ?[0-9.]+$`), "Write the value alone, and its uncertainty in a column of its own."},
	{regexp.MustCompile(`^[+-]?[0-9]+ ?[/⁄] ?[0-9]+$`), "Write a fraction as a decimal: 1/2 is 0.5."},
	{regexp.MustCompile(`^[0-9]{1,3}:[0-5][0-9](:[0-5][0-9](\.[0-9]+)?)?$`), "Write a time of day or a duration as a number of one unit, such as seconds, or as a full date and time by ISO 8601: 2024-05-31T12:30."},
	{regexp.MustCompile(`^([0-9]{1,2}[./-][0-9]{1,2}[./-]([0-9]{4}|[0-9]{2})|[0-9]{4}[./][0-9]{1,2}[./][0-9]{1,2})([ T][0-9:]+)?$`), "Write dates by ISO 8601, which has one meaning: 2024-05-31."},
	{regexp.MustCompile(`^[0-9]{4}-(0[1-9]|1[0-2])$`), "Write months with their first day: 2015-01-01."},
	{regexp.MustCompile(`^[0-9]{4}[ -]?Q[1-4]$`), "Write quarters with their first day: 2015-04-01 is the second of 2015."},
	{beyondLimit, "Of such a value only a limit is known: write the limit as a number, say in a column of its own which rows these are, and compare by ranks (mann_whitney, kruskal_wallis); without these rows, or with the limit in their place, a mean is not that of the values."},
	{regexp.MustCompile(`^[+-]?[0-9]+[dD][+-]?[0-9]+$`), "Write the exponent with E: 15D3 is 15E3."},
}

// notationOf is what to do with a number in another notation; "" of other values.
func notationOf(value string) string {
	for _, n := range notations {
		if n.is.MatchString(value) {
			return n.hint
		}
	}
	return ""
}

// elsewhere says that a value is a number as it is written in other places.
func elsewhere(value string) bool {
	return decimalComma.MatchString(value) || thousandsOf.MatchString(value) || otherMinus.MatchString(value)
}

// amongNumbers says that a value is one of a column of numbers where others are, and
// may be a level where there are none: less than 18, say, is one of ages.
func amongNumbers(value string) bool {
	return inBrackets.MatchString(value) || beyondLimit.MatchString(value)
}

// likeNumber says that a value is a number with something around it, or in another
// notation.
func likeNumber(value string) bool {
	return elsewhere(value) || inBrackets.MatchString(value) || withUnit.MatchString(value) || withCurrency.MatchString(value) || notationOf(value) != ""
}

// notNumeric says which value makes a column a text.
func (d *selectedData) notNumeric(column int) *contract.Error {
	c := d.Columns[column]
	row, value, err := d.FirstText(column)
	if err != nil || row == 0 {
		return contract.Errorf(contract.CodeInvalidInput, "the column %q is %s, not numeric", c.Name, c.Type)
	}
	return d.notNumber(column, row, value)
}

// notNumber says so of a value of a column.
func (d *selectedData) notNumber(column int, row int64, value string) *contract.Error {
	c := d.Columns[column]
	if len(value) > 60 {
		value = strings.ToValidUTF8(value[:60], "") + "…"
	}
	e := contract.Errorf(contract.CodeInvalidInput, "the column %q is %s, not numeric: row %d holds %q", c.Name, c.Type, row, value).With("row", row)
	switch {
	case thousandsOf.MatchString(value):
		return e.WithHint("Write numbers without separators of thousands, and decimals with a point.")
	case otherMinus.MatchString(value):
		return e.WithHint("Write the minus as on a keyboard: -%s.", strings.TrimLeft(value, "−–"))
	case inBrackets.MatchString(value):
		return e.WithHint("Write a negative number with a minus: -%s.", inBrackets.FindStringSubmatch(value)[1])
	case decimalComma.MatchString(value):
		return e.WithHint("Write decimals with a point: %s.", strings.Replace(value, ",", ".", 1))
	}
	if hint := notationOf(value); hint != "" {
		return e.WithHint("%s", hint)
	}
	for _, written := range []*regexp.Regexp{withUnit, withCurrency} {
		number := written.FindStringSubmatch(value)
		if number == nil {
			continue
		}
		if units := d.unitsOf(column); len(units) > 1 {
			return e.WithHint("The values have several units (%s): convert all to one, then write the numbers alone and the unit in the name of the column. Numbers without their units would be of different sizes.", strings.Join(units, ", "))
		}
		return e.WithHint("Write the number alone, %s, and its unit or sign in the name of the column.", number[1])
	}
	return e.WithHint("Correct the table, or leave the value empty: empty ones, NA, NaN and null are missing.")
}

// mostUnits is the most units of a column that are named.
const mostUnits = 4

// unitsOf are the units and signs of currencies that stand beside the numbers of a
// text column.
func (d *selectedData) unitsOf(column int) []string {
	seen := map[string]bool{}
	_, err := d.Written(column, func(value string) bool {
		if m := withUnit.FindStringSubmatch(value); m != nil {
			seen[strings.TrimSpace(m[2])] = true
		} else if withCurrency.MatchString(value) {
			seen[strings.TrimRight(value, "0123456789.+- ")] = true
		}
		return false
	})
	if err != nil {
		return nil
	}
	list := slices.Sorted(maps.Keys(seen))
	if n := len(list); n > mostUnits {
		list = append(list[:mostUnits], fmt.Sprintf("%d more", n-mostUnits))
	}
	return list
}
