package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/llm"
	"atelier/internal/store"
)

// inputItem is an item of a response's input; the schema has seen to it that
// what its type needs is there.
type inputItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

// readInput turns input into messages for the model, and into items with ids
// for GET …/input_items.
func readInput(raw json.RawMessage) (messages []llm.Message, items []json.RawMessage, err error) {
	if len(noNull(raw)) == 0 {
		return nil, []json.RawMessage{}, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw, _ = json.Marshal([]inputItem{{Type: "message", Role: "user", Content: llm.Text("", text).Content}}) // strings always encode
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, nil, contract.Errorf(contract.CodeInvalidRequest, "input is neither a string nor a list").At("/input")
	}
	items = []json.RawMessage{}
	for i, one := range list {
		var it inputItem
		at := fmt.Sprintf("/input/%d", i)
		if fault := contract.Part(one, &it, true, at); fault != nil {
			return nil, nil, fault
		}
		for name, content := range map[string]json.RawMessage{"content": it.Content, "output": it.Output} {
			if !strings.HasPrefix(string(content), "[") {
				continue
			}
			if fault := contract.Part(content, new([]inputPart), true, at+"/"+name); fault != nil && fault.Expected == "" { // parts of other kinds go to the model as they are
				return nil, nil, fault
			}
		}
		if messages, err = it.append(messages); err != nil {
			return nil, nil, err
		}
		items = append(items, it.stored(one))
	}
	return messages, items, nil
}

// append adds the item to a conversation. Calls that follow each other belong to
// one message of the assistant's.
func (it inputItem) append(messages []llm.Message) ([]llm.Message, error) {
	switch it.Type {
	case "function_call":
		return appendCall(messages, it.CallID, it.Name, it.Arguments), nil
	case "function_call_output":
		return append(messages, llm.Message{Role: "tool", ToolCallID: it.CallID, Content: chatContent(it.Output)}), nil
	case "mcp_call":
		id := it.ID
		if id == "" {
			id = store.NewID("call_")
		}
		messages = appendCall(messages, id, strings.ReplaceAll(it.Name, ".", "_"), it.Arguments)
		var output string
		_ = json.Unmarshal(it.Output, &output) // null where the call failed
		return append(messages, llm.ToolOutput(id, output)), nil
	case "reasoning":
		return messages, nil // a model of another endpoint cannot read it
	}
	role := it.Role
	if role == "developer" { // few endpoints know it
		role = "system"
	}
	return append(messages, llm.Message{Role: role, Content: chatContent(it.Content)}), nil
}

func appendCall(messages []llm.Message, id, name, arguments string) []llm.Message {
	tc := llm.ToolCall{ID: id, Type: "function", Function: llm.FunctionCall{Name: name, Arguments: arguments}}
	if n := len(messages); n > 0 && messages[n-1].Role == "assistant" {
		messages[n-1].ToolCalls = append(messages[n-1].ToolCalls, tc)
		return messages
	}
	return append(messages, llm.Message{Role: "assistant", ToolCalls: []llm.ToolCall{tc}})
}

// inputPart is a part of the content of an item.
type inputPart struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Refusal  string `json:"refusal"`
	ImageURL string `json:"image_url"`
	Detail   string `json:"detail"`
	FileID   string `json:"file_id,omitempty"`
	FileData string `json:"file_data,omitempty"`
	Filename string `json:"filename,omitempty"`
}

// chatContent turns a response's content into that of a chat message: parts of
// text become one string, as most endpoints take nothing else; where there are
// images or files too, all parts are kept.
func chatContent(raw json.RawMessage) json.RawMessage {
	var parts []inputPart
	if json.Unmarshal(raw, &parts) != nil {
		return raw // a string
	}
	var texts []string
	var rich []any
	plain := true
	for _, p := range parts {
		switch p.Type {
		case "input_image":
			plain = false
			image := map[string]string{"url": p.ImageURL}
			if p.Detail != "" {
				image["detail"] = p.Detail
			}
			rich = append(rich, map[string]any{"type": "image_url", "image_url": image})
		case "input_file":
			plain = false
			rich = append(rich, map[string]any{"type": "file", "file": map[string]string{"file_id": p.FileID, "file_data": p.FileData, "filename": p.Filename}})
		default:
			texts = append(texts, p.Text+p.Refusal)
			rich = append(rich, map[string]string{"type": "text", "text": p.Text + p.Refusal})
		}
	}
	var content any = strings.Join(texts, "\n")
	if !plain {
		content = rich
	}
	out, _ := json.Marshal(content) // strings and maps of strings always encode
	return out
}

// stored is the item as it is listed later: with an id, and text as parts.
func (it inputItem) stored(raw json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return raw
	}
	set := func(name, value string) {
		if len(noNull(fields[name])) == 0 {
			fields[name], _ = json.Marshal(value) // a string always encodes
		}
	}
	if it.Type == "" || it.Type == "message" {
		set("type", "message")
		var text string
		if json.Unmarshal(it.Content, &text) == nil {
			kind := "input_text"
			if it.Role == "assistant" {
				kind = "output_text"
			}
			part := map[string]any{"type": kind, "text": text}
			if kind == "output_text" {
				part["annotations"] = []any{}
			}
			fields["content"], _ = json.Marshal([]any{part}) // strings always encode
		}
	}
	if it.Type != "reasoning" {
		set("status", statusCompleted)
	}
	set("id", store.NewID(idPrefix(it.Type)))
	out, err := json.Marshal(fields)
	if err != nil {
		return raw
	}
	return out
}

func idPrefix(kind string) string {
	switch kind {
	case "function_call":
		return "fc_"
	case "function_call_output":
		return "fco_"
	case "mcp_call":
		return "mcp_"
	case "reasoning":
		return "rs_"
	}
	return "msg_"
}
