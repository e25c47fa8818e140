package solve

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// state is a load case or a combination, answered like a solve of its own.
type state struct {
	*driverOutput
	pointer string // where it stands in the output
	title   string // case NAME or combination NAME
}

// assessCases assesses every case and combination by itself, and puts them into one answer. It
// returns their warnings.
func (p problem) assessCases(out *driverOutput, origin *evidence.Origin, class string) []contract.Warning {
	var states []state
	for i := range out.Cases {
		states = append(states, state{&out.Cases[i], fmt.Sprintf("/cases/%d", i), "case " + out.Cases[i].Name})
	}
	for i := range out.Combinations {
		states = append(states, state{&out.Combinations[i], fmt.Sprintf("/combinations/%d", i), "combination " + out.Combinations[i].Name})
	}
	for _, s := range states {
		one := p
		one.Accuracy = nil
		if figure, ok := strings.CutPrefix(out.Accuracy.quantity(), s.pointer+"/"); ok {
			local := *out.Accuracy
			local.Quantity = "/" + figure
			s.Accuracy = &local
			one.Accuracy = &Accuracy{Quantity: local.Quantity, Target: local.Target}
		}
		s.Shape = out.Shape
		s.Warnings = one.assess(s.driverOutput, s.Warnings)
		s.settleShape(origin, class)
		if s.Accuracy != nil {
			settled := *s.Accuracy
			settled.Quantity = out.Accuracy.Quantity
			out.Accuracy = &settled
		}
	}
	supports := len(p.BCs)
	out.Output.Cases = results(states[:len(out.Cases)], supports)
	out.Output.Combinations = results(states[len(out.Cases):], supports)
	for _, load := range states[0].Loads[:min(supports, len(states[0].Loads))] {
		load.Force, load.Moment = nil, nil // of each case
		out.Loads = append(out.Loads, load)
	}
	out.Governing = governing(states, &out.Evidence)
	joinEvidence(states, &out.Evidence)
	quoteGoverning(out)
	out.shortenFields(states)
	return joinWarnings(states)
}

// mostFieldStates is of how many cases and combinations an answer describes the fields.
const mostFieldStates = 4

// shortenFields keeps displacements and von Mises stresses, of many states those that govern;
// job_result.json has all.
func (out *driverOutput) shortenFields(states []state) {
	out.Fields = slices.DeleteFunc(out.Fields, func(f FieldOutput) bool {
		return !strings.HasPrefix(f.Name, "displacement_") && !strings.HasPrefix(f.Name, "von_mises_")
	})
	if len(states) <= mostFieldStates || len(out.Fields) != 2*len(states) {
		return
	}
	var kept []FieldOutput
	for i, s := range states { // two of each, in their order
		if out.Governing.names(s.Name) {
			kept = append(kept, out.Fields[2*i:2*i+2]...)
		}
	}
	out.Fields = kept
}

// names says whether a case or combination governs a figure.
func (g *Governing) names(name string) bool {
	return slices.ContainsFunc([]*Governs{g.VonMises, g.MaxDisplacement, g.SafetyFactor}, func(one *Governs) bool { return one != nil && one.Name == name })
}

// quantity is that which a mesh was refined for; "" for none.
func (r *Refinement) quantity() string {
	if r == nil {
		return ""
	}
	return r.Quantity
}

// results are the figures of cases as they are answered. supports: how many conditions are
// common, before those of the cases.
func results(states []state, supports int) []CaseResult {
	var out []CaseResult
	for _, s := range states {
		r := CaseResult{Name: s.Name, MaxDisplacement: s.MaxDisplacement, SafetyFactor: s.SafetyFactor, Loads: []SupportLoad{}, Probes: s.Probes, StressLines: s.StressLines,
			VonMises: CaseStress{s.VonMises.Max, s.VonMises.At, s.VonMises.Singularity}}
		for _, load := range s.Loads[:min(supports, mostRegions, len(s.Loads))] {
			r.Loads = append(r.Loads, SupportLoad{load.BC, load.Force, load.Moment})
		}
		out = append(out, r)
	}
	return out
}

// governing finds the case or combination with the extreme of each figure.
func governing(states []state, told *evidence.Statement) *Governing {
	out := &Governing{VonMises: governs(states, peakStress, 1), MaxDisplacement: governs(states, largestDisplacement, 1)}
	without := slices.DeleteFunc(slices.Clone(states), func(s state) bool { return s.SafetyFactor != nil || s.VonMises.Max == 0 })
	if len(without) == 0 {
		out.SafetyFactor = governs(states, leastSafety, -1)
	} else if len(without) < len(states) {
		told.Note("Which case has the least safety factor is not known: of %s none is stated, since the stress peak has no bound or is not resolved.", titles(without))
	}
	return out
}

const largestDisplacement = "/max_displacement/value"

// governs is the one with the largest of sign times a figure; nil where none has the figure.
func governs(states []state, figure string, sign float64) *Governs {
	type bar struct {
		s                  state
		value, most, least float64 // with the error bar
	}
	var all []bar
	for _, s := range states {
		i := indexOf(&s.Evidence, figure)
		if i < 0 || s.Evidence.Figures[i].Value == nil {
			continue
		}
		f := s.Evidence.Figures[i]
		value, off := sign**f.Value, mostSeriesError*math.Abs(*f.Value)
		if f.Error != nil {
			off = *f.Error
		}
		all = append(all, bar{s, value, value + off, value - off})
	}
	if len(all) == 0 {
		return nil
	}
	first := slices.MaxFunc(all, func(a, b bar) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return 0
	})
	out := &Governs{Name: first.s.Name, Figure: first.s.pointer + figure, Value: Figure(sign * first.value)}
	for _, b := range all {
		unknown := b.s.doubts(figure) && !first.s.doubts(figure) // of the first its own trust tells
		if b.s.pointer != first.s.pointer && (unknown || b.most > first.least) {
			out.Undecided = append(out.Undecided, b.s.Name)
		}
	}
	return out
}

// doubts says whether a check of a figure itself failed.
func (s state) doubts(figure string) bool {
	return slices.ContainsFunc(s.Evidence.Checks, func(c evidence.Check) bool {
		return !c.Passed && c.Figure != "" && strings.HasPrefix(figure+"/", c.Figure+"/")
	})
}

// quoteGoverning makes the summary, and its figures those that the result is as good as.
func quoteGoverning(out *driverOutput) {
	g := out.Governing
	out.Summary = fmt.Sprintf("Of %s", count(len(out.Cases), "case"))
	if n := len(out.Combinations); n > 0 {
		out.Summary += " and " + count(n, "combination")
	}
	said := []string{}
	for _, one := range []struct {
		governs      *Governs
		format, what string
	}{{g.VonMises, "%s %.4g Pa in %s", "largest von Mises stress"}, {g.MaxDisplacement, "%s %.4g m in %s", "largest displacement"}, {g.SafetyFactor, "%s %.3g in %s", "least safety factor against yield"}} {
		if one.governs == nil {
			continue
		}
		said = append(said, fmt.Sprintf(one.format, one.what, float64(one.governs.Value), one.governs.Name))
		if i := indexOf(&out.Evidence, one.governs.Figure); i >= 0 {
			out.Evidence.Figures[i].Quoted = true
		}
	}
	out.Summary += ": " + strings.Join(said, ", ") + "."
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// titles names states.
func titles(states []state) string {
	var names []string
	for _, s := range states {
		names = append(names, s.title)
	}
	return strings.Join(names, ", ")
}

// joinEvidence puts what stands behind all states into one statement.
func joinEvidence(states []state, into *evidence.Statement) {
	for _, s := range states {
		into.Accuracy = s.Evidence.Accuracy
		for _, f := range s.Evidence.Figures {
			if unanswered(f.Pointer) {
				continue
			}
			f.Name += ", " + s.title
			f.Pointer = s.pointer + f.Pointer
			f.Quoted, f.Where = false, nil // its place stands beside it
			if f.Value != nil && f.Scale <= math.Abs(*f.Value) {
				f.Scale = 0 // which says no more
			}
			into.Figure(f)
		}
	}
	joinChecks(states, into)
	joinNotes(states, into)
}

// group is one check, by name and figure, of several states.
type group struct {
	checks []evidence.Check
	states []state
}

// joinChecks keeps of every state the checks that failed and those that its figures need, and of
// others that all passed the one nearest to its limit.
func joinChecks(states []state, into *evidence.Statement) {
	type key struct{ name, figure string }
	var order []key
	groups := map[key]*group{}
	for _, s := range states {
		needed := s.behindFigures()
		for i, c := range s.Evidence.Checks {
			if c.Passed && c.Kind.Covers() && !needed[i] {
				continue
			}
			k := key{c.Name, c.Figure}
			if groups[k] == nil {
				groups[k] = &group{}
				order = append(order, k)
			}
			groups[k].checks, groups[k].states = append(groups[k].checks, c), append(groups[k].states, s)
		}
	}
	for _, k := range order {
		groups[k].join(len(states), into)
	}
}

// behindFigures finds the checks by which the figures that a case answers have their error bars:
// of several that cover one, the last, which is the one that its reasons tell.
func (s state) behindFigures() map[int]bool {
	needed := map[int]bool{}
	for _, f := range s.Evidence.Figures {
		if unanswered(f.Pointer) {
			continue
		}
		last := -1
		for i, c := range s.Evidence.Checks {
			if c.Passed && c.Kind.Covers() && c.Figure != "" && strings.HasPrefix(f.Pointer+"/", c.Figure+"/") {
				last = i
			}
		}
		needed[last] = true
	}
	return needed
}

// unanswered says whether the output of a case lacks a figure of a solve of its own.
func unanswered(pointer string) bool { return pointer == "/energy" || pointer == p99Stress }

// join adds the checks to a statement. all: how many states there are.
func (g *group) join(all int, into *evidence.Statement) {
	if first := g.checks[0]; first.Figure == "" && len(g.checks) == all && g.alike() {
		into.Check(first)
		return
	}
	g.joinFailed(into)
	one := g.nearest()
	for i, c := range g.checks {
		switch {
		case !c.Passed:
		case ofFigure(c):
			c.Figure = g.states[i].pointer + c.Figure
			into.Check(c)
		case len(g.checks) < all:
			c.Figure = g.states[i].pointer + c.Figure
			c.Sentence = sentenceOf(g.states[i].title, c.Sentence)
			into.Check(c)
		case i == one:
			if c.Figure != "" {
				c.Figure = g.states[i].pointer + c.Figure
			}
			c.Sentence = sentenceOf("worst of all that pass, "+g.states[i].title, c.Sentence)
			into.Check(c)
		}
	}
}

// figureless is a sentence without its numbers.
func figureless(sentence string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789.+-e", r) {
			return -1
		}
		return r
	}, sentence)
}

// joinFailed adds those that failed. What differs by numbers alone is said of the worst.
func (g *group) joinFailed(into *evidence.Statement) {
	worst := -1
	for i, c := range g.checks {
		if !c.Passed && (worst < 0 || shareOfLimit(c) > shareOfLimit(g.checks[worst])) {
			worst = i
		}
	}
	add := func(i int, said string) {
		c := g.checks[i]
		c.Sentence = sentenceOf(g.states[i].title, strings.ReplaceAll(said, "accuracy of "+peakStress, "accuracy of "+g.states[i].pointer+peakStress))
		c.Figure = g.states[i].pointer + c.Figure
		into.Check(c)
	}
	if worst >= 0 {
		add(worst, g.checks[worst].Sentence)
	}
	for i, c := range g.checks {
		switch {
		case c.Passed || i == worst:
		case figureless(c.Sentence) == figureless(g.checks[worst].Sentence):
			add(i, fmt.Sprintf("Fails as in %s.", g.states[worst].title))
		default:
			add(i, c.Sentence)
		}
	}
}

// nearest is the place of the passed check of no figure that is nearest to its limit, -1 of none.
func (g *group) nearest() int {
	one := -1
	for i, c := range g.checks {
		if c.Passed && !ofFigure(c) && (one < 0 || shareOfLimit(c) > shareOfLimit(g.checks[one])) {
			one = i
		}
	}
	return one
}

// ofFigure says whether a figure needs a check that passed.
func ofFigure(c evidence.Check) bool { return c.Kind.Covers() || c.Kind.Tolerances() && c.Figure != "" }

// shareOfLimit is how much of its limit a check takes.
func shareOfLimit(c evidence.Check) float64 {
	if c.Value == nil || c.Limit == nil || *c.Limit == 0 {
		return 0
	}
	return math.Abs(*c.Value / *c.Limit)
}

// alike says whether all say the same.
func (g *group) alike() bool {
	return !slices.ContainsFunc(g.checks, func(c evidence.Check) bool {
		return c.Passed != g.checks[0].Passed || c.Sentence != g.checks[0].Sentence
	})
}

func sentenceOf(title, sentence string) string {
	return strings.ToUpper(title[:1]) + title[1:] + ": " + sentence
}

// joinNotes says once what is said of several states.
func joinNotes(states []state, into *evidence.Statement) {
	var order []string
	of := map[string][]state{}
	held := 0
	for _, s := range states {
		for _, n := range s.Evidence.Notes {
			if number, after, _ := strings.Cut(n, " "); after == heldAgainst {
				more, _ := strconv.Atoi(number) // it was written so
				held += more
				continue
			}
			if len(of[n]) == 0 {
				order = append(order, n)
			}
			if last := len(of[n]) - 1; last < 0 || of[n][last].pointer != s.pointer {
				of[n] = append(of[n], s)
			}
		}
	}
	for _, n := range order {
		if len(of[n]) < len(states) {
			n = sentenceOf(titles(of[n]), n)
		}
		into.Note("%s", n)
	}
	if held > 0 {
		into.Note("%d %s", held, heldAgainst)
	}
}

// joinWarnings says once what several states warn of.
func joinWarnings(states []state) []contract.Warning {
	var out []contract.Warning
	of := map[contract.Warning][]state{}
	for _, s := range states {
		for _, w := range s.Warnings {
			if len(of[w]) == 0 {
				out = append(out, w)
			}
			of[w] = append(of[w], s)
		}
	}
	for i, w := range out {
		if len(of[w]) < len(states) {
			out[i].Message = sentenceOf(titles(of[w]), w.Message)
		}
	}
	return out
}
