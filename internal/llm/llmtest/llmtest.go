// Package llmtest is a language model for tests: a real HTTP server that
// answers chat completions by a script and writes down what it was asked.
package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"atelier/internal/llm"
)

// Step is the answer to one request.
type Step struct {
	// Text and Calls make a well-formed stream: text by words, arguments in
	// fragments of a few bytes, interleaved over the calls, then the usage.
	Text  string
	Calls []llm.FunctionCall
	// Finish is the finish reason; stop, or tool_calls where there are any.
	Finish string

	// Status, when not 0, answers with it and Raw as the body.
	Status int
	Header map[string]string
	// Raw is sent as it is; with Status 0 as an event stream.
	Raw string
	// Hold keeps the connection open after all was sent, until the client goes.
	Hold bool
	// Pause comes before every chunk.
	Pause time.Duration
	// Then, when set, makes the step of what was asked.
	Then func(Request) Step
}

// Usage is what a well-formed answer says that it cost.
var Usage = llm.Usage{Input: 11, Cached: 2, Output: 7, Reasoning: 3}

// Server is the model's endpoint.
type Server struct {
	*httptest.Server
	mu       sync.Mutex
	steps    []Step
	requests []Request
	gone     chan struct{}
}

// Request is what the model was asked.
type Request struct {
	Header     http.Header
	Model      string          `json:"model"`
	Messages   []llm.Message   `json:"messages"`
	Tools      []llm.Tool      `json:"tools"`
	ToolChoice json.RawMessage `json:"tool_choice"`
	Stream     bool            `json:"stream"`
	llm.Settings
	Raw json.RawMessage `json:"-"`
}

// Start serves the steps in their order; a request beyond the last one fails
// the test.
func Start(t testing.TB, steps ...Step) *Server {
	s := &Server{steps: steps, gone: make(chan struct{}, 16)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(t, w, r) }))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// Requests lists what was asked so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Gone is told when a client leaves an answer that is held open.
func (s *Server) Gone() <-chan struct{} { return s.gone }

func (s *Server) serve(t testing.TB, w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	asked := Request{Header: r.Header, Raw: raw}
	if err := json.Unmarshal(raw, &asked); err != nil || r.URL.Path != "/v1/chat/completions" || r.Method != http.MethodPost {
		t.Errorf("the model was asked %s %s: %v %s", r.Method, r.URL.Path, err, raw)
	}
	s.mu.Lock()
	s.requests = append(s.requests, asked)
	n := len(s.requests)
	s.mu.Unlock()
	if n > len(s.steps) {
		t.Errorf("request %d of the model is beyond the script", n)
		http.Error(w, "beyond the script", http.StatusNotFound)
		return
	}
	step := s.steps[n-1]
	if step.Then != nil {
		step = step.Then(asked)
	}
	s.play(w, r, step)
}

func (s *Server) play(w http.ResponseWriter, r *http.Request, step Step) {
	w.Header().Set("Content-Type", "text/event-stream")
	for k, v := range step.Header {
		w.Header().Set(k, v)
	}
	if step.Status != 0 {
		w.WriteHeader(step.Status)
	}
	flush := http.NewResponseController(w)
	if step.Raw != "" || step.Status != 0 {
		_, _ = io.WriteString(w, step.Raw)
		_ = flush.Flush()
	} else {
		for _, chunk := range step.chunks() {
			time.Sleep(step.Pause)
			_, _ = fmt.Fprintf(w, "data: %s\n\n", chunk)
			_ = flush.Flush()
		}
	}
	if step.Hold {
		<-r.Context().Done()
		s.gone <- struct{}{}
	}
}

func (step Step) chunks() []string {
	delta := func(format string, args ...any) string {
		return fmt.Sprintf(`{"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":%s,"finish_reason":null}]}`, fmt.Sprintf(format, args...))
	}
	list := []string{delta(`{"role":"assistant","content":null}`)}
	for _, part := range split(step.Text, 5) {
		list = append(list, delta(`{"content":%s}`, quote(part)))
	}
	var fragments [][]string
	longest := 0
	for i, c := range step.Calls {
		list = append(list, delta(`{"tool_calls":[{"index":%d,"id":"call_s%d","type":"function","function":{"name":%s,"arguments":""}}]}`, i, i, quote(c.Name)))
		parts := split(c.Arguments, 7)
		fragments = append(fragments, parts)
		longest = max(longest, len(parts))
	}
	for k := range longest {
		for i, parts := range fragments {
			if k < len(parts) {
				list = append(list, delta(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, quote(parts[k])))
			}
		}
	}
	if step.Hold {
		return list
	}
	finish := step.Finish
	if finish == "" {
		finish = "stop"
		if len(step.Calls) > 0 {
			finish = "tool_calls"
		}
	}
	return append(list, fmt.Sprintf(`{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, finish),
		fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d},"completion_tokens_details":{"reasoning_tokens":%d}}}`,
			Usage.Input, Usage.Output, Usage.Input+Usage.Output, Usage.Cached, Usage.Reasoning), "[DONE]")
}

func split(text string, size int) []string {
	var parts []string
	runes := []rune(text)
	for i := 0; i < len(runes); i += size {
		parts = append(parts, string(runes[i:min(i+size, len(runes))]))
	}
	return parts
}

func quote(s string) string {
	raw, _ := json.Marshal(s) // a string always encodes
	return string(raw)
}
