package harmony

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Forms of a call that gpt-oss models write, and what they mean. The first two
// are those of the format's own description.
func TestHeaders(t *testing.T) {
	call := Header{Role: RoleAssistant, Recipient: "notebook.finalize", Channel: ChannelCommentary}
	typed := func(contentType string) Header { h := call; h.ContentType = contentType; return h }
	for name, c := range map[string]struct {
		text string
		want Header
	}{
		"recipient before channel":  {" to=notebook.finalize<|channel|>commentary <|constrain|>json<|message|>", typed("<|constrain|>json")},
		"recipient after channel":   {"<|channel|>commentary to=notebook.finalize <|constrain|>json<|message|>", typed("<|constrain|>json")},
		"no space before constrain": {"<|channel|>commentary to=notebook.finalize<|constrain|>json<|message|>", typed("<|constrain|>json")},
		"bare content type":         {"<|channel|>commentary to=notebook.finalize json<|message|>", typed("json")},
		"no content type":           {"<|channel|>commentary to=notebook.finalize<|message|>", call},
		"whole start":               {"<|start|>assistant to=notebook.finalize<|channel|>commentary<|message|>", call},
		"role again":                {"assistant<|channel|>commentary to=notebook.finalize<|message|>", call},
		"analysis":                  {"<|channel|>analysis<|message|>", Header{Role: RoleAssistant, Channel: ChannelAnalysis}},
		"preamble":                  {"<|channel|>commentary<|message|>", Header{Role: RoleAssistant, Channel: ChannelCommentary}},
		"content type, nobody":      {"<|channel|>final <|constrain|>json<|message|>", Header{Role: RoleAssistant, Channel: ChannelFinal, ContentType: "<|constrain|>json"}},
		"no channel":                {"<|message|>", Header{Role: RoleAssistant}},
		"user":                      {"<|start|>user<|message|>", Header{Role: RoleUser}},
		"answer of a tool":          {"<|start|>notebook.finalize to=assistant<|channel|>commentary<|message|>", Header{Role: RoleTool, Name: "notebook.finalize", Recipient: RoleAssistant, Channel: ChannelCommentary}},
	} {
		events := Parse(c.text + "x")
		if len(events) != 1 || events[0].Kind != MessageDone || events[0].Header != c.want || events[0].Text != "x" {
			t.Errorf("%s: %+v", name, events)
		}
	}
}

func TestMalformedHeaders(t *testing.T) {
	good := "<|start|>assistant<|channel|>final<|message|>still here<|return|>"
	for name, c := range map[string]struct{ text, reason, seen string }{
		"no message token": {"<|channel|>commentary to=a.b<|call|>", "<|call|>, before <|message|>", "to=a.b"},
		"start in header":  {"<|channel|>analysis", "<|start|>, before <|message|>", "analysis"},
		"empty channel":    {"<|channel|><|message|>x<|end|>", "no channel", "<|channel|>"},
		"two channels":     {"<|channel|>analysis<|channel|>final<|message|>x<|end|>", "two channels", "final"},
		"two recipients":   {" to=a.b<|channel|>commentary to=c.d<|message|>x<|end|>", "more than one recipient", "c.d"},
		"unknown role":     {"<|start|>wizard<|message|>x<|end|>", "unknown role", "wizard"},
		"no role":          {"<|start|><|message|>x<|end|>", "no role", ""},
		"too many words":   {"<|channel|>commentary to=a.b one two three<|message|>x<|end|>", "no role, recipient", "three"},
		"too long":         {"<|channel|>" + strings.Repeat("a", 2*maxHeader) + "<|message|>x<|end|>", "longer", "aaaa"},
		"text outside":     {"<|channel|>analysis<|message|>x<|end|> stray words ", "outside of a message", "stray words"},
		"message outside":  {"<|channel|>analysis<|message|>x<|end|><|message|>y", "outside of a message", "<|message|>y"},
	} {
		var faults, finals int
		for _, e := range Parse(c.text + good) {
			switch {
			case e.Kind == Malformed:
				faults++
				if !strings.Contains(e.Fault.Reason, c.reason) || !strings.Contains(e.Fault.Seen, c.seen) {
					t.Errorf("%s: %v", name, e.Fault)
				}
			case e.Text == "still here":
				finals++
			}
		}
		if faults != 1 || finals != 1 {
			t.Errorf("%s: %d faults, and the message after it %d times", name, faults, finals)
		}
	}
	if e := Parse("<|channel|>comm"); len(e) != 1 || e[0].Kind != Malformed {
		t.Errorf("a completion that ends within a header: %+v", e)
	}
}

const completion = "<|channel|>analysis<|message|>Größe: 5 µm – <| is no token, nor is <|start|> here<|end|>" +
	"<|start|>assistant<|channel|>commentary<|message|>I add it.<|end|>\n" +
	"<|start|>assistant<|channel|>commentary to=notebook.add_dependency <|constrain|>json<|message|>{\"package\":\"torch\"}<|call|>"

// A completion reads the same wherever it is cut, and the pieces of a message
// make its text.
func TestPieces(t *testing.T) {
	whole := Parse(completion)
	if len(whole) != 3 || !whole[2].IsCall() || whole[2].Text != `{"package":"torch"}` || whole[2].End != callToken ||
		whole[0].Text != "Größe: 5 µm – <| is no token, nor is <|start|> here" {
		t.Fatalf("%+v", whole)
	}
	for size := 1; size < len(completion); size++ {
		same(t, completion, func() int { return size })
	}
	// A piece is out as soon as it cannot be part of a token.
	p := NewParser()
	p.Feed("<|channel|>final<|message|>")
	if e := p.Feed("Hello <|e"); len(e) != 1 || e[0].Text != "Hello " {
		t.Errorf("the first piece gave %+v", e)
	}
	if e := p.Feed("!"); len(e) != 1 || e[0].Text != "<|e!" {
		t.Errorf("the second piece gave %+v", e)
	}
}

// same feeds text in pieces and holds the events against those of the whole.
func same(t *testing.T, text string, size func() int) {
	t.Helper()
	p := NewParser()
	var events []Event
	for rest := text; rest != ""; {
		n := min(max(size(), 1), len(rest))
		events = append(events, p.Feed(rest[:n])...)
		rest = rest[n:]
	}
	events = append(events, p.Close()...)
	want := Parse(text)
	var deltas strings.Builder
	at := 0
	for _, e := range events {
		if e.Kind == TextDelta {
			deltas.WriteString(e.Text)
			continue
		}
		if at >= len(want) || e.Kind != want[at].Kind || e.Header != want[at].Header || e.Text != want[at].Text || e.End != want[at].End ||
			(e.Fault == nil) != (want[at].Fault == nil) || e.Fault != nil && *e.Fault != *want[at].Fault {
			t.Fatalf("%q in pieces: event %d is %+v", text, at, e)
		}
		if e.Kind == MessageDone && deltas.String() != e.Text {
			t.Fatalf("%q: the pieces make %q, the message is %q", text, deltas.String(), e.Text)
		}
		deltas.Reset()
		at++
	}
	if at != len(want) {
		t.Fatalf("%q in pieces: %d events, whole: %d", text, at, len(want))
	}
}

func FuzzParser(f *testing.F) {
	f.Add(completion, uint64(1))
	f.Add("<|start|>assistant<|start|>\xff<|mess\xe2\x82<|message|>\xe2\x82<|end|>x\xe2<|start|>", uint64(2))
	f.Add("<|channel|>commentary to=a<|constrain|>json<|message|>{}<|return|><|call|><|message|> y", uint64(3))
	f.Add(strings.Repeat("é", maxHeader)+"<|message|>"+strings.Repeat("ü<", 40), uint64(4))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 7))
		same(t, text, func() int { return 1 + r.IntN(1+int(seed%9)) })
	})
}
