package agent

import (
	"encoding/json"
	"fmt"
	"regexp"

	"atelier/internal/contract"
	"atelier/internal/llm"
)

// DefaultWindow is how many tokens a model is taken to read at once where nobody says: that of
// small local ones.
const DefaultWindow = 8192

// bytesPerToken is cautious for JSON and English: o200k_base has 3.3 to 4.5 in the contracts
// and results of this program.
const bytesPerToken = 3

// room is how many bytes of a model's window are for what.
type room struct {
	state   int // the state of a session
	history int // earlier messages of a session
	results int // all results of this answer together
	result  int // one of them
}

// leastResult is the room of one result however full the window is, in bytes.
const leastResult = 2 << 10

func (l *Loop) window() int {
	if l.Window > 0 {
		return l.Window
	}
	return DefaultWindow
}

// shares are the room of a session's messages, before the tools are known.
func (l *Loop) shares() room {
	all := l.window() * bytesPerToken
	return room{state: min(all/8, maxState), history: all / 8}
}

// room is what the tools and the conversation leave, less an eighth for the reply. Where these
// alone fill the window it is taken to be twice as large as they are: a caller who shows more
// tools than fit knows of a larger one.
func (x *turn) room() room {
	all, given := x.loop.window()*bytesPerToken, size(x.tools())+size(x.conversation.Messages)
	if all-all/8-given < 3*leastResult {
		all = 2 * given
	}
	r := x.loop.shares()
	r.results = max(all-all/8-given, 3*leastResult)
	r.result = max(r.results/3, leastResult)
	return r
}

func size(v any) int {
	raw, _ := json.Marshal(v) // tools and messages are JSON
	return len(raw)
}

// overlong is how endpoints say that a request does not fit their model's window.
var overlong = regexp.MustCompile(`(?i)context|token|too (long|large|many)|maximum length`)

// explain adds to the refusal of a request that does not fit what it was made of, and what
// can be left out.
func (x *turn) explain(err error) error {
	fault := contract.AsError(err)
	if fault.Code != contract.CodeModelRefused || !overlong.MatchString(fault.Message) {
		return err
	}
	e := *fault
	tools, messages := size(x.tools()), size(x.conversation.Messages)
	results := size(recent(x.script.Added, x.room().results))
	return e.WithHint("The request had about %s: %s of tools, %s of messages, %s of results. "+
		"Show the model fewer tools (--toolset standard, server_tools or ?family=), shorten the messages, or say with --model-window how many tokens it reads (%d now).",
		tokens(tools+messages+results), tokens(tools), tokens(messages), tokens(results), x.loop.window())
}

// tokens says roughly how many a text has.
func tokens(bytes int) string { return fmt.Sprintf("%d tokens", bytes/4) }

// fitting are the last messages that have room, at least the last one.
func fitting(list []llm.Message, most int) []llm.Message {
	first := len(list)
	for first > 0 {
		if most -= len(list[first-1].Content); most < 0 && first < len(list) {
			break
		}
		first--
	}
	return list[first:]
}
