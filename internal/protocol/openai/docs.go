package openai

import (
	"encoding/json"
	"net/http"

	"atelier/internal/protocol/web"
)

const tag = "OpenAI"

// operation fills in what all of the protocol's operations have.
func operation(op web.Operation, errors ...int) *web.Operation {
	op.Tag, op.Errors, op.ErrorSchema = tag, errors, web.Ref("OpenAIError")
	return &op
}

// callParameters are those of the two routes that run tools.
func callParameters() []web.Parameter {
	return append(web.SelectionParameters(),
		web.Parameter{Name: "Idempotency-Key", In: "header", Description: "A repeated request with the same key does not run its tools again.",
			Schema: web.Schema(`{"type":"string","maxLength":255}`)},
		web.Parameter{Name: itemsHeader, In: "header", Description: "As include: also show the calls of this server's tools as items of that type.",
			Schema: web.Schema(`{"enum":["mcp_call","function_call"]}`)},
	)
}

// answered is the body of a route that may stream.
func answered(description, schema string) web.Body {
	b := web.JSONBody(description, web.Ref(schema))
	b.Content["text/event-stream"] = web.Media{Schema: web.Schema(`{"type":"object","description":"The fields of one event, with stream: true. Data is JSON, and [DONE] at the end; lines that begin with a colon keep the connection alive.",` +
		`"properties":{"event":{"type":"string"},"data":{"type":"string"}}}`)}
	return b
}

func forcedExample(field string, value any) map[string]any {
	return map[string]any{"forced": map[string]any{
		"model": OwnModel, field: value,
		"tool_choice": map[string]any{"type": "function", "function": map[string]any{"name": "echo_json", "arguments": map[string]any{"message": "hello"}}},
	}}
}

func docChat() *web.Operation {
	request := web.JSONBody("", web.Ref("ChatCompletionRequest")).Examples(forcedExample("messages", []any{map[string]string{"role": "user", "content": "run tool"}}))
	return operation(web.Operation{
		ID: "createChatCompletion", Summary: "Answer a conversation, with tools",
		Description: "tool_choice with a tool's name and arguments runs that tool; no model is needed. Otherwise the model behind the server chooses among this server's tools and the caller's own. " +
			"What the server ran is in tool_results; a call of the caller's own tool comes back as tool_calls. A tool that fails is an answer with an error status, not an HTTP error.",
		Parameters: callParameters(), Request: &request,
		Responses: map[int]web.Body{http.StatusOK: answered("The completion.", "ChatCompletion")},
	}, modelErrors...)
}

// modelErrors are the statuses of a request that calls tools or the model.
var modelErrors = []int{http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusRequestEntityTooLarge,
	http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusNotImplemented, http.StatusBadGateway, http.StatusGatewayTimeout, http.StatusInsufficientStorage}

func docResponses() *web.Operation {
	request := web.JSONBody("", web.Ref("ResponseRequest")).Examples(forcedExample("input", "run tool"))
	return operation(web.Operation{
		ID: "createResponse", Summary: "Make a response, with tools",
		Description: "As a chat completion, in the shape of the Responses API. background: true answers at once: the response of a forced call then follows its job, through restarts too.",
		Parameters:  callParameters(), Request: &request,
		Responses: map[int]web.Body{http.StatusOK: answered("The response.", "Response")},
	}, modelErrors...)
}

func docGetResponse() *web.Operation {
	return operation(web.Operation{
		ID: "getResponse", Summary: "A stored response, as it is now",
		Parameters: []web.Parameter{{Name: "stream", In: "query", Description: "A stored response is not streamed.", Schema: web.Schema(`{"enum":["false"]}`)}},
		Responses:  map[int]web.Body{http.StatusOK: web.JSONBody("The response.", web.Ref("Response"))},
	}, http.StatusBadRequest, http.StatusNotFound)
}

func docDeleteResponse() *web.Operation {
	return operation(web.Operation{
		ID: "deleteResponse", Summary: "Delete a stored response", Description: "One that runs is cancelled first. The jobs of its tools stay.",
		Responses: map[int]web.Body{http.StatusOK: web.JSONBody("It is gone.", web.Ref("ResponseDeleted"))},
	}, http.StatusNotFound, http.StatusConflict)
}

func docCancelResponse() *web.Operation {
	return operation(web.Operation{
		ID: "cancelResponse", Summary: "Cancel a background response, with its job",
		Responses: map[int]web.Body{http.StatusOK: web.JSONBody("The cancelled response.", web.Ref("Response"))},
	}, http.StatusBadRequest, http.StatusNotFound, http.StatusConflict)
}

func docInputItems() *web.Operation {
	return operation(web.Operation{
		ID: "listResponseInputItems", Summary: "The input of a stored response",
		Parameters: []web.Parameter{
			{Name: "limit", In: "query", Schema: web.Schema(`{"type":"integer","minimum":1,"maximum":100,"default":20}`)},
			{Name: "order", In: "query", Schema: web.Schema(`{"enum":["asc","desc"],"default":"desc"}`)},
			{Name: "after", In: "query", Description: "The id of the item before the first one wanted.", Schema: web.Schema(`{"type":"string"}`)},
		},
		Responses: map[int]web.Body{http.StatusOK: web.JSONBody("A page of items.", web.Ref("ResponseInputItems"))},
	}, http.StatusBadRequest, http.StatusNotFound)
}

func docListModels() *web.Operation {
	return operation(web.Operation{
		ID: "listModels", Summary: "This server as a model, the models that are loaded, and the model behind it", Description: "Requests may name any model; the id of a loaded one (local:8100) lets that one answer.",
		Responses: map[int]web.Body{http.StatusOK: web.JSONBody("The models.", web.Ref("OpenAIModels"))},
	})
}

func docGetModel() *web.Operation {
	return operation(web.Operation{
		ID: "getModel", Summary: "One of the models",
		Parameters: []web.Parameter{{Name: "id", In: "path", Schema: web.Schema(`{"type":"string","minLength":1}`), Example: json.RawMessage(`"` + OwnModel + `"`)}},
		Responses:  map[int]web.Body{http.StatusOK: web.JSONBody("The model.", web.Ref("OpenAIModel"))},
	}, http.StatusNotFound)
}
