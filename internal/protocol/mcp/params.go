package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/jsonvalue"
)

// methodParams are the parameters of one method.
type methodParams struct {
	decode   func(json.RawMessage) error
	needs    string   // what they hold, of a method that cannot do without; else ""
	required []string // those of them without which the SDK would guess
}

func paramsOf[T any](needs string, required ...string) methodParams {
	return methodParams{func(raw json.RawMessage) error { return json.Unmarshal(raw, new(T)) }, needs, required}
}

// methodsWithParams are the calls whose parameters are held against their types
// before the SDK decodes them: its own errors quote Go types.
var methodsWithParams = map[string]methodParams{
	"completion/complete":      paramsOf[sdk.CompleteParams]("ref and argument", "ref", "argument"),
	methodInitialize:           paramsOf[sdk.InitializeParams]("protocolVersion, capabilities and clientInfo"),
	"logging/setLevel":         paramsOf[levelParams]("level", "level"),
	"ping":                     paramsOf[sdk.PingParams](""),
	"prompts/get":              paramsOf[sdk.GetPromptParams]("name", "name"),
	"prompts/list":             paramsOf[sdk.ListPromptsParams](""),
	"resources/list":           paramsOf[sdk.ListResourcesParams](""),
	"resources/read":           paramsOf[sdk.ReadResourceParams]("uri", "uri"),
	"resources/subscribe":      paramsOf[sdk.SubscribeParams]("uri", "uri"),
	"resources/templates/list": paramsOf[sdk.ListResourceTemplatesParams](""),
	"resources/unsubscribe":    paramsOf[sdk.UnsubscribeParams]("uri", "uri"),
	"tools/call":               paramsOf[sdk.CallToolParamsRaw]("name and, for most tools, arguments", "name"),
	"tools/list":               paramsOf[sdk.ListToolsParams](""),
	methodTaskCancel:           paramsOf[TaskParams]("taskId", "taskId"),
	methodTaskGet:              paramsOf[TaskParams]("taskId", "taskId"),
	methodTaskUpdate:           paramsOf[TaskParams]("taskId", "taskId"),
}

type levelParams struct {
	Level string `json:"level"`
}

// levels are those of logging/setLevel.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// removedMethods are those that revision 2026-07-28 has no more.
var removedMethods = []string{"logging/setLevel", "resources/subscribe", "resources/unsubscribe"}

// unusable says in a sentence what is wrong with the values of parameters that are of
// the right types; "" where nothing is.
func (p methodParams) unusable(method string, params json.RawMessage) string {
	var given, meta map[string]json.RawMessage
	_ = json.Unmarshal(params, &given)        // they are an object
	_ = json.Unmarshal(given["_meta"], &meta) // it is an object, or absent
	if _, modern := meta[sdk.MetaKeyProtocolVersion]; modern && slices.Contains(removedMethods, method) {
		return "" // there is no such method, whatever its parameters
	}
	for _, name := range p.required {
		switch value := string(given[name]); value {
		case "", "null":
			return fmt.Sprintf("params.%s of %s is missing; give an object with %s", name, method, p.needs)
		case `""`:
			return fmt.Sprintf("params.%s of %s is empty; give an object with %s", name, method, p.needs)
		}
	}
	if method == "logging/setLevel" {
		var level levelParams
		_ = json.Unmarshal(params, &level)
		if !slices.Contains(levels, level.Level) {
			return fmt.Sprintf("params.level of %s is %q; it must be one of %s", method, level.Level, strings.Join(levels, ", "))
		}
	}
	if token := meta["progressToken"]; len(token) > 0 && string(token) != "null" && !plainID(token) {
		return fmt.Sprintf("params._meta.progressToken of %s must be a string or a whole number, not %s", method, tokenKind(token))
	}
	return ""
}

func tokenKind(token json.RawMessage) string {
	switch token[0] {
	case '{':
		return article("object")
	case '[', 't', 'f':
		return article(jsonvalue.KindOf(token))
	}
	return string(token)
}

// lostCursor puts the place into the SDK's refusal of a cursor.
func lostCursor(method string, req sdk.Request, err error) error {
	var cursor string
	switch p := req.GetParams().(type) {
	case *sdk.ListToolsParams:
		cursor = p.Cursor
	case *sdk.ListPromptsParams:
		cursor = p.Cursor
	case *sdk.ListResourcesParams:
		cursor = p.Cursor
	case *sdk.ListResourceTemplatesParams:
		cursor = p.Cursor
	}
	var refusal *jsonrpc.Error
	if cursor == "" || !errors.As(err, &refusal) || refusal.Code != jsonrpc.CodeInvalidParams {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("params.cursor of %s (/params/cursor) is %.40q, which is no nextCursor of this server; leave it out for the first page", method, cursor)}
}

// outOfTurn says in a sentence why a call cannot come now; "" where it can. begun
// tells whether the client has sent initialize.
func outOfTurn(m message, begun bool) string {
	var meta map[string]json.RawMessage
	_ = json.Unmarshal(m.Params["_meta"], &meta) // another kind names no revision
	if _, modern := meta[sdk.MetaKeyProtocolVersion]; modern {
		return ""
	}
	switch {
	case m.Method == methodInitialize && begun:
		return "the session is initialized already; initialize is sent once, and a new session begins with a new connection"
	case m.Method == methodInitialize, m.Method == "ping", m.Method == "server/discover", begun:
		return ""
	}
	return fmt.Sprintf("%s came before initialize; send initialize, then notifications/initialized, then this call", m.Method)
}

const methodInitialize = "initialize"

// misfit says in a sentence why parameters are not those of a method; "" where
// they are, and where the method is not known here.
func misfit(method string, params json.RawMessage) string {
	known, ok := methodsWithParams[method]
	if !ok {
		return ""
	}
	with := ""
	if known.needs != "" {
		with = " with " + known.needs
	}
	switch {
	case len(params) == 0 || string(params) == "null":
		if known.needs == "" {
			return ""
		}
		return fmt.Sprintf("%s has no params; give an object%s", method, with)
	case params[0] != '{':
		return fmt.Sprintf("params of %s must be an object%s, not %s", method, with, article(jsonvalue.KindOf(params)))
	}
	err := known.decode(params)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return known.unusable(method, params)
	case errors.As(err, &wrong) && wrong.Field != "":
		given, _, _ := strings.Cut(wrong.Value, " ") // a number comes with its digits
		text := fmt.Sprintf("params.%s of %s must be %s", wrong.Field, method, kindOf(wrong.Type))
		if slices.Contains([]string{"array", "bool", "number", "object", "string"}, given) {
			text += ", not " + article(given)
		}
		return text // types that decode themselves call the value something else
	}
	return fmt.Sprintf("params of %s are not as the protocol wants them; give an object%s", method, with)
}

func article(kind string) string {
	switch kind {
	case "array", "object":
		return "an " + kind
	case "bool", "boolean": // as the decoder calls it, and as JSON does
		return "true or false"
	}
	return "a " + kind
}

// kindOf names the kind of JSON value that a Go type takes.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.String:
		return article("string")
	case reflect.Bool:
		return article("boolean")
	case reflect.Slice, reflect.Array:
		return article("array")
	case reflect.Struct, reflect.Map, reflect.Interface:
		return article("object")
	}
	return article("number")
}
