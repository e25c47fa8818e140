package extract

import (
	"regexp"
	"strconv"
	"strings"
)

// condition says when a part of a style sheet holds.
type condition uint8

const (
	always condition = iota
	sometimes
	never
)

const screenWidth = 1280 // px, of the screen that a page is read on

// onScreen says whether a list of media queries holds on the screen of a computer: by the
// kind of medium and by widths. Of other features it is not known.
func onScreen(list string) condition {
	if strings.TrimSpace(list) == "" {
		return always
	}
	best := never
	for _, query := range apartAt(strings.ToLower(list), ',') {
		best = min(best, mediaQuery(strings.TrimSpace(query)))
	}
	return best
}

var (
	mediumName  = regexp.MustCompile(`^(only |not )?\s*(all|screen|print|speech|[a-z-]+)\b`)
	widthBound  = regexp.MustCompile(`^\(\s*(min|max)-(?:device-)?width\s*:\s*([\d.]+)(px|em|rem)\s*\)$`)
	widthRange  = regexp.MustCompile(`^\(\s*width\s*(<=|>=|<|>)\s*([\d.]+)(px|em|rem)\s*\)$`)
	mediaJoined = regexp.MustCompile(`\s*\band\b\s*`)
)

func mediaQuery(query string) condition {
	result, inverted := always, false
	if m := mediumName.FindStringSubmatch(query); m != nil {
		query = strings.TrimSpace(query[len(m[0]):])
		inverted = m[1] == "not "
		if m[2] != "all" && m[2] != "screen" {
			result = never
		}
	}
	for _, feature := range mediaJoined.Split(query, -1) {
		if feature != "" {
			result = max(result, mediaFeature(feature))
		}
	}
	if inverted {
		return never - result
	}
	return result
}

func mediaFeature(feature string) condition {
	holds := func(above bool, number, unit string) condition {
		v, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return sometimes
		}
		if unit != "px" {
			v *= 16
		}
		if above == (screenWidth >= v) {
			return always
		}
		return never
	}
	if m := widthBound.FindStringSubmatch(feature); m != nil {
		return holds(m[1] == "min", m[2], m[3])
	}
	if m := widthRange.FindStringSubmatch(feature); m != nil {
		return holds(strings.HasPrefix(m[1], ">"), m[2], m[3])
	}
	return sometimes
}
