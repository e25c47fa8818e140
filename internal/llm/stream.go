package llm

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"strings"

	"github.com/tmaxmax/go-sse"

	"atelier/internal/contract"
)

const maxEvent = 8 << 20 // bytes of one event; arguments of a call come in fragments

// chunk is one event of a stream, or a whole completion, where message stands
// in the place of delta.
type chunk struct {
	Choices []struct {
		Delta        piece  `json:"delta"`
		Message      *piece `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		PromptTokens        int `json:"prompt_tokens"`
		CompletionTokens    int `json:"completion_tokens"`
		PromptTokensDetails struct {
			CachedTokens int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		CompletionTokensDetails struct {
			ReasoningTokens int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	} `json:"usage"`
	Error *apiError `json:"error"`
}

type piece struct {
	Content          string     `json:"content"`
	Refusal          string     `json:"refusal"`
	ReasoningContent string     `json:"reasoning_content"`
	ToolCalls        []fragment `json:"tool_calls"`
}

type fragment struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// collector puts a reply together.
type collector struct {
	reply    Reply
	text     strings.Builder
	refusal  strings.Builder
	thoughts strings.Builder
	calls    []*call
	chunks   int
	on       func(Delta)
}

type call struct {
	index     int
	id, name  string
	arguments strings.Builder
}

// read takes a stream, or the whole completion that an endpoint sends which
// does not know how to stream.
func read(r io.Reader, contentType string, on func(Delta)) (*Reply, error) {
	c := &collector{on: on}
	if mediaType, _, _ := mime.ParseMediaType(contentType); mediaType == "application/json" {
		raw, err := io.ReadAll(io.LimitReader(r, maxEvent))
		if err != nil {
			return nil, c.broken(err)
		}
		if err := c.addChunk(string(raw)); err != nil {
			return nil, err
		}
		return c.end(true)
	}
	for event, err := range sse.Read(r, &sse.ReadConfig{MaxEventSize: maxEvent}) {
		if errors.Is(err, sse.ErrUnexpectedEOF) { // the last event lacks its blank line
			break
		}
		if err != nil {
			return nil, c.broken(err)
		}
		if strings.TrimSpace(event.Data) == "[DONE]" {
			return c.end(true)
		}
		if event.Data == "" {
			continue
		}
		if err := c.addChunk(event.Data); err != nil {
			return nil, err
		}
	}
	return c.end(false)
}

func (c *collector) broken(err error) error {
	return contract.Errorf(contract.CodeModelUnavailable, "the model's answer broke off after %d chunks: %w", c.chunks, err)
}

func (c *collector) endedEarly() error {
	return contract.Errorf(contract.CodeModelReplyInvalid, "the model's answer ended after %d chunks without a finish reason; what came last is %s",
		c.chunks, excerpt(c.last()))
}

func (c *collector) last() string {
	text := c.text.String()
	return text[max(0, len(text)-100):]
}

func (c *collector) addChunk(data string) error {
	var ch chunk
	if err := json.Unmarshal([]byte(data), &ch); err != nil {
		return contract.Errorf(contract.CodeModelReplyInvalid, "the model's endpoint sent something that is not a chunk of a chat completion (%w): %s",
			err, excerpt(data))
	}
	if ch.Error != nil {
		return contract.Errorf(contract.CodeModelUnavailable, "the model's endpoint reported an error within its answer: %s", excerpt(ch.Error.Message))
	}
	c.chunks++
	if u := ch.Usage; u != nil { // some endpoints repeat it in every chunk: the last one counts
		c.reply.Usage = Usage{u.PromptTokens, u.PromptTokensDetails.CachedTokens, u.CompletionTokens, u.CompletionTokensDetails.ReasoningTokens}
	}
	if len(ch.Choices) == 0 {
		return nil
	}
	choice := ch.Choices[0]
	delta := choice.Delta
	if choice.Message != nil {
		delta = *choice.Message
	}
	if choice.FinishReason != "" {
		c.reply.FinishReason = choice.FinishReason
	}
	c.text.WriteString(delta.Content)
	c.refusal.WriteString(delta.Refusal)
	c.thoughts.WriteString(delta.ReasoningContent)
	if d := (Delta{delta.Content, delta.Refusal, delta.ReasoningContent}); d != (Delta{}) && c.on != nil {
		c.on(d)
	}
	for i, f := range delta.ToolCalls {
		c.merge(f, i, choice.Message != nil)
	}
	return nil
}

// merge adds a fragment to its call: by index where there is one; without, a
// new id begins a call and anything else continues the last.
func (c *collector) merge(f fragment, position int, whole bool) {
	var target *call
	switch {
	case whole:
		target = c.begin(position)
	case f.Index != nil:
		for _, have := range c.calls {
			if have.index == *f.Index {
				target = have
			}
		}
		if target == nil {
			target = c.begin(*f.Index)
		}
	case f.ID != "" || len(c.calls) == 0:
		target = c.begin(len(c.calls))
	default:
		target = c.calls[len(c.calls)-1]
	}
	if f.ID != "" {
		target.id = f.ID
	}
	if f.Function.Name != "" {
		target.name = f.Function.Name
	}
	target.arguments.WriteString(f.Function.Arguments)
}

func (c *collector) begin(index int) *call {
	made := &call{index: index}
	c.calls = append(c.calls, made)
	return made
}

func (c *collector) end(marked bool) (*Reply, error) {
	if c.reply.FinishReason == "" && (!marked || c.chunks == 0) {
		return nil, c.endedEarly()
	}
	r := &c.reply
	r.Text, r.Refusal, r.Reasoning = c.text.String(), c.refusal.String(), c.thoughts.String()
	for i, have := range c.calls {
		if have.name == "" {
			return nil, contract.Errorf(contract.CodeModelReplyInvalid, "the model's tool call %d has no name: %s", i, excerpt(have.arguments.String()))
		}
		if have.id == "" { // some local servers leave it out; the history needs one
			have.id = "call_" + rand.Text()
		}
		r.ToolCalls = append(r.ToolCalls, ToolCall{ID: have.id, Type: "function", Function: FunctionCall{have.name, have.arguments.String()}})
	}
	return r, nil
}
