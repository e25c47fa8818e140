package stat

import (
	"math"
	"testing"
)

// The expected probabilities are mpmath's incomplete beta and gamma functions in
// 40 digits.
func TestTails(t *testing.T) {
	for _, c := range []struct{ got, want float64 }{
		{TTail2(0.5, 3), 0.65144796484815099},
		{TTail2(-2, 10), 0.073388034770740366},
		{TTail2(40, 30), 1.3726045194406403e-27},
		{TTail2(1e10, 30), 2.0729069305124134e-279},
		{TTail2(37, 1000), 1.7300788809913061e-189},
		{TTail2(5, 2e6), 5.733514637831463e-7},
		{TTail2(math.Sqrt(0.125), 1e6), 0.72367368436399625},
		{TTail2(12, 1.5), 0.018042029274027864},
		{FTail(0.3, 2, 5), 0.75327740953688463},
		{FTail(4, 3, 100), 0.0097991411338779996},
		{FTail(900, 1, 500), 7.2142888884280189e-114},
		{FTail(1.2, 40, 7.5), 0.42727476166907392},
		{FTail(1e5, 5, 60), 3.1074378971662702e-116},
		{FTail(1.001, 1000, 1e5), 0.48527182516555857},
		{ChiTail(1, 1), 0.3173105078629141},
		{ChiTail(30, 3), 1.3800570312932547e-6},
		{ChiTail(1300, 4), 3.3278807185719027e-280},
		{ChiTail(5, 2), 0.082084998623898795},
	} {
		if e := math.Abs(c.got-c.want) / c.want; !(e < 1e-12) {
			t.Errorf("%v is not %v (%.1e)", c.got, c.want, e)
		}
	}
	for _, p := range []float64{1e-8, 0.01, 0.05, 0.5, 0.99} { // the inverse
		for _, df := range []float64{1, 4.5, 30, 1e6} {
			if back := TTail2(TQuantile(p, df), df); math.Abs(back-p) > 1e-13*p {
				t.Errorf("p %v, df %v: %v", p, df, back)
			}
		}
	}
}

func TestParseDecimal(t *testing.T) {
	for text, want := range map[string]DD{
		"0.5": {0.5, 0}, "-12": {-12, 0}, "1e3": {1000, 0}, "9223372036854775807": {9223372036854775807, -1},
		"9007199254740993": {9007199254740992, 1}, "1000000000000.5": {1000000000000.5, 0}, "+2.50": {2.5, 0}, "1e400": {math.Inf(1), 0},
		"1.5D+02": {150, 0}, "-2.5d0": {-2.5, 0}, ".5D1": {5, 0}, "١٢٣": {123, 0}, "-١٢٫٥": {-12.5, 0}, "१२.५": {12.5, 0}, "１２e１": {120, 0}, "𝟏𝟐": {12, 0},
		"0e-400": {0, 0}, "-0.000": {0, 0}, "5e-324": {5e-324, 0},
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
	// 0.1 less its nearest float64, 0.1000000000000000055511151231257827…
	if got, err := Parse("0.1"); err != nil || got.Hi != 0.1 || math.Abs(got.Lo+5.551115123125783e-18) > 1e-33 {
		t.Errorf("%v %v", got, err)
	}
	for _, text := range []string{"1e-400", "-12.5e-340", "0.0001e-323", "1.0D-400"} {
		if got, err := Parse(text); err != nil || !math.IsNaN(got.Hi) {
			t.Errorf("%s, which no float64 is near: %v %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-", ".", "1.2.3", "0x10", "1_000", "NaN", "1e", "one", "1D2", "1.5D", "D1.5", "1.5DD2", "1٢", "١٬٢", "x١", "½", "10²"} {
		if v, err := Parse(text); err == nil {
			t.Errorf("%q was read as %v", text, v)
		}
	}
}
