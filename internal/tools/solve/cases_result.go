package solve

import (
	"fmt"
	"math"
	"slices"
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
const mostFieldStates = 6

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
		s           state
		value, most float64 // most: with the error bar
		least       float64
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
		b := bar{s, value, value + off, value - off}
		if s.doubts(figure) {
			b.most, b.least = math.Inf(1), math.Inf(-1)
		}
		all = append(all, b)
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
		if b.s.pointer != first.s.pointer && b.most > first.least {
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
			if f.Pointer == "/energy" || f.Pointer == p99Stress {
				continue // the output of a case has neither
			}
			f.Name += ", " + s.title
			f.Pointer = s.pointer + f.Pointer
			f.Quoted, f.Where = false, nil // its place stands beside it
			into.Figure(f)
		}
	}
	joinChecks(states, into)
	joinNotes(states, into)
}

// keyed are the same check of several states.
type keyed struct {
	checks []evidence.Check
	states []state
}

// joinChecks keeps every failed check, of those that stand behind error bars one of each figure,
// and of others that all states passed the one nearest to its limit.
func joinChecks(states []state, into *evidence.Statement) {
	type key struct{ name, figure string }
	var order []key
	groups := map[key]*keyed{}
	for _, s := range states {
		for _, c := range s.Evidence.Checks {
			k := key{c.Name, c.Figure}
			if groups[k] == nil {
				groups[k] = &keyed{}
				order = append(order, k)
			}
			groups[k].checks, groups[k].states = append(groups[k].checks, c), append(groups[k].states, s)
		}
	}
	for _, k := range order {
		g := groups[k]
		if g.alike() && len(g.checks) == len(states) {
			c := g.checks[0]
			if c.Figure == "" {
				into.Check(c)
				continue
			}
		}
		g.join(len(states), into)
	}
}

// alike says whether all say the same.
func (g *keyed) alike() bool {
	return !slices.ContainsFunc(g.checks, func(c evidence.Check) bool {
		return c.Passed != g.checks[0].Passed || c.Sentence != g.checks[0].Sentence
	})
}

// join adds the checks of one name about one figure of each state. all: how many states there are.
func (g *keyed) join(all int, into *evidence.Statement) {
	nearest, most := -1, -1.0
	for i, c := range g.checks {
		switch {
		case !c.Passed || c.Kind.Covers() || c.Kind.Tolerances() && c.Figure != "":
			if c.Passed && !g.states[i].states(c.Figure) {
				continue
			}
			c.Figure = g.states[i].pointer + c.Figure
			c.Sentence = sentenceOf(g.states[i].title, c.Sentence)
			into.Check(c)
		case c.Value == nil || c.Limit == nil || *c.Limit == 0:
			if most < 0 {
				nearest, most = i, 0
			}
		case math.Abs(*c.Value / *c.Limit) > most:
			nearest, most = i, math.Abs(*c.Value / *c.Limit)
		}
	}
	if nearest < 0 {
		return
	}
	c := g.checks[nearest]
	if len(g.checks) == all && all > 1 {
		c.Sentence = sentenceOf("Nearest to the limit of all, "+g.states[nearest].title, c.Sentence)
		if c.Figure != "" {
			c.Figure = g.states[nearest].pointer + c.Figure
		}
		into.Check(c)
		return
	}
	for i, c := range g.checks {
		if c.Passed && !c.Kind.Covers() && !(c.Kind.Tolerances() && c.Figure != "") {
			c.Figure = g.states[i].pointer + c.Figure
			c.Sentence = sentenceOf(g.states[i].title, c.Sentence)
			into.Check(c)
		}
	}
}

// states says whether a figure at or below a pointer is answered for a case.
func (s state) states(pointer string) bool {
	return pointer != "/energy" && pointer != p99Stress
}

func sentenceOf(title, sentence string) string {
	return strings.ToUpper(title[:1]) + title[1:] + ": " + sentence
}

// joinNotes says once what is said of several states.
func joinNotes(states []state, into *evidence.Statement) {
	var order []string
	of := map[string][]state{}
	for _, s := range states {
		for _, n := range s.Evidence.Notes {
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
