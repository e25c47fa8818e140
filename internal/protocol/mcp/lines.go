package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// lineFilter stands between a client's lines and the SDK, which ends the whole
// connection at a line that is no message. What is none is answered here, and the
// SDK sees single messages only: batches, which revision 2025-03-26 asks a server
// to take, are divided, and their responses joined again.
type lineFilter struct {
	in      *bufio.Reader
	closeIn func() error
	most    int    // bytes of a line
	pending []byte // of lines that the SDK has not read yet
	refusal func(message) (code int64, text string)

	mu      sync.Mutex // one line is written at a time
	out     io.WriteCloser
	waiting map[string]*batch // by the id of a call without a response; nil of one that came alone
}

// batch gathers the responses of calls that came together.
type batch struct {
	open      int
	responses []json.RawMessage
}

// largestID is the largest whole number that every JSON reader keeps exactly.
const largestID = 1 << 53

func newLineFilter(in io.ReadCloser, out io.WriteCloser, most int) *lineFilter {
	return &lineFilter{in: bufio.NewReader(in), closeIn: in.Close, most: most, out: out, waiting: map[string]*batch{}, refusal: func(message) (int64, string) { return 0, "" }}
}

// reader and writer are the two ends that the SDK gets.
func (f *lineFilter) reader() io.ReadCloser  { return lineReader{f} }
func (f *lineFilter) writer() io.WriteCloser { return lineWriter{f} }

type lineReader struct{ *lineFilter }

// Read gives what is valid, line by line.
func (r lineReader) Read(p []byte) (int, error) {
	for len(r.pending) == 0 {
		line, tooLong, err := r.line()
		switch {
		case tooLong:
			err = r.answer(faultOf(nil, jsonrpc.CodeInvalidRequest, "a message is larger than %d bytes; send large files by POST /v1/files and name them as file:<id>", r.most))
		case len(line) > 0:
			err = errors.Join(r.take(line), unlessEnd(err))
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, r.pending)
	r.pending = r.pending[n:]
	return n, nil
}

// unlessEnd leaves the end of the input to the next read: the last line may have
// no line break.
func unlessEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (r lineReader) Close() error { return r.closeIn() }

// line reads up to the next line break; of one that is too long nothing is kept.
func (f *lineFilter) line() (line []byte, tooLong bool, err error) {
	for {
		var part []byte
		part, err = f.in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > f.most+1; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), tooLong, err
		}
	}
}

// take passes a line on, or answers it.
func (f *lineFilter) take(line []byte) error {
	if line[0] != '[' {
		m := admit(line, theLine)
		f.mu.Lock()
		m = f.enter(m, nil)
		f.mu.Unlock()
		if m.fault != nil {
			return f.answer(m.fault)
		}
		f.pass(line)
		return nil
	}
	var messages []json.RawMessage
	switch err := json.Unmarshal(line, &messages); {
	case err != nil:
		return f.answer(notJSON(line, theLine))
	case len(messages) == 0:
		return f.answer(faultOf(nil, jsonrpc.CodeInvalidRequest, "the batch is empty; write each message as one JSON object on a line of its own"))
	}
	return f.takeBatch(messages)
}

// enter notes a call until its response comes. Another one with its id is refused: the
// SDK would leave it without an answer, as nobody could tell the two responses apart.
func (f *lineFilter) enter(m judged, b *batch) judged {
	if m.fault != nil || m.id == "" {
		return m
	}
	if code, text := f.refusal(m.message()); text != "" { // answered at once, it is never without a response
		return m.refuse(code, "%s", text)
	}
	if _, twice := f.waiting[m.id]; twice {
		return m.refuse(jsonrpc.CodeInvalidRequest, "another call with this id has no response yet; give each call an id of its own")
	}
	f.waiting[m.id] = b
	return m
}

// forget is for a call that gets no response.
func (f *lineFilter) forget(id json.RawMessage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.waiting[sameID(id)]
	delete(f.waiting, sameID(id))
	if b == nil {
		return
	}
	if b.open--; b.open == 0 && len(b.responses) > 0 {
		_, _ = f.out.Write(append(b.joined(), '\n')) // the reader finds out that nobody listens
	}
}

func (f *lineFilter) takeBatch(messages []json.RawMessage) error {
	b := &batch{}
	f.mu.Lock()
	for _, raw := range messages {
		m := f.enter(admit(raw, "the message"), b)
		if m.fault != nil {
			b.responses = append(b.responses, m.fault)
			continue
		}
		if m.id != "" {
			b.open++
		}
		f.pass(raw)
	}
	f.mu.Unlock()
	if b.open > 0 || len(b.responses) == 0 {
		return nil
	}
	return f.answer(b.joined())
}

// joined is the answer to the batch.
func (b *batch) joined() []byte {
	all, _ := json.Marshal(b.responses) // each of them is JSON
	return all
}

// pass hands a message to the SDK, without line breaks of its own.
func (f *lineFilter) pass(message []byte) {
	f.pending = append(append(f.pending, message...), '\n')
}

func (f *lineFilter) answer(line []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.out.Write(append(line, '\n'))
	return err
}

type lineWriter struct{ *lineFilter }

// Write takes one line of the SDK, and keeps the response to a call of a batch
// until all of them are there.
func (w lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	line := p
	id := responseID(p)
	b := w.waiting[id]
	delete(w.waiting, id)
	if b != nil {
		b.responses = append(b.responses, bytes.TrimSpace(bytes.Clone(p)))
		if b.open--; b.open > 0 {
			return len(p), nil
		}
		line = append(b.joined(), '\n')
	}
	if _, err := w.out.Write(line); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (w lineWriter) Close() error { return w.out.Close() }

// responseID is the id of a response, as judge writes it; "" for other messages.
func responseID(line []byte) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(line, &fields) != nil || fields["method"] != nil {
		return ""
	}
	return sameID(fields["id"])
}

// admit is judge for the SDK's reader of lines, for which the connection is at its
// end with a line that it cannot read.
func admit(value []byte, subject string) judged {
	m := judge(value, subject)
	if m.fault == nil {
		if _, err := jsonrpc.DecodeMessage(value); err != nil {
			return m.refuse(jsonrpc.CodeInvalidRequest, "the message is neither a call nor a response")
		}
	}
	return m
}
