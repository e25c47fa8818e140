// Package harmony speaks the Harmony response format of the gpt-oss models: it
// renders the tools as SystemContent.with_tools does (byte for byte as
// openai-harmony 0.0.8), reads the tool calls of a raw completion, runs them,
// and renders the tools' answers, so that a plain completion endpoint can drive
// the tools. Everything is text: special tokens stand in it as <|start|> and so
// on, as completion endpoints take and give them. No vocabulary is needed.
//
// Harmony shows a model neither limits nor $ref, anyOf and const of a schema; they
// are put into the descriptions before anything is rendered (package schema).
package harmony

// The special tokens, as text.
const (
	startToken     = "<|start|>"
	endToken       = "<|end|>"
	messageToken   = "<|message|>"
	channelToken   = "<|channel|>"
	constrainToken = "<|constrain|>"
	callToken      = "<|call|>"
	returnToken    = "<|return|>"
)

// NextTurn is where the assistant's next message begins: what a completion
// endpoint is to go on from.
const NextTurn = startToken + RoleAssistant

// StopToken is where a completion endpoint must stop.
type StopToken struct {
	Text string `json:"text"`
	ID   int    `json:"id"` // in the vocabulary o200k_harmony
}

// StopTokens end an assistant's turn: the final answer, or a call to a tool.
func StopTokens() []StopToken { return []StopToken{{returnToken, 200002}, {callToken, 200012}} }
