// Package words reads what a person says, in English or German, as a change of a study,
// without a model: a lexer, a lexicon of concepts, phrases by a table of patterns, and
// frames that gather what belongs together. Nothing is guessed and nothing is dropped: a
// word that no part of the reading stands on is named, and what is missing or can be read
// in two ways is asked for.
package words

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wI2L/jsondiff"
)

// Context is what a sentence is said about.
type Context struct {
	Document json.RawMessage // the study as it is; nil for none
	Files    []File
	LastRun  bool   // the study has been run
	Earlier  string // a sentence that was asked about, which this one may answer
}

// File is one that is there.
type File struct {
	Name    string    // as a study names it
	Faces   []string  // names of faces, of a CAD part that was imported
	Holes   []float64 // diameters of its holes, m; nil where they are not known
	Columns []string  // of a table
}

// Reading is what a sentence was understood to say.
type Reading struct {
	Patch       json.RawMessage // JSON Patch on the study; nil for none
	Questions   []Question      // what is missing or ambiguous
	Refusal     string          // why it cannot be done, and what can
	Asks        []string        // figures asked of the last run: names of quantities, "where", "is it safe"
	Undo        int             // steps back
	Unused      []string        // words and numbers that no part of the reading stands on
	Assumptions []string
	Language    string
	Earlier     bool // the patch is that of the earlier sentence, which this one answers
}

// Question asks for what is missing.
type Question struct {
	About   string // such as "direction of the force"
	Text    string
	Example string // an answer
}

// Runs says whether the reading can be carried out as it is.
func (r *Reading) Runs() bool {
	return len(r.Questions) == 0 && r.Refusal == "" && len(r.Unused) == 0 && (len(r.Patch) > 0 || r.Undo > 0 || len(r.Asks) > 0)
}

// Read a sentence; one that says too little on its own may answer what an earlier one left
// open.
func Read(sentence string, in Context) *Reading {
	out := readAlone(sentence, in)
	if out.Runs() || out.Refusal != "" {
		return out
	}
	if answered := withEarlier(sentence, in); answered != nil {
		return answered
	}
	return out
}

func readAlone(sentence string, in Context) *Reading {
	r := &reader{in: in, text: sentence, language: languageOf(sentence)}
	r.out.Language = r.language
	r.document()
	r.parse()
	switch {
	case len(r.leaves) == 0:
		r.ask("sentence", r.say("What is to be done?", "Was soll gemacht werden?"), r.example())
	default:
		r.understand()
	}
	r.unused()
	r.finish()
	return &r.out
}

// reader is the state of a reading.
type reader struct {
	in       Context
	text     string
	language string
	leaves   []*node // all words and numbers
	list     []*node // phrases and what is left between them
	raw      []*node // the list before there are phrases
	scan     *scanner
	before   map[string]any // the study as it is
	doc      map[string]any // as it becomes
	fresh    bool           // there is no study yet
	marks    marks
	moments  []*node // times for which figures are asked
	sizes    []*node // of one load, of which each is looked at
	hinges   *frame  // at both ends, when the load is known
	reacts   bool    // the force that a displacement needs is asked for
	out      Reading
}

// marks are words that say how the sentence relates to what is there.
type marks struct{ instead, now, again, change, only bool }

// say chooses the language.
func (r *reader) say(english, german string, args ...any) string {
	text := english
	if r.language == German {
		text = german
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

func (r *reader) ask(about, text, example string) {
	if !slices.ContainsFunc(r.out.Questions, func(q Question) bool { return q.Text == text }) {
		r.out.Questions = append(r.out.Questions, Question{about, text, example})
	}
}

func (r *reader) refuse(text string) {
	if r.out.Refusal == "" {
		r.out.Refusal = text
	}
}

func (r *reader) assume(english, german string, args ...any) {
	text := r.say(english, german, args...)
	if !slices.Contains(r.out.Assumptions, text) {
		r.out.Assumptions = append(r.out.Assumptions, text)
	}
}

func (r *reader) example() string {
	return r.say("bracket.step: S235, fixed at the bottom, 500 N down on the top", "halter.step: S235, unten eingespannt, 500 N nach unten auf die Oberseite")
}

// document reads the study twice: as it is, and to be changed.
func (r *reader) document() {
	r.before, r.doc = map[string]any{"study": "1.0"}, map[string]any{"study": "1.0"}
	if len(r.in.Document) > 0 {
		_ = json.Unmarshal(r.in.Document, &r.before) // a stored study
		_ = json.Unmarshal(r.in.Document, &r.doc)
	}
	r.fresh = len(section(r.before, "analyses")) == 0 && len(section(r.before, "supports"))+len(section(r.before, "loads")) == 0
}

// parse makes nodes of the sentence, and phrases of them.
func (r *reader) parse() {
	names := map[string]called{}
	for _, f := range r.in.Files {
		for kind, list := range map[string][]string{"name": f.Faces, "column": f.Columns} {
			for _, n := range list {
				names[strings.ToLower(n)] = called{kind, n}
				names[strings.ToLower(strings.ReplaceAll(n, "_", " "))] = called{kind, n}
			}
		}
	}
	nodes := named(lex(r.text, r.language == German, names), r.language)
	r.stems(nodes)
	r.corrected(nodes)
	r.separated(nodes)
	for _, n := range nodes {
		switch {
		case n.kind == "filler" && len(n.also) == 0:
		case n.is("about"):
			n.use()
		default:
			r.list = append(r.list, n)
		}
		r.leaves = append(r.leaves, n.leaves()...)
	}
	r.setAside()
	r.ranges()
	r.assembled()
	r.series()
	r.raw = r.list
	r.list = reduced(r.list, placeRules)
	r.list = reduced(r.list, phraseRules)
	r.through()
}

// ranges give the first number of "from 20 to 120 degC" the unit of the second.
func (r *reader) ranges() {
	for i, n := range r.list {
		a := n.amount()
		if n.kind != "amount" || len(a.units) > 0 || a.doubt != "" || a.slip != "" {
			continue
		}
		for _, m := range r.list[i+1 : min(i+3, len(r.list))] {
			if b := m.amount(); m.kind == "amount" && len(b.units) > 0 {
				before := strings.Fields(strings.ToLower(r.text[:n.start]))
				if len(before) > 0 && slices.Contains([]string{"from", "between", "von", "zwischen"}, before[len(before)-1]) || slices.Contains([]string{"-", "–", "to", "bis", "...", "…"}, strings.TrimSpace(strings.ToLower(r.text[n.end:m.start]))) {
					a.units, a.written = b.units, b.written
				}
			}
			if !m.is("at") && !m.is("until") && !m.is("and") {
				break
			}
		}
	}
}

// stems of the files' names are words for the part: bracket of bracket.step.
func (r *reader) stems(nodes []*node) {
	stems := map[string]string{}
	for _, f := range r.in.Files {
		stems[strings.ToLower(stemOf(f.Name))] = f.Name
	}
	for name := range section(r.before, "parts") {
		stems[strings.ToLower(name)] = name
	}
	for _, n := range nodes {
		if _, ok := stems[strings.ToLower(n.text)]; ok && (n.kind == "word" || n.is("part")) {
			n.kind, n.also = "part", nil
			n.val = stems[strings.ToLower(n.text)]
		}
	}
}

func stemOf(file string) string {
	name := file[strings.LastIndexByte(file, '/')+1:]
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		name = name[:dot]
	}
	return name
}

// separated finds the verbs that German takes apart: strömt links ein und rechts aus.
func (r *reader) separated(nodes []*node) {
	flows := slices.ContainsFunc(nodes, func(n *node) bool { return n.is("flowverb") })
	if r.language != German && flows {
		for i, n := range nodes {
			if strings.EqualFold(n.text, "out") && i+1 < len(nodes) && nodes[i+1].is("at") {
				n.kind, n.also = "outlet", nil
			}
		}
	}
	if r.language != German || !flows {
		return
	}
	for i, n := range nodes {
		last := i+1 == len(nodes) || nodes[i+1].kind == "comma" || nodes[i+1].kind == "stop" || nodes[i+1].is("and")
		kind := map[string]string{"ein": "inlet", "herein": "inlet", "hinein": "inlet", "aus": "outlet", "heraus": "outlet", "hinaus": "outlet"}[strings.ToLower(n.text)]
		if last && kind != "" {
			n.kind, n.also = kind, nil
		}
	}
}

// through is a flow from one side to another: an inlet and an outlet.
func (r *reader) through() {
	if r.has("flowverb", "an.flow") == nil {
		return
	}
	for i, n := range r.list {
		m, ok := n.val.(move)
		j := i
		if d, from := n.val.(toward); !ok && from && len(n.kids) == 1 && n.kids[0].is("from") && i+1 < len(r.list) {
			if to, is := r.list[i+1].val.(toward); is { // von links nach rechts
				j = i + 1
				m = move{phrase("place", n.kids, &place{what: "side", side: opposite[sideOfAxis[d.direction]]}), phrase("place", []*node{r.list[j]}, &place{what: "side", side: sideOfAxis[to.direction]})}
				ok = true
			}
		}
		if !ok {
			continue
		}
		in := []*node{{kind: "inlet", text: n.text}, m.from}
		out := []*node{{kind: "comma"}, {kind: "outlet", text: n.text}, m.to}
		rest := slices.Clone(r.list[j+1:])
		r.list = append(append(append(slices.Clone(r.list[:i]), in...), out...), rest...)
		return
	}
}

// free are the kinds of words on which nothing needs to stand.
var free = []string{"filler", "and", "at", "of", "with", "comma", "stop", "equals", "colon", "now", "again", "axisword", "about", "part", "material.word", "toward", "but", "whether", "worry"}

// unused names the words and numbers that no part of the reading stands on.
func (r *reader) unused() {
	used := map[*node]bool{}
	var mark func(n *node, by bool)
	mark = func(n *node, by bool) {
		by = by || n.used
		if len(n.kids) == 0 {
			used[n] = used[n] || by
		}
		for _, k := range n.kids {
			mark(k, by)
		}
	}
	for _, n := range r.list {
		mark(n, false)
	}
	whole := map[*node]bool{} // words of entries that are free
	for _, n := range r.list {
		if slices.ContainsFunc(free, n.is) && n.kind != "place" {
			for _, leaf := range n.leaves() {
				whole[leaf] = true
			}
		}
	}
	for _, n := range r.leaves {
		if used[n] || n.used || whole[n] || !r.listed(n) {
			continue
		}
		r.out.Unused = append(r.out.Unused, n.text)
	}
}

// listed says whether a leaf has come into the list: fillers have not.
func (r *reader) listed(leaf *node) bool {
	for _, n := range r.list {
		if leaf.start >= n.start && leaf.end <= n.end {
			return slices.Contains(n.leaves(), leaf)
		}
	}
	return false
}

// finish makes the patch, and sees to it that nothing is answered as if it had changed.
func (r *reader) finish() {
	if r.out.Refusal != "" || r.out.Undo > 0 {
		return
	}
	before, after := encode(r.before), encode(r.doc)
	patch, err := jsondiff.CompareJSON(before, after)
	if err == nil && len(patch) > 0 {
		r.out.Patch, _ = json.Marshal(patch)
		return
	}
	if len(r.out.Questions) > 0 || len(r.out.Asks) > 0 {
		return
	}
	r.ask("change", r.say("That changes nothing in the study. What is to be different?", "Das ändert nichts an der Studie. Was soll anders werden?"),
		r.say("twice the load", "doppelte Last"))
}

func encode(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("{}")
	}
	return raw
}

// section of a document; what it has not is empty.
func section(doc map[string]any, name string) map[string]any {
	s, _ := doc[name].(map[string]any)
	return s
}
