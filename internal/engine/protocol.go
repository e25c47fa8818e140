package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"time"

	"atelier/internal/contract"
	"atelier/internal/jsonvalue"
)

// message is one line of the protocol; which fields it has depends on its type.
type message struct {
	Type      string          `json:"type"`
	Fraction  *float64        `json:"fraction"`
	Level     string          `json:"level"`
	Message   string          `json:"message"`
	Output    json.RawMessage `json:"output"`
	Summary   string          `json:"summary"`
	Evidence  json.RawMessage `json:"evidence"`
	Artifacts json.RawMessage `json:"artifacts"`
	Metrics   map[string]any  `json:"metrics"`
	Warnings  json.RawMessage `json:"warnings"`
	Code      string          `json:"code"`
	Hint      string          `json:"hint"`
	Field     string          `json:"field"`
	Details   map[string]any  `json:"details"`

	line []byte // the whole, of a result or an error
}

// answered is what a result line holds, as it is read.
type answered struct {
	Artifacts []namedFile        `json:"artifacts"`
	Warnings  []contract.Warning `json:"warnings"`
}

// namedFile is an artifact as an engine names it.
type namedFile struct {
	Name    string   `json:"name"`
	MIME    string   `json:"mime_type"`
	Files   []string `json:"files"`
	Primary bool     `json:"primary"`
}

// conversation follows what an engine says on stdout.
type conversation struct {
	report func(contract.Event)
	text   *tailBuffer // what is not of the protocol
	answer func()      // called at the first result or error

	mu       sync.Mutex
	final    *message
	answers  int
	tooLong  bool   // a line of the protocol passed the limit
	lines    int    // on stdout so far
	misread  string // the first line that was meant for the protocol and is none of it
	lastSent time.Time
}

// reportInterval spaces progress and log events out.
const reportInterval = 100 * time.Millisecond

// follow reads lines until the end; count is told of every byte.
func (c *conversation) follow(r io.Reader, count func(int)) {
	chunk := make([]byte, 64<<10)
	var line []byte
	overlong := false
	for {
		n, err := r.Read(chunk)
		count(n)
		for part := chunk[:n]; len(part) > 0; {
			end := bytes.IndexByte(part, '\n')
			piece := part
			if end >= 0 {
				piece = part[:end+1]
			}
			part = part[len(piece):]
			switch {
			case overlong || len(line)+len(piece) > maxResultLine:
				c.spill(line, !overlong)
				c.spill(piece, false)
				line, overlong = line[:0], end < 0
			case end < 0:
				line = append(line, piece...)
			case len(line) == 0:
				c.line(piece)
			default:
				line = append(line, piece...)
				c.line(line)
				line = line[:0]
			}
		}
		if err != nil {
			if len(line) > 0 {
				c.line(line)
			}
			return
		}
	}
}

// spill gives a piece of an overlong line to the log.
func (c *conversation) spill(piece []byte, first bool) {
	if first && bytes.HasPrefix(bytes.TrimSpace(piece), []byte(`{"`)) {
		c.mu.Lock()
		c.tooLong = true
		c.mu.Unlock()
	}
	_, _ = c.text.Write(piece)
}

func (c *conversation) line(line []byte) {
	trimmed := bytes.TrimSpace(line)
	c.lines++
	var m message
	if what, hint := jsonvalue.Encoding(trimmed); what != "" && bytes.IndexByte(trimmed, '{') >= 0 {
		c.misfit("is no JSON: " + what + ". " + strings.TrimSuffix(hint, "."))
	}
	if len(trimmed) == 0 || trimmed[0] != '{' {
		_, _ = c.text.Write(line)
		return
	}
	// Names are compared exactly: a line of ours and of others' is read in one way.
	why := contract.Unfit(trimmed, reflect.TypeOf(m), jsonvalue.Rules{Open: true, Loose: true})
	if why != "" || json.Unmarshal(trimmed, &m) != nil {
		c.misfit(whyNot(trimmed, why))
		_, _ = c.text.Write(line)
		return
	}
	switch m.Type {
	case "progress", "log":
		c.event(&m)
	case "result", "error":
		c.mu.Lock()
		c.answers++
		if c.final == nil {
			m.line = bytes.Clone(trimmed)
			c.final = &m
		}
		first := c.answers == 1
		c.mu.Unlock()
		if first {
			c.answer()
		}
	case "ready": // a waiting process says that it is warm
	default:
		c.misfit(fmt.Sprintf("has the type %.40q; known are progress, log, result and error", m.Type))
		_, _ = c.text.Write(line)
	}
}

// misfit keeps what is wrong with the first line that looks like one of the
// protocol: where no answer comes, this is why.
func (c *conversation) misfit(why string) {
	if c.misread == "" {
		c.misread = fmt.Sprintf("line %d of what it wrote %s", c.lines, why)
	}
}

// notNumber are numbers that programs write and JSON lacks.
var notNumber = regexp.MustCompile(`[\[:,]\s*(-?(?:NaN|nan|Infinity|inf))\b`)

func whyNot(line []byte, why string) string {
	what, hint := jsonvalue.Syntax(line)
	if what == "" {
		return "does not fit the protocol: " + why
	}
	if found := notNumber.FindSubmatch(line); found != nil {
		return fmt.Sprintf("is no JSON: %s is no number of JSON; write null where a figure is undefined", found[1])
	}
	what, _, _ = strings.Cut(what, " (line ") // it is one line, and told already which
	return strings.TrimSuffix("is no JSON: "+what+". "+hint, ". ")
}

// event passes progress and log lines on, at most ten a second; every log line
// also stands in the log.
func (c *conversation) event(m *message) {
	if m.Type == "log" {
		_, _ = c.text.Write([]byte(m.Message + "\n"))
	}
	c.mu.Lock()
	now := time.Now()
	last := m.Fraction != nil && *m.Fraction >= 1
	pass := last || now.Sub(c.lastSent) >= reportInterval
	if pass {
		c.lastSent = now
	}
	c.mu.Unlock()
	if !pass {
		return
	}
	e := contract.Event{Type: m.Type, Level: m.Level, Message: m.Message}
	if m.Type == "progress" && m.Fraction != nil && *m.Fraction >= 0 && *m.Fraction <= 1 {
		e.Fraction = m.Fraction
	}
	if m.Type == "log" && e.Level == "" {
		e.Level = "info"
	}
	c.report(e)
}

// reply turns a result line into a Reply.
func (m *message) reply() (*Reply, error) {
	raw, err := json.Marshal(map[string]json.RawMessage{"artifacts": m.Artifacts, "warnings": m.Warnings}) // nil is null
	if err != nil {
		return nil, err
	}
	if why := contract.Unfit(raw, reflect.TypeFor[answered](), jsonvalue.Rules{Open: true, Loose: true}); why != "" {
		return nil, errors.New(why)
	}
	var a answered
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, err // what fits is read
	}
	r := &Reply{Line: m.line, Output: m.Output, Summary: m.Summary, Evidence: m.Evidence, Metrics: m.Metrics, Warnings: a.Warnings}
	for _, f := range a.Artifacts {
		if f.MIME == "" {
			f.MIME = contract.MIMEType(f.Name)
		}
		r.Artifacts = append(r.Artifacts, contract.Artifact{Name: f.Name, MIME: f.MIME, Files: f.Files, Primary: f.Primary})
	}
	return r, nil
}

// failure turns an error line into an error of the catalogue. A code that the
// catalogue lacks is kept in the details of solver_failed.
func (m *message) failure() *contract.Error {
	code := m.Code
	text := m.Message
	if text == "" {
		text = "the engine reported a failure without a message"
	}
	known := contract.Known(code)
	if !known {
		code = contract.CodeSolverFailed
	}
	e := contract.Errorf(code, "%w", &Said{Line: m.line, Code: m.Code, Message: text})
	e.Hint, e.Field = m.Hint, m.Field
	for k, v := range m.Details {
		e.With(k, v)
	}
	if !known && m.Code != "" {
		e.With("engine_code", m.Code)
	}
	return e
}
