package plan

import (
	"regexp"
	"slices"
	"strings"
)

// Talk is a conversation about plans: the messages of the plan in force, and those
// since whose questions are open.
type Talk struct {
	Said    []string `json:"said,omitempty"`
	Answers []int    `json:"answers,omitempty"` // those of Said that answer questions about the one before
	Physics Physics  `json:"-"`                 // of the plan in force
	Open    []string `json:"-"`
	Asked   []string `json:"-"` // topics of the open questions
}

// following begins a message that changes the request before, or stands in it.
var following = regexp.MustCompile(`(?i)^\W*(?:and|now|then|also|but|what (?:about|if|happens)|how about|the same|same|instead|with|change|replace|make it|use|if|again)\b|\b(?:instead|the same|as before)\b`)

// Next reads a message: as an answer to what is open, as a change of the plan in
// force, or as a request of its own. Where it makes no plan, the plan in force stays.
func (t Talk) Next(prompt string, facts Facts) (*Plan, Talk) {
	facts.Earlier, facts.Answers, facts.Asked = nil, nil, nil
	alone := Read(prompt, facts)
	said := t.Said
	if len(t.Open) > 0 && t.apart(Read(t.Open[0], facts)) {
		said = nil // the questions are about a request of another kind
	}
	fresh := Talk{Said: []string{prompt}, Physics: alone.Physics}
	says := Says(prompt) || len(t.Said) > 0 && (namesFile(prompt) || namesFactor(prompt))
	if !says && len(t.Open) == 0 {
		return alone, t
	}
	changes := len(t.Said) > 0 && says
	if len(alone.Questions) == 0 && !(changes && t.Physics != Circuit && following.MatchString(prompt)) && (len(t.Said) > 0 || len(t.Open) == 0) {
		return alone, fresh
	}
	var asking *Plan
	var asked Talk
	try := func(said, open, topics []string) (*Plan, Talk) {
		next := t.with(said, open, prompt, topics, facts)
		f := facts
		last := len(next.Said) - 1
		f.Earlier, f.Answers, f.Asked = next.Said[:last], next.Answers, topics
		p := Read(prompt, f)
		if len(p.Questions) > 0 && asking == nil {
			asking, asked = p, t
			asked.Open = append(slices.Clone(open), next.Said[last])
			asked.Asked = topicsOf(p)
		}
		next.Physics = p.Physics
		return p, next
	}
	if len(t.Open) > 0 && !(changes && following.MatchString(prompt)) {
		if p, next := try(said, t.Open, t.Asked); len(p.Questions) == 0 && (len(said) == 0 || p.Physics == t.Physics) {
			return p, next
		}
	}
	if changes && !t.apart(alone) {
		if p, next := try(t.Said, nil, nil); len(p.Questions) == 0 && p.Physics == t.Physics {
			p.Assumptions = append(p.Assumptions, "What was not said anew is taken from the request before.")
			return p, next
		}
	}
	if len(alone.Questions) == 0 {
		return alone, fresh
	}
	if asking == nil || len(t.Said) > 0 && len(alone.Questions) < len(asking.Questions) && !following.MatchString(prompt) {
		asking, asked = alone, t
		asked.Open, asked.Asked = []string{prompt}, topicsOf(alone)
	}
	if !says {
		return asking, t
	}
	return asking, asked
}

// namesFile says whether a message names another file, or its unit.
func namesFile(prompt string) bool {
	l := lex(strings.ToValidUTF8(prompt, "?"), nil)
	return l.file != "" || unitWords.MatchString(l.text)
}

// apart says whether a plan is of another kind than the one in force.
func (t Talk) apart(p *Plan) bool {
	return len(t.Said) > 0 && p.Physics != t.Physics && (len(p.Conditions) > 0 || p.Physics == Circuit)
}

// with is the conversation with messages that were open and the prompt, which answers
// them where there are any.
func (t Talk) with(said, open []string, prompt string, topics []string, facts Facts) Talk {
	next := Talk{Said: slices.Concat(said, open)}
	if len(said) > 0 {
		next.Answers = slices.Clone(t.Answers)
	}
	for i := range open[min(1, len(open)):] {
		next.Answers = append(next.Answers, len(said)+1+i)
	}
	if len(open) > 0 {
		next.Answers = append(next.Answers, len(next.Said))
	}
	next.Said = append(next.Said, answerTo(prompt, topics, facts))
	return next
}

func topicsOf(p *Plan) (topics []string) {
	for _, q := range p.Questions {
		topics = append(topics, q.Topic)
	}
	return topics
}
