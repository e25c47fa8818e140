package dataset

import "slices"

// points is what the points of a column's numbers may be. Where semicolons stand
// between the fields, decimals have mostly a comma, and points separate thousands:
// 7.956 is then 7956. Three digits follow each point, a digit other than 0 stands
// first, and numbers without a point are below 1000.
type points struct {
	three    bool // a number that may have its thousands separated
	decimal  bool // a point that can be no separator of thousands
	ungroup  bool // 1000 and more without a point
	uncommon bool // a number in another form
}

func (p *points) join(b points) {
	p.three, p.decimal, p.ungroup, p.uncommon = p.three || b.three, p.decimal || b.decimal, p.ungroup || b.ungroup, p.uncommon || b.uncommon
}

// points is that of the block's numbers.
func (c *numbers) points() (p points) {
	if c.double != nil || c.unusualText {
		// An exponent, a sign or a zero first: no form in which thousands are separated.
		p.uncommon = true
	}
	if c.double != nil {
		p.decimal = true
		return p
	}
	for i, m := range c.mantissa {
		if c.lacks(i) {
			continue
		}
		places := c.common
		if c.places != nil {
			places = int(c.places[i])
		}
		m = max(m, -m)
		switch {
		case places == 0:
			p.ungroup = p.ungroup || m >= 1000
		case places == 3 && m >= 1000 && m < 1_000_000:
			p.three = true
		default:
			p.decimal = true
		}
		if p.decimal {
			return p
		}
	}
	return p
}

// grouped are the columns whose points may all be separators of thousands, of a
// table in which no other point is a decimal one.
func grouped(styles []style, kinds []Kind) (list []int) {
	for i, s := range styles {
		if kinds[i] != Number {
			continue
		}
		if s.decimal {
			return nil
		}
		if s.three && !s.ungroup && !s.uncommon {
			list = append(list, i)
		}
	}
	return list
}

// Grouped says that all points of a column's numbers may be separators of thousands:
// semicolons separate the fields, and nothing in the table tells.
func (c *Capture) Grouped(column int) bool { return slices.Contains(c.grouped, column) }

// Separator stands between the fields of the table; "" where it was no CSV.
func (c *Capture) Separator() string { return c.separator }
