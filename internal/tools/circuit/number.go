package circuit

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

var numberPattern = regexp.MustCompile(`^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]*)$`)

// parseNumber reads a SPICE number: 1k, 4.7u, 10meg, 1.5e-3. Letters after the
// scale are a unit and mean nothing (10pF). ok is false for anything else.
func parseNumber(s string) (float64, bool) {
	m := numberPattern.FindStringSubmatch(strings.ToLower(s))
	if m == nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0, false
	}
	v *= scale(m[2])
	return v, !math.IsInf(v, 0)
}

func scale(suffix string) float64 {
	switch {
	case strings.HasPrefix(suffix, "meg"):
		return 1e6
	case strings.HasPrefix(suffix, "mil"):
		return 25.4e-6
	case suffix == "":
		return 1
	}
	if s, ok := map[byte]float64{'t': 1e12, 'g': 1e9, 'k': 1e3, 'm': 1e-3, 'u': 1e-6, 'n': 1e-9, 'p': 1e-12, 'f': 1e-15, 'a': 1e-18}[suffix[0]]; ok {
		return s
	}
	return 1
}

// spice writes a number so that the simulator reads the same double back.
func spice(v float64) string { return strconv.FormatFloat(v, 'g', 17, 64) }
