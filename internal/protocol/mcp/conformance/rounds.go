//lint:file-ignore SA1019 the suite asks for sampling and roots, which 2026-07-28 deprecates

package conformance

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Calls of several rounds (SEP-2322): a call that needs input is answered with
// what it asks for, and made again with the answers. What a round must remember
// travels with the client, signed.

var stateKey = []byte(rand.Text())

func sign(state string) string {
	mac := hmac.New(sha256.New, stateKey)
	mac.Write([]byte(state))
	return state + "." + hex.EncodeToString(mac.Sum(nil))
}

// signed returns the state behind a signature, or the refusal of a changed one.
func signed(given string) (string, error) {
	at := strings.LastIndexByte(given, '.')
	if at < 0 || !hmac.Equal([]byte(sign(given[:at])), []byte(given)) {
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the requestState is not one that this server gave"}
	}
	return given[:at], nil
}

func askFor(state string, requests sdk.InputRequestMap) *sdk.CallToolResult {
	if state != "" {
		state = sign(state)
	}
	return &sdk.CallToolResult{InputRequests: requests, RequestState: state}
}

func question(message, field string) *sdk.ElicitParams {
	kind := "string"
	if field == "ok" || field == "confirm" {
		kind = "boolean"
	}
	schema, _ := json.Marshal(map[string]any{ // strings only
		"type": "object", "properties": map[string]any{field: map[string]string{"type": kind}}, "required": []string{field},
	})
	return &sdk.ElicitParams{Message: message, RequestedSchema: json.RawMessage(schema)}
}

// accepted is what the user has entered; nil when he has not.
func accepted(responses sdk.InputResponseMap, key string) map[string]any {
	if answer, ok := responses[key].(*sdk.ElicitResult); ok && answer.Action == "accept" {
		return answer.Content
	}
	return nil
}

func sampled(responses sdk.InputResponseMap, key string) (string, bool) {
	answer, ok := responses[key].(*sdk.CreateMessageWithToolsResult)
	if !ok {
		return "", false
	}
	for _, c := range answer.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			return text.Text, true
		}
	}
	return "", true
}

func sampling(prompt string) *sdk.CreateMessageParams {
	return &sdk.CreateMessageParams{
		Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: prompt}}}, MaxTokens: 50,
	}
}

func addRounds(server *sdk.Server) {
	const prefix = "test_input_required_result_"
	round := func(name, description string, h func(*sdk.CallToolRequest, sdk.InputResponseMap) (*sdk.CallToolResult, error)) {
		add(server, prefix+name, description, func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return h(req, req.Params.InputResponses)
		})
	}
	round("elicitation", "Asks for a name.", func(_ *sdk.CallToolRequest, in sdk.InputResponseMap) (*sdk.CallToolResult, error) {
		if name, _ := accepted(in, "user_name")["name"].(string); name != "" {
			return say("Hello, %s!", name), nil
		}
		return askFor("", sdk.InputRequestMap{"user_name": question("What is your name?", "name")}), nil
	})
	round("sampling", "Asks the client's model.", func(_ *sdk.CallToolRequest, in sdk.InputResponseMap) (*sdk.CallToolResult, error) {
		if text, ok := sampled(in, "capital_question"); ok {
			return say("The model says: %s", text), nil
		}
		return askFor("", sdk.InputRequestMap{"capital_question": sampling("What is the capital of France?")}), nil
	})
	round("list_roots", "Asks for the client's roots.", func(_ *sdk.CallToolRequest, in sdk.InputResponseMap) (*sdk.CallToolResult, error) {
		if roots, ok := in["client_roots"].(*sdk.ListRootsResult); ok {
			return say("The client has %d root(s).", len(roots.Roots)), nil
		}
		return askFor("", sdk.InputRequestMap{"client_roots": &sdk.ListRootsParams{}}), nil
	})
	round("request_state", "Remembers something with the client.", confirmed)
	round("tampered_state", "Refuses a memory that was changed.", confirmed)
	round("multiple_inputs", "Asks for three things at once.", threeThings)
	round("multi_round", "Asks twice.", twoRounds)
	round("capabilities", "Asks only for what the client can give.", capable)
	server.AddPrompt(&sdk.Prompt{Name: prefix + "prompt", Description: "Asks for a context."}, func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		given := accepted(req.Params.InputResponses, "user_context")
		if given == nil {
			return &sdk.GetPromptResult{InputRequests: sdk.InputRequestMap{"user_context": question("In which context?", "context")}}, nil
		}
		text, _ := given["context"].(string)
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Context: " + text}}}}, nil
	})
}

func confirmed(req *sdk.CallToolRequest, in sdk.InputResponseMap) (*sdk.CallToolResult, error) {
	if req.Params.RequestState != "" {
		if _, err := signed(req.Params.RequestState); err != nil {
			return nil, err
		}
		if accepted(in, "confirm") != nil {
			return say("state-ok"), nil
		}
	}
	return askFor("confirm", sdk.InputRequestMap{"confirm": question("Go on?", "ok")}), nil
}

func threeThings(_ *sdk.CallToolRequest, in sdk.InputResponseMap) (*sdk.CallToolResult, error) {
	name, _ := accepted(in, "user_name")["name"].(string)
	greeting, greeted := sampled(in, "greeting")
	roots, rooted := in["client_roots"].(*sdk.ListRootsResult)
	if name != "" && greeted && rooted {
		return say("%s %s, with %d root(s)", greeting, name, len(roots.Roots)), nil
	}
	return askFor("three", sdk.InputRequestMap{
		"user_name": question("What is your name?", "name"), "greeting": sampling("Greet somebody."), "client_roots": &sdk.ListRootsParams{},
	}), nil
}

func twoRounds(req *sdk.CallToolRequest, in sdk.InputResponseMap) (*sdk.CallToolResult, error) {
	if req.Params.RequestState == "" {
		return askFor("first", sdk.InputRequestMap{"step1": question("Step 1: your name?", "name")}), nil
	}
	state, err := signed(req.Params.RequestState)
	if err != nil {
		return nil, err
	}
	if name, second := strings.CutPrefix(state, "second:"); second {
		colour, _ := accepted(in, "step2")["color"].(string)
		return say("%s likes %s", name, colour), nil
	}
	name, _ := accepted(in, "step1")["name"].(string)
	return askFor("second:"+name, sdk.InputRequestMap{"step2": question("Step 2: your favourite colour?", "color")}), nil
}

func capable(req *sdk.CallToolRequest, in sdk.InputResponseMap) (*sdk.CallToolResult, error) {
	if len(in) > 0 {
		return say("all that was asked for has come"), nil
	}
	requests := sdk.InputRequestMap{}
	if c := req.ClientCapabilities(); c != nil {
		if c.Elicitation != nil {
			requests["user_name"] = question("What is your name?", "name")
		}
		if c.Sampling != nil {
			requests["greeting"] = sampling("Greet somebody.")
		}
		if c.RootsV2 != nil {
			requests["client_roots"] = &sdk.ListRootsParams{}
		}
	}
	if len(requests) == 0 {
		return say("the client can be asked for nothing"), nil
	}
	return askFor("", requests), nil
}
