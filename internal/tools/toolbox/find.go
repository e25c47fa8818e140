package toolbox

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"atelier/internal/contract"
)

type findInput struct {
	Query string `json:"query"`
	Tool  string `json:"tool"`
	At    string `json:"at"`
}

type match struct {
	Tool      string `json:"tool"`
	Title     string `json:"title"`
	Purpose   string `json:"purpose"`
	Available bool   `json:"available"`
}

type findOutput struct {
	Tools  []match `json:"tools"`
	Tool   string  `json:"tool"`
	At     string  `json:"at"`
	Schema any     `json:"schema"`
	Folded bool    `json:"folded"`
}

const mostMatches = 6

// find looks for tools by words, or shows the input schema of one.
func (p Program) find(_ context.Context, _ *contract.Call, in findInput) (*contract.Result, error) {
	if (in.Query == "") == (in.Tool == "") {
		return nil, contract.Errorf(contract.CodeInvalidInput, "either query or tool is needed").
			WithHint("Look for tools by words in query; tool shows the input of one.")
	}
	registry, out := p.Tools(), findOutput{Tools: []match{}, At: in.At}
	tool := in.Tool
	if in.Query != "" {
		if in.At != "" {
			return nil, contract.Errorf(contract.CodeInvalidInput, "at is a place in the input schema of one tool").At("/at").WithHint("Name the tool in place of the query.")
		}
		others := slices.DeleteFunc(slices.Clone(registry.All()), func(t *contract.Tool) bool { return t.Contract.Family == Family })
		found := search(others, in.Query)
		for _, t := range found {
			c := t.Contract
			out.Tools = append(out.Tools, match{c.Alias(), c.Title, firstSentence(c.Description), t.Available == nil || t.Available() == nil})
		}
		if len(found) == 0 {
			return &contract.Result{Status: contract.StatusOK, Solver: "atelier", Output: out,
				Summary: fmt.Sprintf("No tool is about %q. The families are %s.", in.Query, strings.Join(registry.Families(), ", "))}, nil
		}
		tool = found[0].Contract.Name
	}
	t, err := registry.Find(tool)
	if err != nil {
		return nil, contract.AsError(err).At("/tool")
	}
	if out.Schema, out.Folded, err = unfold(t.Contract.InputSchema, in.At); err != nil {
		return nil, err
	}
	out.Tool = t.Contract.Alias()
	if in.Query == "" {
		out.Tools = append(out.Tools, match{out.Tool, t.Contract.Title, firstSentence(t.Contract.Description), t.Available == nil || t.Available() == nil})
	}
	var names []string
	for _, m := range out.Tools {
		names = append(names, m.Tool)
	}
	text := fmt.Sprintf("%s; the input of %s is in schema.", strings.Join(names, ", "), out.Tool)
	if out.Folded {
		text += " Parts of it are folded: tool and at show one."
	}
	return &contract.Result{Status: contract.StatusOK, Solver: "atelier", Output: out, Summary: text}, nil
}

// search ranks tools by the words of a query: the sum over its words of the weight of the
// best field that has the word, times how rare the word is among the tools (the inverse
// document frequency of Spärck Jones, 1972).
func search(tools []*contract.Tool, query string) []*contract.Tool {
	words := wordsOf(query)
	own := len(words)
	words = append(words, related(words)...)
	scores := make([]float64, len(tools))
	fields := make([][]weighted, len(tools))
	for i, t := range tools {
		fields[i] = fieldsOf(t.Contract)
	}
	for n, word := range words {
		share := 1.0
		if n >= own {
			share = 0.5
		}
		weights, have := make([]float64, len(tools)), 0
		for i := range tools {
			if weights[i] = weightOf(fields[i], word); weights[i] > 0 {
				have++
			}
		}
		for i := range tools {
			scores[i] += share * weights[i] * math.Log(1+float64(len(tools))/float64(max(have, 1)))
		}
	}
	order := make([]int, 0, len(tools))
	best := 0.0
	for i, s := range scores {
		if s > 0 {
			order = append(order, i)
		}
		best = max(best, s)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	var found []*contract.Tool
	for _, i := range order[:min(len(order), mostMatches)] {
		if scores[i] >= best/4 {
			found = append(found, tools[i])
		}
	}
	return found
}

//go:embed synonyms.json
var synonymsFile []byte

// synonyms are words of users, with those that contracts have for the same.
var synonyms = sync.OnceValue(func() map[string]string {
	var m map[string]string
	if err := json.Unmarshal(synonymsFile, &m); err != nil {
		panic(err)
	}
	return m
})

// related are the words of contracts for those of a query.
func related(words []string) (more []string) {
	for users, contracts := range synonyms() {
		if slices.ContainsFunc(strings.Fields(users), func(u string) bool {
			return slices.ContainsFunc(words, func(w string) bool { return alike(u, w) })
		}) {
			more = append(more, strings.Fields(contracts)...)
		}
	}
	slices.Sort(more)
	return slices.Compact(more)
}

type weighted struct {
	weight float64
	words  []string
}

func fieldsOf(c *contract.Contract) []weighted {
	var schema struct {
		Properties map[string]struct{} `json:"properties"`
	}
	_ = json.Unmarshal(c.InputSchema, &schema) // the contract has been checked
	var inputs []string
	for name := range schema.Properties {
		inputs = append(inputs, name)
	}
	return []weighted{
		{4, wordsOf(c.Name)}, {3, wordsOf(c.Title)}, {2, wordsOf(strings.Join(append(c.Capabilities, c.Tags...), " "))},
		{2, wordsOf(firstSentence(c.Description))}, {1, wordsOf(c.Description)}, {0.5, wordsOf(strings.Join(inputs, " "))},
	}
}

func weightOf(fields []weighted, word string) float64 {
	best := 0.0
	for _, f := range fields {
		if f.weight > best && slices.ContainsFunc(f.words, func(w string) bool { return alike(w, word) }) {
			best = f.weight
		}
	}
	return best
}

// alike: the same word, or two forms of one (mesh and meshing, frequency and frequencies).
func alike(a, b string) bool {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a == b || n >= 4 && len(a)-n <= 3 && len(b)-n <= 3
}

var noise = []string{"a", "an", "the", "of", "in", "on", "to", "for", "with", "and", "or", "is", "my", "me", "from", "by", "it", "i", "how", "tool", "tools", "that", "what", "which", "file", "files", "do"}

func wordsOf(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.DeleteFunc(words, func(w string) bool { return slices.Contains(noise, w) })
}

func firstSentence(text string) string {
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	return text
}
