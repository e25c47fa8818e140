package mcp

import (
	"atelier/internal/protocol/httpapi"
)

// Routes implements web.Protocol.
func (s *Server) Routes() []httpapi.Route {
	return []httpapi.Route{{
		Path: "/mcp", AnyBody: true, // the size is limited, and the type checked, here
		Methods: httpapi.Methods{
			"POST":   {Serve: s.serve, Doc: postDoc()},
			"GET":    {Serve: s.serve, Doc: getDoc()},
			"DELETE": {Serve: s.serve, Doc: deleteDoc()},
		},
	}}
}

func parameters(more ...httpapi.Parameter) []httpapi.Parameter {
	header := func(name, description string) httpapi.Parameter {
		return httpapi.Parameter{Name: name, In: "header", Description: description, Schema: httpapi.Schema(`{"type":"string"}`)}
	}
	all := append(httpapi.SelectionParameters(), httpapi.NamesParameter(),
		header("MCP-Protocol-Version", "The revision of the protocol. Required from 2026-07-28 on."),
		header("Mcp-Session-Id", "The session that initialize has given, before 2026-07-28."))
	return append(all, more...)
}

func textBody(description string) httpapi.Body {
	return httpapi.Body{Description: description, Content: map[string]httpapi.Media{
		"text/plain":       {Schema: httpapi.Schema(`{"type":"string"}`)},
		"application/json": {Schema: httpapi.Schema(`{"anyOf":[{"$ref":"#/components/schemas/JSONRPCResponse"},{"$ref":"#/components/schemas/Error"}]}`)},
	}}
}

func events(description string) httpapi.Body {
	return httpapi.EventStream(description, httpapi.Schema(`{"type":"object","description":"A message of JSON-RPC 2.0."}`))
}

func postDoc() *httpapi.Operation {
	request := httpapi.JSONBody("One JSON-RPC message.", httpapi.Ref("JSONRPCRequest"))
	answer := events("The response, alone or behind progress and log notifications on a stream of events.")
	answer.Content["application/json"] = httpapi.Media{Schema: httpapi.Ref("JSONRPCResponse")}
	return &httpapi.Operation{
		ID: "mcpMessage", Tag: "MCP", Summary: "Send a message of the Model Context Protocol",
		Description: "Streamable HTTP, revisions 2024-11-05 to 2026-07-28. Accept must name application/json and text/event-stream.",
		Parameters: parameters(
			httpapi.Parameter{Name: "Mcp-Method", In: "header", Description: "The message's method. Required from 2026-07-28 on.", Schema: httpapi.Schema(`{"type":"string"}`)},
			httpapi.Parameter{Name: "Mcp-Name", In: "header", Description: "The tool, prompt, resource or task that the message names. Required from 2026-07-28 on.", Schema: httpapi.Schema(`{"type":"string"}`)},
		),
		Request: &request,
		Responses: map[int]httpapi.Body{
			200: answer,
			202: {Description: "A notification or response was taken."},
			400: textBody("The message, or a header, is not what the protocol asks for."),
			404: textBody("The session has ended, or the method is unknown."),
			415: textBody("The body is not application/json."),
		},
		Errors: []int{401, 403, 413, 429},
	}
}

func getDoc() *httpapi.Operation {
	return &httpapi.Operation{
		ID: "mcpStream", Tag: "MCP", Summary: "Listen to a session's notifications",
		Description: "Only for sessions of revisions before 2026-07-28.",
		Parameters:  parameters(),
		Responses: map[int]httpapi.Body{
			200: events("Notifications, until the client or the session ends."),
			400: textBody("A header is missing or wrong."),
			404: textBody("The session has ended."),
			405: textBody("From 2026-07-28 on there are no sessions."),
			409: textBody("The session has such a stream already."),
		},
		Errors: []int{401, 403},
	}
}

func deleteDoc() *httpapi.Operation {
	return &httpapi.Operation{
		ID: "mcpEndSession", Tag: "MCP", Summary: "End a session",
		Description: "Only for sessions of revisions before 2026-07-28.",
		Parameters:  parameters(),
		Responses: map[int]httpapi.Body{
			204: {Description: "The session has ended."},
			400: textBody("A header is missing or wrong."),
			404: textBody("There is no such session."),
			405: textBody("From 2026-07-28 on there are no sessions."),
		},
		Errors: []int{401, 403},
	}
}

// Schemas implements web.Protocol.
func (s *Server) Schemas() map[string]httpapi.Schema {
	const id = `"id":{"type":["string","integer"],"description":"Chosen by the sender; absent in a notification."}`
	return map[string]httpapi.Schema{
		"JSONRPCRequest": httpapi.Schema(`{"type":"object","description":"A message of JSON-RPC 2.0: a request or notification has a method, a client's response has none.",
			"required":["jsonrpc"],
			"properties":{"jsonrpc":{"const":"2.0"},` + id + `,"method":{"type":"string","minLength":1},"params":{"type":"object"}}}`),
		"JSONRPCResponse": httpapi.Schema(`{"type":"object","description":"A response of JSON-RPC 2.0.",
			"required":["jsonrpc"],
			"properties":{"jsonrpc":{"const":"2.0"},"id":{"type":["string","integer","null"]},"result":{"type":"object"},
				"error":{"type":"object","required":["code","message"],
					"properties":{"code":{"type":"integer"},"message":{"type":"string"},"data":{}}}}}`),
	}
}
