package plan

import (
	"regexp"
	"strings"

	"atelier/internal/shape"
)

// namedFaces finds the names of CAD faces, words in any order of separators:
// "load hole" is load_hole, "the bolt holes" bolt_hole_1 to bolt_hole_4.
func (l *lexer) namedFaces() {
	groups, order := map[string][]string{}, []string{}
	for _, name := range l.faces {
		key := shape.Spaced(name)
		l.each(regexp.MustCompile(`\b(?:the |face )?`+faceExpression(key)+`\b`), func(m []int) {
			l.addPlaces(m[0], m[1], Place{Kind: "face", Name: name})
		})
		stem := strings.TrimRight(key, " 0123456789")
		if groups[stem] == nil {
			order = append(order, stem)
		}
		groups[stem] = append(groups[stem], name)
	}
	l.likelyFaces()
	for _, stem := range order {
		if len(groups[stem]) < 2 || stem == "" {
			continue
		}
		l.each(regexp.MustCompile(`\b(?:all |each |every |both |the |of |\d+ |two |three |four |five |six |eight )*`+faceExpression(stem)+`s\b`), func(m []int) {
			var places []Place
			for _, name := range groups[stem] {
				places = append(places, Place{Kind: "face", Name: name})
			}
			l.addPlaces(m[0], m[1], places...)
		})
	}
}

var (
	underscored = regexp.MustCompile(`\b[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+\b`)
	quotedFace  = regexp.MustCompile(`(?i)(?:face|surface|boundary|side)s? (?:named |called )?["'“‘]([^"'”’]{1,60})["'”’]`)
	namedFace   = regexp.MustCompile(`(?i)(?:face|surface|boundary) (?:named|called) ([A-Za-z][\w-]*)`)
	notFaces    = regexp.MustCompile(`(?i)^(?:[xyz]_(?:min|max)|(?:min|max)_[xyz]|von_mises|t_(?:inf|amb|final|end)|step_size|time_step|element_size|mesh_size)`)
)

// likelyFaces keeps what looks like the name of a CAD face (base_bottom, face
// "Top") for the import to find.
func (l *lexer) likelyFaces() {
	for i, exp := range []*regexp.Regexp{quotedFace, namedFace, underscored} {
		for _, m := range exp.FindAllStringSubmatchIndex(l.cased, -1) {
			name := m[0:2]
			if i < 2 {
				name = m[2:4]
			}
			word := l.cased[name[0]:name[1]]
			if l.free(m[0], m[1]) && !notFaces.MatchString(word) {
				l.addPlaces(m[0], m[1], Place{Kind: "face", Name: word})
			}
		}
	}
}

func faceExpression(key string) string {
	return strings.ReplaceAll(regexp.QuoteMeta(key), " ", `[\s_.-]?`)
}
