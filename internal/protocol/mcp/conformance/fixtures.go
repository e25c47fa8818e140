//lint:file-ignore SA1019 the suite of 2025-11-25 asks for sampling and logging, which 2026-07-28 deprecates

// Package conformance holds the fixtures that the MCP conformance suite
// (npm @modelcontextprotocol/conformance) calls: tools, resources and prompts
// whose names and answers it prescribes. They are off unless asked for.
package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const pause = 20 * time.Millisecond // between notifications, so that they arrive one by one

// Fixtures are one server's; their tasks are kept in memory.
type Fixtures struct{ tasks tasks }

// New makes them.
func New() *Fixtures { return &Fixtures{} }

// Install adds the fixtures to a server.
func (f *Fixtures) Install(server *sdk.Server) {
	addContent(server)
	addDialogue(server)
	addChanges(server)
	addRounds(server)
	addResources(server)
	addPrompts(server)
	f.addTasks(server)
}

type handler = func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error)

var noArguments = json.RawMessage(`{"type":"object","properties":{}}`)

func add(server *sdk.Server, name, description string, h handler) {
	addWith(server, name, description, noArguments, h)
}

func addWith(server *sdk.Server, name, description string, schema json.RawMessage, h handler) {
	server.AddTool(&sdk.Tool{Name: name, Description: description, InputSchema: schema}, h)
}

func reply(content ...sdk.Content) *sdk.CallToolResult { return &sdk.CallToolResult{Content: content} }

func say(format string, args ...any) *sdk.CallToolResult {
	return reply(&sdk.TextContent{Text: fmt.Sprintf(format, args...)})
}

func always(result *sdk.CallToolResult) handler {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		copied := *result // the SDK writes into results
		return &copied, nil
	}
}

// redDot is a picture of one pixel.
func redDot() []byte {
	picture := image.NewRGBA(image.Rect(0, 0, 1, 1))
	picture.Set(0, 0, color.RGBA{255, 0, 0, 255})
	var buf bytes.Buffer
	_ = png.Encode(&buf, picture) // a buffer takes everything
	return buf.Bytes()
}

// silence is a WAV file (RIFF, PCM, mono, 8 bits at 8 kHz) without samples.
func silence() []byte {
	return []byte("RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x00\x00\x00\x00")
}

func addContent(server *sdk.Server) {
	text := &sdk.TextContent{Text: "This is a simple text response for testing."}
	picture := &sdk.ImageContent{Data: redDot(), MIMEType: "image/png"}
	embedded := &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{
		URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content.",
	}}
	add(server, "test_simple_text", "Answers with a text.", always(reply(text)))
	add(server, "test_image_content", "Answers with a picture.", always(reply(picture)))
	add(server, "test_audio_content", "Answers with a sound.", always(reply(&sdk.AudioContent{Data: silence(), MIMEType: "audio/wav"})))
	add(server, "test_embedded_resource", "Answers with a resource.", always(reply(embedded)))
	add(server, "test_multiple_content_types", "Answers with a text, a picture and a resource.", always(reply(text, picture, embedded)))
	add(server, "test_error_handling", "Fails.", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		failed := say("This tool intentionally returns an error for testing")
		failed.IsError = true
		return failed, nil
	})
	addWith(server, "json_schema_2020_12_tool", "Has a schema with the newer keywords, which must arrive untouched.", modernSchema,
		func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return say("called with %s", req.Params.Arguments), nil
		})
	addWith(server, "test_x_mcp_header", "Has an argument that is mirrored into a header.",
		json.RawMessage(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`),
		func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return say("called with %s", req.Params.Arguments), nil
		})
}

var modernSchema = json.RawMessage(`{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
	"properties": {
		"name": {"type": "string"},
		"address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"},
		"email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]},
	"else": {"required": ["email"]},
	"additionalProperties": false
}`)

// addDialogue adds the tools that talk to the client while they run.
func addDialogue(server *sdk.Server) {
	add(server, "test_tool_with_logging", "Logs three lines.", func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			if err := req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: line}); err != nil {
				return nil, err
			}
			time.Sleep(pause)
		}
		return say("logged"), nil
	})
	add(server, "test_logging_tool", "Logs a line, if the client wants it.", func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return say("logged where a level was set"), req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: "a line"})
	})
	add(server, "test_tool_with_progress", "Reports progress three times.", func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		token := req.Params.GetProgressToken()
		for _, at := range []float64{0, 50, 100} {
			if token != nil {
				p := &sdk.ProgressNotificationParams{ProgressToken: token, Progress: at, Total: 100}
				if err := req.Session.NotifyProgress(ctx, p); err != nil {
					return nil, err
				}
			}
			time.Sleep(pause)
		}
		return say("%v", token), nil
	})
	add(server, "test_streaming_elicitation", "Answers on a stream that carries no requests.", always(say("no requests")))
	add(server, "test_reconnection", "Closes its stream before it answers.", func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if req.Extra != nil && req.Extra.CloseSSEStream != nil {
			req.Extra.CloseSSEStream(sdk.CloseSSEStreamArgs{RetryAfter: pause})
		}
		time.Sleep(5 * pause)
		return say("the client came back"), nil
	})
	addWith(server, "test_sampling", "Asks the client's model.", json.RawMessage(`{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`), sample)
	addWith(server, "test_elicitation", "Asks the client's user.", json.RawMessage(`{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`), elicit)
	add(server, "test_elicitation_sep1034_defaults", "Asks with defaults.", ask("Values with defaults", defaultsSchema))
	add(server, "test_elicitation_sep1330_enums", "Asks with choices.", ask("Choices", choicesSchema))
}

func sample(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var in struct {
		Prompt string `json:"prompt"`
	}
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, err
	}
	answer, err := req.Session.CreateMessage(ctx, &sdk.CreateMessageParams{
		Messages:  []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: in.Prompt}}},
		MaxTokens: 100,
	})
	if err != nil {
		return nil, err
	}
	text, _ := answer.Content.(*sdk.TextContent)
	if text == nil {
		text = &sdk.TextContent{}
	}
	return say("LLM response: %s", text.Text), nil
}

func elicit(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var in struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, err
	}
	return ask(in.Message, json.RawMessage(`{"type":"object","properties":{"username":{"type":"string"}},"required":["username"]}`))(ctx, req)
}

func ask(message string, schema json.RawMessage) handler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		answer, err := req.Session.Elicit(ctx, &sdk.ElicitParams{Message: message, RequestedSchema: schema})
		if err != nil {
			return nil, err
		}
		return say("Elicitation completed: action=%s, content=%v", answer.Action, answer.Content), nil
	}
}

var defaultsSchema = json.RawMessage(`{"type":"object","properties":{
	"name":{"type":"string","default":"John Doe"},
	"age":{"type":"integer","default":30},
	"score":{"type":"number","default":95.5},
	"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},
	"verified":{"type":"boolean","default":true}}}`)

var choicesSchema = json.RawMessage(`{"type":"object","properties":{
	"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
	"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First"},{"const":"value2","title":"Second"},{"const":"value3","title":"Third"}]},
	"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["One","Two","Three"]},
	"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
	"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First"},{"const":"value2","title":"Second"},{"const":"value3","title":"Third"}]}}}}`)

// addChanges adds the tools that change what the server lists.
func addChanges(server *sdk.Server) {
	add(server, "test_trigger_tool_change", "Changes the list of tools.", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		add(server, "test_transient_tool", "Comes with a change of the list.", always(say("here")))
		return say("changed"), nil
	})
	add(server, "test_trigger_prompt_change", "Changes the list of prompts.", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		addPrompt(server, &sdk.Prompt{Name: "test_transient_prompt", Description: "Comes with a change of the list."}, func(map[string]string) []sdk.Content {
			return []sdk.Content{&sdk.TextContent{Text: "here"}}
		})
		return say("changed"), nil
	})
	add(server, "test_missing_capability", "Needs a client that can sample.", func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if c := req.ClientCapabilities(); c != nil && c.Sampling != nil {
			return say("the client can sample"), nil
		}
		return nil, &jsonrpc.Error{
			Code: sdk.CodeMissingRequiredClientCapabilities, Message: "this tool needs the client capability sampling",
			Data: json.RawMessage(`{"requiredCapabilities":{"sampling":{}}}`),
		}
	})
}
