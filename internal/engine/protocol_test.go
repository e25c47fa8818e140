package engine

import (
	"errors"
	"strings"
	"testing"

	"atelier/internal/contract"
)

// heard is what the host makes of the one line of an engine: its answer, or why
// the line is none.
func heard(line string) (*Reply, string) {
	c := &conversation{report: func(contract.Event) {}, text: newTailBuffer(1000), answer: func() {}}
	c.line([]byte(line + "\n"))
	if c.final == nil {
		return nil, c.misread
	}
	r, err := c.final.reply()
	if err != nil {
		return nil, err.Error()
	}
	return r, ""
}

// Names are compared exactly and stand once (RFC 8259 sections 4 and 8.3), and what
// is of another kind is told with its place, the index in a list included.
func TestALineIsReadInOneWay(t *testing.T) {
	for line, want := range map[string]string{
		`{"type":"result","output":{"A":1,"a":2},"artifacts":[{"name":"p.csv"}],"warnings":[{"code":"c","message":"m"}],"extra":1}`: "",
		`{"type":"result","output":{},"artifacts":null,"warnings":null}`:                                                            "",
		`{"type":"log","Type":"result","output":{}}`:                                                                                `the unknown field "Type". Did you mean "type"?`,
		`{"type":"result","output":1,"Output":2}`:                                                                                   `the unknown field "Output". Did you mean "output"?`,
		`{"type":"result","output":1,"output":2}`:                                                                                   "/output stands twice",
		`{"type":"result","output":{},"warnings":["careful"]}`:                                                                      "/warnings/0 is a string; an object is expected",
		`{"type":"result","output":{},"warnings":5}`:                                                                                "/warnings is a number; a list is expected",
		`{"type":"result","output":{},"artifacts":[{"name":"a"},"p.csv"]}`:                                                          "/artifacts/1 is a string; an object is expected",
		`{"type":"result","output":{},"artifacts":[{"Name":"a"}]}`:                                                                  `/artifacts/0 has the unknown field "Name". Did you mean "name"?`,
		`{"type":"result","summary":[]}`:                                                                                            "line 1 of what it wrote does not fit the protocol: /summary is an array; a text is expected",
		"\ufeff" + `{"type":"result","output":{}}`:                                                                                  "line 1 of what it wrote is no JSON: it begins with a byte order mark",
		"\xff\xfe{\x00": "UTF-16",
	} {
		r, why := heard(line)
		if (r == nil) != (want != "") || !strings.Contains(why, want) {
			t.Errorf("%q: %+v %q, want %q", line, r, why, want)
		}
	}
}

// An error that the engine itself answers can be told from one of the host's.
func TestAnEnginesOwnErrorIsKnown(t *testing.T) {
	c := &conversation{report: func(contract.Event) {}, text: newTailBuffer(1000), answer: func() {}}
	const line = `{"type":"error","code":"unknown_tool","message":"none"}`
	c.line([]byte(line))
	var said *Said
	if err := c.final.failure(); !errors.As(error(err), &said) || string(said.Line) != line || said.Code != "unknown_tool" || err.Message != "none" {
		t.Errorf("%+v", err)
	}
}
