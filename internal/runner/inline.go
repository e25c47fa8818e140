package runner

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/evidence"
	"atelier/internal/jsonvalue"
	"atelier/internal/store"
)

// inlinePrefix begins the reference of a content that stood in the call itself,
// before the JSON pointer of its argument.
const inlinePrefix = "inline:"

// shortestInline is how long a text of a call is, in bytes, that may be the content
// of a file; a shorter one says too little to tell where it comes from.
const shortestInline = 64

// inline are the texts among the arguments of a call that are the content of a
// file which a job has made, as they are or in base64. Others are the caller's own.
func (f *jobFiles) inline(ctx context.Context, input []byte) ([]evidence.Input, error) {
	if f.Source == nil || !hasLongText(input) {
		return nil, nil
	}
	var arguments any
	if err := json.Unmarshal(input, &arguments); err != nil {
		return nil, nil // no tool could have read it
	}
	var inputs []evidence.Input
	err := eachText(arguments, func(pointer, text string) error {
		contents := textContents(text)
		made, err := f.maker(ctx, contents, nil)
		if err != nil || made == nil {
			return err
		}
		in := evidence.Input{Reference: inlinePrefix + pointer, SHA256: contents[0].SHA256}
		describe(&in, made)
		inputs = append(inputs, in)
		return nil
	})
	return inputs, err
}

// eachText calls found with every text that is long enough, in a fixed order.
func eachText(v any, found func(pointer, text string) error) error {
	return jsonvalue.Walk(v, func(pointer string, v any) error {
		if text, ok := v.(string); ok && len(text) >= shortestInline {
			return found(pointer, text)
		}
		return nil
	})
}

// hasLongText says whether a JSON text has a string that may be long enough. Most
// calls have none, and need not be decoded for it.
func hasLongText(input []byte) bool {
	begun := -1
	for i := 0; i < len(input); i++ {
		switch {
		case input[i] == '\\':
			i++
		case input[i] != '"':
		case begun < 0:
			begun = i + 1
		case i-begun >= shortestInline:
			return true
		default:
			begun = -1
		}
	}
	return false
}

// textContents are what a text is known by: itself, as it may have looked before it
// was pasted (line ends, space at the ends, a fence of Markdown) and, where it may be
// base64, what that stands for.
func textContents(text string) []store.Content {
	var contents []store.Content
	for _, form := range forms(text) {
		known, _ := store.Contents(strings.NewReader(form)) // memory can be read
		contents = append(contents, known...)
	}
	if raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text)); err == nil {
		more, _ := store.Contents(bytes.NewReader(raw))
		contents = append(contents, more...)
	}
	return contents
}

var fenced = regexp.MustCompile("(?s)^\\s*```[^\n]*\n(.*?)\n?```\\s*$")

// forms are a text and what else its file may have held, without repeats.
func forms(text string) []string {
	out := []string{text}
	add := func(form string) {
		if len(form) >= shortestInline && !slices.Contains(out, form) {
			out = append(out, form)
		}
	}
	plain := strings.ReplaceAll(text, "\r\n", "\n")
	if m := fenced.FindStringSubmatch(plain); m != nil {
		plain = m[1]
	}
	plain = strings.TrimRight(plain, " \t\n")
	for _, line := range []string{plain, strings.TrimLeft(plain, "\n")} {
		add(line)
		add(line + "\n")
		add(strings.ReplaceAll(line+"\n", "\n", "\r\n"))
	}
	return out
}
