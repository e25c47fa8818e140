package harmony

import "atelier/internal/protocol/httpapi"

func promptDoc() *httpapi.Operation {
	param := func(name, description, schema string, example any) httpapi.Parameter {
		return httpapi.Parameter{Name: name, In: "query", Description: description, Schema: httpapi.Schema(schema), Example: example}
	}
	answer := httpapi.JSONBody("The prompt: its messages as text, and what a program needs beside them.", httpapi.Ref("HarmonyPrompt"))
	answer.Content["text/plain"] = httpapi.Media{Schema: httpapi.Schema(`{"type":"string"}`)}
	answer.Headers = map[string]string{"Vary": "Accept"}
	return &httpapi.Operation{
		ID: "getHarmonyPrompt", Tag: "Harmony", Summary: "The tools as the prompt of a gpt-oss model",
		Description: "The system and the developer message of a Harmony conversation that shows the tools, rendered as openai-harmony 0.0.8 does. " +
			"Tools whose engine is missing are left out. With Accept: text/plain the two messages alone.",
		Parameters: append(httpapi.SelectionParameters(),
			param("role", "The message that shows the tools.", `{"type":"string","enum":["system","developer"],"default":"system"}`, "system"),
			param("reasoning", "How much the model is to reason.", `{"type":"string","enum":["low","medium","high"],"default":"medium"}`, "high"),
			param("date", "The current date, which the system message then names.", `{"type":"string","format":"date"}`, "2026-01-31"),
		),
		Responses: map[int]httpapi.Body{200: answer},
		Errors:    []int{400},
	}
}

func callsDoc() *httpapi.Operation {
	request := httpapi.JSONBody("A completion, as the endpoint gave it.", httpapi.Ref("HarmonyCompletion"))
	request.Content["application/json"] = httpapi.Media{Schema: httpapi.Ref("HarmonyCompletion"), Examples: map[string]any{
		"one call": map[string]string{"completion": channelToken + "commentary to=util.echo_json " + constrainToken + "json" + messageToken + `{"message":"hello"}` + callToken},
	}}
	return &httpapi.Operation{
		ID: "runHarmonyCalls", Tag: "Harmony", Summary: "Run the tool calls of a completion",
		Description: "Reads the text that a gpt-oss model wrote after <|start|>assistant, runs its tool calls in their order, and answers with their results and with the text to append to prompt and completion for the next one. " +
			"What is wrong with a call is its answer, so that the model can correct it. In the answers \"<|\" is written as \"\\u003c|\", so that no output becomes a special token.",
		Parameters: []httpapi.Parameter{httpapi.IdempotencyParameter()},
		Request:    &request,
		Responses:  map[int]httpapi.Body{200: httpapi.JSONBody("The calls and how to go on.", httpapi.Ref("HarmonyCalls"))},
		Errors:     []int{400, 404, 409, 413, 415, 429, 503},
	}
}

// Schemas implements web.Protocol.
func (s *Server) Schemas() map[string]httpapi.Schema {
	return map[string]httpapi.Schema{
		"HarmonyPrompt": httpapi.Schema(`{"type":"object","additionalProperties":false,
"required":["system","developer","instructions","next_turn","stop_tokens","names","namespaces"],"properties":{
"system":{"type":"string","description":"The system message, from <|start|> to <|end|>."},
"developer":{"type":"string","description":"The developer message."},
"instructions":{"type":"string","description":"The text of the developer message alone."},
"next_turn":{"type":"string","description":"What follows the user's message: <|start|>assistant."},
"stop_tokens":{"type":"array","description":"Where the completion must stop.","items":{"type":"object","additionalProperties":false,"required":["text","id"],"properties":{"text":{"type":"string"},"id":{"type":"integer"}}}},
"names":{"type":"object","description":"Canonical name of each tool by the name that the model sees.","additionalProperties":{"type":"string"}},
"namespaces":{"type":"array","description":"What SystemContent.with_tools of openai-harmony takes.","items":{"type":"object","additionalProperties":false,"required":["name","tools"],"properties":{"name":{"type":"string"},"description":{"type":"string"},"tools":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["name","description"],"properties":{"name":{"type":"string"},"description":{"type":"string"},"parameters":{"type":"object"}}}}}}}}}`),
		"HarmonyCompletion": httpapi.Schema(`{"type":"object","additionalProperties":false,"required":["completion"],"properties":{
"completion":{"type":"string","description":"The text after <|start|>assistant, with its special tokens as text."},
"wait_ms":{"type":["number","null"],"minimum":0,"description":"How long each call may take before its answer is that it goes on as a job; at most 120000. Default: until it ends."},
"context":{"type":["object","null"],"additionalProperties":false,"properties":{"session_id":{"type":["string","null"],"description":"The session that the calls belong to."}}}}}`),
		"HarmonyCalls": httpapi.Schema(`{"type":"object","additionalProperties":false,"required":["calls","messages","malformed","final","append"],"properties":{
"calls":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["recipient","status","arguments","output","text"],"properties":{
"recipient":{"type":"string","description":"The name as the model wrote it."},"tool":{"type":"string","description":"Canonical name."},"job_id":{"type":"string"},
"status":{"type":"string","enum":["ok","error"]},"arguments":{"type":"string"},
"output":{"type":"object","description":"status with the tool's output, or error_code, error_message and errors."},
"text":{"type":"string","description":"The tool's message to the assistant."}}}},
"messages":{"type":"array","description":"What the model said beside its calls.","items":{"type":"object","additionalProperties":false,"required":["channel","text"],"properties":{"channel":{"type":"string"},"text":{"type":"string"}}}},
"malformed":{"type":"array","description":"What could not be read.","items":{"type":"object","additionalProperties":false,"required":["seen","reason"],"properties":{"seen":{"type":"string"},"reason":{"type":"string"}}}},
"final":{"type":["string","null"],"description":"The final answer, when the completion holds it."},
"append":{"type":"string","description":"To be appended to prompt and completion; empty when there was no call."}}}`),
	}
}
