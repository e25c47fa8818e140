package harmony

import (
	"strings"
	"unicode/utf8"
)

// EventKind says what an Event is.
type EventKind string

// The kinds of events.
const (
	// TextDelta is a further piece of the text of a message: reasoning
	// (analysis), words to the user (commentary, final), or the arguments of a
	// call, as the header tells.
	TextDelta EventKind = "text"
	// MessageDone is a whole message; one with a recipient is a tool call.
	MessageDone EventKind = "message"
	// Malformed is something that is no message: Fault says what was seen. The
	// parser goes on at the next message.
	Malformed EventKind = "malformed"
)

// Event is what a Parser finds.
type Event struct {
	Kind   EventKind
	Header Header
	Text   string // the piece, or the whole text
	End    string // of a whole message: <|end|>, <|call|>, <|return|>, or "" where the completion just stopped
	Fault  *HeaderError
}

// IsCall says whether the event is a whole call of a tool.
func (e Event) IsCall() bool {
	return e.Kind == MessageDone && e.Header.Role == RoleAssistant && e.Header.Recipient != "" && e.Header.Recipient != "all"
}

const (
	maxHeader = 4096 // bytes; the longest header that is kept
	maxSeen   = 200  // bytes of what is no message that are reported
)

type state int

const (
	outside   state = iota // between messages
	inHeader               // after <|start|>
	inContent              // after <|message|>
	skipping               // in a message whose header was malformed
)

// The tokens that steer the parser in each state. In a message's text only those
// that end it count: whatever else stands there is text.
var (
	endings = []string{endToken, callToken, returnToken}
	watched = map[state][]string{
		outside: {startToken, messageToken, endToken, callToken, returnToken}, inHeader: {startToken, messageToken, endToken, callToken, returnToken},
		inContent: endings, skipping: {startToken, endToken, callToken, returnToken},
	}
)

// Parser reads a completion piece by piece, wherever the pieces are cut. A
// completion begins after <|start|>assistant, where the prompt ended; one that
// begins with <|start|> itself, or a whole conversation, is read as well.
// Invalid UTF-8 becomes U+FFFD. Use NewParser.
type Parser struct {
	state   state
	role    string // known before the header began
	pending string // not yet understood: perhaps the beginning of a token
	header  string
	current Header
	content strings.Builder
	seen    strings.Builder // what stands outside of messages
}

// NewParser expects the header of an assistant's message.
func NewParser() *Parser { return &Parser{state: inHeader, role: RoleAssistant} }

// Feed reads a piece and returns what it completed.
func (p *Parser) Feed(piece string) []Event {
	var events []Event
	p.pending += piece
	for {
		at, token := nextToken(p.pending, watched[p.state])
		if token == "" {
			break
		}
		before := p.pending[:at]
		p.pending = p.pending[at+len(token):]
		events = p.addText(events, before)
		events = p.steer(events, token)
	}
	keep := heldBack(p.pending, watched[p.state])
	ready := p.pending[:len(p.pending)-keep]
	p.pending = p.pending[len(ready):]
	return p.addText(events, ready)
}

// Close ends the completion: what is left over is text, and a message that had
// no end token is whole.
func (p *Parser) Close() []Event {
	events := p.addText(nil, p.pending)
	p.pending = ""
	switch p.state {
	case inHeader:
		if strings.TrimSpace(p.header) != "" {
			events = append(events, malformed(p.header, "the completion ended within a header, before <|message|>"))
		}
	case inContent:
		events = p.finish(events, "")
	}
	events = p.report(events)
	p.state, p.header = outside, ""
	return events
}

// addText adds plain text to what the state collects.
func (p *Parser) addText(events []Event, s string) []Event {
	if s == "" {
		return events
	}
	switch p.state {
	case outside:
		p.collect(s)
	case inHeader:
		p.header += s[:min(len(s), maxHeader+1-len(p.header))]
	case inContent:
		s = string([]rune(s)) // replaces what is no UTF-8
		p.content.WriteString(s)
		events = append(events, Event{Kind: TextDelta, Header: p.current, Text: s})
	}
	return events
}

func (p *Parser) collect(s string) {
	if p.seen.Len() == 0 {
		s = strings.TrimLeft(s, " \t\r\n")
	}
	p.seen.WriteString(s[:min(len(s), maxSeen-p.seen.Len())])
}

// steer acts on a token.
func (p *Parser) steer(events []Event, token string) []Event {
	switch {
	case p.state == inContent:
		return p.finish(events, token)
	case token == startToken:
		if p.state == inHeader && strings.TrimSpace(p.header) != "" {
			events = append(events, malformed(p.header, "the header ended with <|start|>, before <|message|>"))
		}
		events = p.report(events)
		p.state, p.role, p.header = inHeader, "", ""
	case token == messageToken && p.state == inHeader:
		return p.begin(events)
	case token == messageToken:
		p.collect(token)
	case p.state == inHeader:
		if strings.TrimSpace(p.header) != "" {
			events = append(events, malformed(p.header, "the header ended with "+token+", before <|message|>"))
		}
		p.state, p.header = outside, ""
	default: // an end where nothing is open, or that of a message that is skipped
		p.state = outside
	}
	return events
}

// begin reads the header that is now whole.
func (p *Parser) begin(events []Event) []Event {
	raw := p.header
	p.header = ""
	if len(raw) > maxHeader {
		p.state = skipping
		return append(events, malformed(raw, "the header is longer than a header can be"))
	}
	header, fault := parseHeader(string([]rune(raw)), p.role)
	if fault != nil {
		p.state = skipping
		return append(events, malformed(fault.Seen, fault.Reason))
	}
	p.state, p.current = inContent, header
	return events
}

func (p *Parser) finish(events []Event, token string) []Event {
	events = append(events, Event{Kind: MessageDone, Header: p.current, Text: p.content.String(), End: token})
	p.content.Reset()
	p.state, p.current = outside, Header{}
	return events
}

// report tells of text that stood outside of messages.
func (p *Parser) report(events []Event) []Event {
	seen := p.seen.String()
	p.seen.Reset()
	if strings.TrimSpace(seen) == "" {
		return events
	}
	return append(events, malformed(seen, "there is text outside of a message, where <|start|> was expected"))
}

func malformed(seen, reason string) Event {
	seen = string([]rune(seen[:min(len(seen), maxSeen)]))
	return Event{Kind: Malformed, Fault: &HeaderError{Seen: seen, Reason: reason}}
}

// nextToken finds the first of the tokens in s.
func nextToken(s string, tokens []string) (int, string) {
	from := 0
	for {
		at := strings.Index(s[from:], "<|")
		if at < 0 {
			return 0, ""
		}
		at += from
		for _, t := range tokens {
			if strings.HasPrefix(s[at:], t) {
				return at, t
			}
		}
		from = at + 2
	}
}

// heldBack is how many bytes at the end of s may be the beginning of a token or
// of a character.
func heldBack(s string, tokens []string) int {
	for n := min(len(s), len(constrainToken)); n > 0; n-- {
		tail := s[len(s)-n:]
		if tail[0] != '<' {
			continue
		}
		for _, t := range tokens {
			if strings.HasPrefix(t, tail) {
				return n
			}
		}
	}
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if tail := s[len(s)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRuneInString(tail) {
				return n
			}
			return 0
		}
	}
	return 0
}

// Parse reads a whole completion and returns its messages and faults, in order.
func Parse(completion string) []Event {
	p := NewParser()
	var whole []Event
	for _, e := range append(p.Feed(completion), p.Close()...) {
		if e.Kind != TextDelta {
			whole = append(whole, e)
		}
	}
	return whole
}
