package captions

import (
	"context"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"
)

// Editor rewrites one passage of a transcript that Clean has cleaned. before
// and after are the sentences around it, for understanding only.
type Editor func(ctx context.Context, before, passage, after string) (string, error)

// Polished counts what an Editor did.
type Polished struct {
	Passages int            `json:"passages"`
	Kept     int            `json:"kept"`     // passages that the editor's text stands for
	Refused  map[string]int `json:"refused"`  // passages that kept Clean's text, by reason
	Examples []string       `json:"examples"` // of what was refused; at most a few
}

const (
	passageSize = 1800 // characters of a passage, about 450 tokens
	contextSize = 300  // and of the sentences around it
	atOnce      = 4    // passages that are edited at a time
	examples    = 5
)

// passage is a run of sentences of one turn.
type passage struct {
	label, text   string // label: what stands before the text, which no editor sees
	before, after string
	first         bool // of its turn
}

// Polish has a cleaned text edited, passage by passage. The editor's text is
// taken only where Verify finds nothing invented and nothing lost; elsewhere the
// text stays as it is. The first error of the editor ends the work.
func Polish(ctx context.Context, clean string, edit Editor) (string, Polished, error) {
	passages := cut(clean)
	result := Polished{Passages: len(passages), Refused: map[string]int{}}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range passages {
		p := &passages[i]
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			edited, err := edit(ctx, p.before, p.text, p.after)
			if err != nil {
				return err
			}
			edited = strings.Join(strings.Fields(edited), " ")
			reason, what := Verify(p.text, edited)
			mu.Lock()
			defer mu.Unlock()
			if reason == "" {
				result.Kept++
				p.text = edited
				return nil
			}
			result.Refused[reason]++
			if len(result.Examples) < examples {
				result.Examples = append(result.Examples, reason+": "+what)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return "", result, err
	}
	var b strings.Builder
	for i, p := range passages {
		switch {
		case i > 0 && p.first:
			b.WriteString("\n\n")
		case i > 0:
			b.WriteByte(' ')
		}
		b.WriteString(p.label)
		b.WriteString(p.text)
	}
	return b.String(), result, nil
}

// cut parts a cleaned text into passages at the ends of sentences.
func cut(clean string) []passage {
	var list []passage
	for _, paragraph := range strings.Split(clean, "\n\n") {
		label, text := labelOf(paragraph)
		for k, part := range runs(text, passageSize) {
			p := passage{text: part, first: k == 0}
			if k == 0 {
				p.label = label
			}
			list = append(list, p)
		}
	}
	for i := range list {
		if i > 0 {
			list[i].before = list[i-1].label + lastSentences(list[i-1].text)
		}
		if i+1 < len(list) {
			list[i].after = list[i+1].label + firstSentences(list[i+1].text)
		}
	}
	return list
}

// labelOf splits the speaker's label, or the dash, off a paragraph that Clean
// has written.
func labelOf(paragraph string) (label, text string) {
	if rest, ok := strings.CutPrefix(paragraph, "– "); ok {
		return "– ", rest
	}
	if m := writtenLabel.FindString(paragraph); m != "" {
		return m, paragraph[len(m):]
	}
	return "", paragraph
}

// runs parts a text into pieces of at most size characters, where sentences
// end, else between words.
func runs(text string, size int) []string {
	var list []string
	for len(text) > size {
		at := strings.LastIndexAny(text[:size], ".?!…。？！")
		if at > size/3 {
			_, n := utf8.DecodeRuneInString(text[at:])
			at += n
			if space := strings.IndexByte(text[at:], ' '); space >= 0 {
				at += space
			}
		} else if at = strings.LastIndexByte(text[:size], ' '); at <= 0 {
			if at = strings.IndexByte(text, ' '); at <= 0 {
				break
			}
		}
		if at >= len(text) {
			break
		}
		list = append(list, text[:at])
		text = strings.TrimLeft(text[at:], " ")
	}
	if text != "" || len(list) == 0 {
		list = append(list, text)
	}
	return list
}

func lastSentences(text string) string {
	if len(text) <= contextSize {
		return text
	}
	text = text[len(text)-contextSize:]
	if at := strings.IndexByte(text, ' '); at >= 0 {
		text = text[at+1:]
	}
	return strings.ToValidUTF8(text, "")
}

func firstSentences(text string) string {
	if len(text) <= contextSize {
		return text
	}
	text = text[:contextSize]
	if at := strings.LastIndexByte(text, ' '); at >= 0 {
		text = text[:at]
	}
	return strings.ToValidUTF8(text, "")
}
