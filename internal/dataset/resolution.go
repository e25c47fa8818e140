package dataset

import "math"

// Resolution is how exactly the values of a column are known.
type Resolution struct {
	// Half is half a unit of the last decimal that the column is written with: 0.005
	// of 1.25. It is 0 of what is exact: booleans, and whole numbers that are counts,
	// levels or codes.
	Half float64
	// Relative is the same of a value that is no short decimal, by its size.
	Relative float64
}

// Of is half a unit of the last digit of a value.
func (r Resolution) Of(v float64) float64 { return math.Max(r.Half, r.Relative*math.Abs(v)) }

const (
	// largestCount is the size from which whole numbers are taken for measured
	// amounts, whose last digit is rounded, rather than for counts or codes.
	largestCount = 10_000
	// floatDigits is the most decimals that a float64 always holds; numbers with
	// more were printed by a program, and their last digits are its rounding.
	floatDigits = 1e15
)

// Resolution is that of a numeric column, by the decimals it is written with: the
// most of any value, since trailing zeros may have been left out.
func (c *Capture) Resolution(column int) Resolution {
	of := c.Columns[column]
	largest := 0.0
	for _, end := range []*float64{of.Min, of.Max} {
		if end != nil {
			largest = math.Max(largest, math.Abs(*end))
		}
	}
	switch of.Type {
	case Boolean, String:
		return Resolution{}
	case Integer:
		if largest < largestCount {
			return Resolution{}
		}
		return Resolution{Half: 0.5}
	}
	places, decimal := 0, true
	for _, b := range c.blocks {
		info := b.Chunks[column]
		places = max(places, info.Places)
		decimal = decimal && info.Form == formDecimal
	}
	r := Resolution{Half: math.Pow10(-places) / 2}
	if !decimal || largest >= floatDigits*math.Pow10(-places) {
		r.Relative = 0x1p-53
	}
	if !decimal {
		r.Half = 0
	}
	return r
}
