package plan

import (
	"regexp"
	"strings"

	"atelier/internal/quantity"
)

// segment is a stretch of a sentence between separators.
type segment struct {
	items  []*item
	strong bool // a sentence ends before it
	and    bool // "and" stands before it
	index  int
}

func (s *segment) all(c class, values ...string) []*item {
	var out []*item
	for _, it := range s.items {
		if it.class != c || it.used {
			continue
		}
		if len(values) == 0 {
			out = append(out, it)
		}
		for _, v := range values {
			if it.value == v {
				out = append(out, it)
			}
		}
	}
	return out
}

func (s *segment) has(c class, values ...string) bool { return len(s.all(c, values...)) > 0 }

// chain is a list of places that one condition may have: "left and right".
type chain struct {
	places     []Place
	start, end int
	each       bool
}

var (
	fillerGap = regexp.MustCompile(`^[\s,&:]*(?:(?:and|as well as|plus|on|at|in|to|by|of|the|both|its|all|a|from|through|sides?|faces?|surfaces?|ends?|side|is|via)[\s,&]+)*$`)
	ofGap     = regexp.MustCompile(`^[\s]*(?:face |side |end )?of (?:the |this |that |my |its |a )?$`)
	inGap     = regexp.MustCompile(`^ ?(?:(?:in|at|on|near|through|of) (?:the |its )?)$`)
	exceptGap = regexp.MustCompile(`^,? ?(?:except|but|apart from|excluding|excepting|other than|without|save)(?: for)?(?: at| on)?(?: the)? $`)
	copula    = regexp.MustCompile(`^[\s]*(?:faces? |sides? |ends? )?(?:is|are|has|have|gets?|carr(?:y|ies)|sees?|takes?|stays?|must|should|will|shall|being|remains?|bears?|experiences?|at)\b`)
	eachWord  = regexp.MustCompile(`\b(?:each|every|apiece|per hole)\b`)
)

// reader holds the sentences of one message.
type reader struct {
	*lexer
	plan     *Plan
	segments []*segment

	filmOpen *Condition // the convection that is being read
	ambient  float64    // K, said by itself
	inlet    *Condition // the latest inlet
	wall     *Condition // the latest wall
	speed    *Condition // a velocity without an inlet beside it
	profile  string
	force    *Condition      // the latest force
	latest   int             // where the latest message begins
	settled  int             // where the message begins that wants the steady state; 0 for none
	turns    []turn          // the messages behind the first
	scales   []relative      // changes by a factor
	lost     []chain         // places of the latest message that no condition has
	said     map[int][]given // values of properties, by their rows
}

func (r *reader) gap(a, b int) string {
	if a > b {
		return "?"
	}
	return r.text[a:b]
}

// split cuts the items into segments. Separators inside a list of places are
// none: "the left and right ends are fixed".
func (r *reader) split() {
	r.qualify()
	r.others()
	current := &segment{strong: true}
	flush := func(strong, and bool) {
		if len(current.items) > 0 {
			current.index = len(r.segments)
			r.segments = append(r.segments, current)
			current = &segment{strong: strong, and: and}
			return
		}
		current.strong = current.strong || strong
		current.and = current.and || and
	}
	for i := range r.items {
		it := &r.items[i]
		switch {
		case it.used:
		case it.class == classStrong:
			flush(true, false)
		case it.class == classWeak || it.class == classAnd:
			if !r.insideList(i) && !r.verbFor(i) {
				flush(false, it.class == classAnd)
			}
		default:
			current.items = append(current.items, it)
		}
	}
	flush(true, false)
}

// loadedBy stands between the verb of a load and its size.
var loadedBy = regexp.MustCompile(`^(?:with|under)$`)

// verbFor says whether the separator i leads from the verb and direction of a load to
// its size: "pulled downwards with 2 kN on the right".
func (r *reader) verbFor(i int) bool {
	if !loadedBy.MatchString(r.text[r.items[i].start:r.items[i].end]) {
		return false
	}
	next := i + 1
	for next < len(r.items) && (r.items[next].used || r.items[next].class == classLoad && !verbs[r.items[next].value]) {
		next++ // with a force of 2 kN
	}
	if next == len(r.items) || r.items[next].class != classQuantity && r.items[next].class != classVector {
		return false
	}
	for j := i - 1; j >= 0; j-- {
		switch it := &r.items[j]; {
		case it.used, it.class == classDirection:
		case it.class == classLoad:
			if verbs[it.value] {
				return true
			}
		default:
			return false
		}
	}
	return false
}

// verbs of a load say how it stands to its face.
var verbs = map[string]bool{"push": true, "pull": true, "suction": true, "traction": true}

// qualify joins "the hole in the left side" into one place and drops the body in
// "top of the base".
func (r *reader) qualify() {
	var before *item
	for i := range r.items {
		it := &r.items[i]
		if it.class != classPlace {
			if it.class != classDirection {
				before = nil
			}
			continue
		}
		if before != nil && before.start != it.start {
			gap := r.gap(before.end, it.start)
			switch {
			case strings.HasPrefix(before.place.Kind, "hole") && it.place.Kind == "plane" && inGap.MatchString(gap):
				before.place.Near, it.used = it.place.Name, true
				continue
			case (before.place.Kind == "all" || before.place.Kind == "rest") && exceptGap.MatchString(gap):
				before.place.Kind, before.place.Not = "rest", append(before.place.Not, it.place)
				it.used = true
				r.use(before.end, it.start)
				continue
			case before.place.Kind == "plane" && strings.HasPrefix(it.place.Kind, "hole") && gap == " ":
				it.place.Near, before.used, before = before.place.Name, true, it // the left hole
				continue
			case strings.TrimSpace(gap) == "(", gap == " the " && strings.HasSuffix(before.place.Text, "inside"), gap == " " && strings.HasSuffix(before.place.Text, "inside"):
				before.used, before = true, it // "the inside (x_min)": the second is exact
				continue
			case ofGap.MatchString(gap):
				it.used = true
				continue
			}
		}
		before = it
	}
}

// insideList says whether the separator i stands between two places of a list.
func (r *reader) insideList(i int) bool {
	before, after := r.neighbour(i, -1), r.neighbour(i, 1)
	if before == nil || after == nil || before.class != classPlace || after.class != classPlace {
		return false
	}
	if !fillerGap.MatchString(r.gap(before.end, after.start)) {
		return false
	}
	last := r.lastOfList(i)
	opened := r.opened(before)
	closed := last != nil && (copula.MatchString(r.text[last.end:]) || r.verbFollows(last))
	if r.items[i].class == classAnd {
		// "fixed at the bottom and the top is loaded": a new clause begins
		return !(opened && closed && !r.commaInList(i))
	}
	// a comma belongs to a list that an "and" ends: left, right and bottom
	return r.andFollows(i) && !(opened && closed)
}

// verbFollows says whether a support stands directly behind: "the bottom built in".
func (r *reader) verbFollows(last *item) bool {
	for j := range r.items {
		it := &r.items[j]
		if it.class == classSupport && it.start >= last.end {
			return strings.TrimSpace(r.text[last.end:it.start]) == ""
		}
	}
	return false
}

// neighbour is the next item that is no separator.
func (r *reader) neighbour(i, step int) *item {
	for j := i + step; j >= 0 && j < len(r.items); j += step {
		it := &r.items[j]
		if it.used || it.class == classWeak || it.class == classAnd {
			continue
		}
		return it
	}
	return nil
}

func (r *reader) lastOfList(i int) *item {
	var last *item
	for j := i + 1; j < len(r.items); j++ {
		it := &r.items[j]
		switch {
		case it.used:
		case it.class == classPlace:
			last = it
		case it.class == classWeak || it.class == classAnd:
		default:
			return last
		}
	}
	return last
}

// opened says whether a support or a quantity stands before the first place of
// the list, in the same clause.
func (r *reader) opened(first *item) bool {
	for j := len(r.items) - 1; j >= 0; j-- {
		it := &r.items[j]
		if it.start >= first.start || it.used {
			continue
		}
		switch it.class {
		case classPlace, classDirection, classAnd:
		case classWeak:
			if !r.placeBefore(j) {
				return false
			}
		case classSupport, classQuantity, classVector, classLoad, classFlow, classHeat:
			return true
		default:
			return false
		}
	}
	return false
}

func (r *reader) placeBefore(j int) bool {
	before := r.neighbour(j, -1)
	return before != nil && before.class == classPlace
}

func (r *reader) commaInList(i int) bool {
	for j := i - 1; j >= 0; j-- {
		switch r.items[j].class {
		case classPlace:
		case classWeak:
			return r.items[j].value == "" && r.placeBefore(j)
		default:
			return false
		}
	}
	return false
}

func (r *reader) andFollows(i int) bool {
	for j := i + 1; j < len(r.items); j++ {
		switch r.items[j].class {
		case classPlace, classWeak:
		case classAnd:
			after := r.neighbour(j, 1)
			return after != nil && after.class == classPlace
		default:
			return false
		}
	}
	return false
}

// chains are the places of a segment, lists joined.
func (r *reader) chains(s *segment) []chain {
	var out []chain
	var before *item
	for _, it := range s.items {
		if it.class != classPlace || it.used {
			before = nil
			continue
		}
		joined := before != nil && (it.value == "joined" || before.start == it.start || fillerGap.MatchString(r.gap(before.end, it.start)))
		if joined {
			c := &out[len(out)-1]
			c.places, c.end = append(c.places, it.place), it.end
		} else {
			out = append(out, chain{places: []Place{it.place}, start: it.start, end: it.end})
		}
		before = it
	}
	for i, c := range out {
		before := r.text[max(0, c.start-12):c.start]
		after := r.text[c.end:min(len(r.text), c.end+6)]
		out[i].each = eachWord.MatchString(before) || eachWord.MatchString(r.text[c.start:c.end]) || strings.HasPrefix(strings.TrimSpace(after), "each")
		out[i].places = expandPlaces(c.places)
	}
	return out
}

func expandPlaces(in []Place) []Place {
	var out []Place
	for _, p := range in {
		switch p.Kind {
		case "ends":
			out = append(out, Place{Kind: "end", Name: "longest_min", Text: p.Text}, Place{Kind: "end", Name: "longest_max", Text: p.Text})
		case "sides":
			out = append(out, Place{Kind: "plane", Name: "x_min", Text: p.Text}, Place{Kind: "plane", Name: "x_max", Text: p.Text})
		default:
			out = append(out, p)
		}
	}
	return out
}

// around is the text beside an item within its segment's sentence.
func (r *reader) around(it *item, before, after int) (string, string) {
	a := r.text[max(0, it.start-before):it.start]
	if i := strings.LastIndexAny(a, ".;\n"); i >= 0 {
		a = a[i+1:]
	}
	b := r.text[it.end:min(len(r.text), it.end+after)]
	if i := strings.IndexAny(b, ";\n"); i >= 0 {
		b = b[:i]
	}
	return a, b
}

func (it item) is(k quantity.Kind) bool {
	_, ok := quantity.Fitting(it.units, k)
	return ok
}
