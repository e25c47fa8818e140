package openai

import (
	"encoding/json"
	"net/http"

	"atelier/internal/protocol/httpapi"
)

const tag = "OpenAI"

// operation fills in what all of the protocol's operations have.
func operation(op httpapi.Operation, errors ...int) *httpapi.Operation {
	op.Tag, op.Errors, op.ErrorSchema = tag, errors, httpapi.Ref("OpenAIError")
	return &op
}

// callParameters are those of the two routes that run tools.
func callParameters() []httpapi.Parameter {
	return append(httpapi.SelectionParameters(),
		httpapi.Parameter{Name: "Idempotency-Key", In: "header", Description: "A repeated request with the same key does not run its tools again.",
			Schema: httpapi.Schema(`{"type":"string","maxLength":255}`)},
		httpapi.Parameter{Name: itemsHeader, In: "header", Description: "As include: also show the calls of this server's tools as items of that type.",
			Schema: httpapi.Schema(`{"enum":["mcp_call","function_call"]}`)},
	)
}

// answered is the body of a route that may stream.
func answered(description, schema string) httpapi.Body {
	b := httpapi.JSONBody(description, httpapi.Ref(schema))
	b.Content["text/event-stream"] = httpapi.Media{Schema: httpapi.Schema(`{"type":"object","description":"The fields of one event, with stream: true. Data is JSON, and [DONE] at the end; lines that begin with a colon keep the connection alive.",` +
		`"properties":{"event":{"type":"string"},"data":{"type":"string"}}}`)}
	return b
}

func forcedExample(field string, value any) map[string]any {
	return map[string]any{"forced": map[string]any{
		"model": OwnModel, field: value,
		"tool_choice": map[string]any{"type": "function", "function": map[string]any{"name": "echo_json", "arguments": map[string]any{"message": "hello"}}},
	}}
}

func docChat() *httpapi.Operation {
	request := httpapi.JSONBody("", httpapi.Ref("ChatCompletionRequest")).Examples(forcedExample("messages", []any{map[string]string{"role": "user", "content": "run tool"}}))
	return operation(httpapi.Operation{
		ID: "createChatCompletion", Summary: "Answer a conversation, with tools",
		Description: "tool_choice with a tool's name and arguments runs that tool; no model is needed. Otherwise the model behind the server chooses among this server's tools and the caller's own. " +
			"What the server ran is in tool_results; a call of the caller's own tool comes back as tool_calls. A tool that fails is an answer with an error status, not an HTTP error.",
		Parameters: callParameters(), Request: &request,
		Responses: map[int]httpapi.Body{http.StatusOK: answered("The completion.", "ChatCompletion")},
	}, modelErrors...)
}

// modelErrors are the statuses of a request that calls tools or the model.
var modelErrors = []int{http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusRequestEntityTooLarge,
	http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusNotImplemented, http.StatusBadGateway, http.StatusGatewayTimeout, http.StatusInsufficientStorage}

func docResponses() *httpapi.Operation {
	request := httpapi.JSONBody("", httpapi.Ref("ResponseRequest")).Examples(forcedExample("input", "run tool"))
	return operation(httpapi.Operation{
		ID: "createResponse", Summary: "Make a response, with tools",
		Description: "As a chat completion, in the shape of the Responses API. background: true answers at once: the response of a forced call then follows its job, through restarts too.",
		Parameters:  callParameters(), Request: &request,
		Responses: map[int]httpapi.Body{http.StatusOK: answered("The response.", "Response")},
	}, modelErrors...)
}

func docGetResponse() *httpapi.Operation {
	return operation(httpapi.Operation{
		ID: "getResponse", Summary: "A stored response, as it is now",
		Parameters: []httpapi.Parameter{{Name: "stream", In: "query", Description: "A stored response is not streamed.", Schema: httpapi.Schema(`{"enum":["false"]}`)}},
		Responses:  map[int]httpapi.Body{http.StatusOK: httpapi.JSONBody("The response.", httpapi.Ref("Response"))},
	}, http.StatusBadRequest, http.StatusNotFound)
}

func docDeleteResponse() *httpapi.Operation {
	return operation(httpapi.Operation{
		ID: "deleteResponse", Summary: "Delete a stored response", Description: "One that runs is cancelled first. The jobs of its tools stay.",
		Responses: map[int]httpapi.Body{http.StatusOK: httpapi.JSONBody("It is gone.", httpapi.Ref("ResponseDeleted"))},
	}, http.StatusNotFound, http.StatusConflict)
}

func docCancelResponse() *httpapi.Operation {
	return operation(httpapi.Operation{
		ID: "cancelResponse", Summary: "Cancel a background response, with its job",
		Responses: map[int]httpapi.Body{http.StatusOK: httpapi.JSONBody("The cancelled response.", httpapi.Ref("Response"))},
	}, http.StatusBadRequest, http.StatusNotFound, http.StatusConflict)
}

func docInputItems() *httpapi.Operation {
	return operation(httpapi.Operation{
		ID: "listResponseInputItems", Summary: "The input of a stored response",
		Parameters: []httpapi.Parameter{
			{Name: "limit", In: "query", Schema: httpapi.Schema(`{"type":"integer","minimum":1,"maximum":100,"default":20}`)},
			{Name: "order", In: "query", Schema: httpapi.Schema(`{"enum":["asc","desc"],"default":"desc"}`)},
			{Name: "after", In: "query", Description: "The id of the item before the first one wanted.", Schema: httpapi.Schema(`{"type":"string"}`)},
		},
		Responses: map[int]httpapi.Body{http.StatusOK: httpapi.JSONBody("A page of items.", httpapi.Ref("ResponseInputItems"))},
	}, http.StatusBadRequest, http.StatusNotFound)
}

func docListModels() *httpapi.Operation {
	return operation(httpapi.Operation{
		ID: "listModels", Summary: "This server as a model, the models that are loaded, and the model behind it", Description: "Requests may name any model; the id of a loaded one (local:8100) lets that one answer.",
		Responses: map[int]httpapi.Body{http.StatusOK: httpapi.JSONBody("The models.", httpapi.Ref("OpenAIModels"))},
	})
}

func docGetModel() *httpapi.Operation {
	return operation(httpapi.Operation{
		ID: "getModel", Summary: "One of the models",
		Parameters: []httpapi.Parameter{{Name: "id", In: "path", Schema: httpapi.Schema(`{"type":"string","minLength":1}`), Example: json.RawMessage(`"` + OwnModel + `"`)}},
		Responses:  map[int]httpapi.Body{http.StatusOK: httpapi.JSONBody("The model.", httpapi.Ref("OpenAIModel"))},
	}, http.StatusNotFound)
}
