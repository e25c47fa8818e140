package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
)

const (
	echoInput = `{"message":"hello","n":2}`
	repeated  = `["hello","hello"]`
)

// incomplete: the answer of a tool that says hello twice says so, however a
// server spaces its JSON, and is no error.
func incomplete(answer []byte) bool {
	return bytes.Count(answer, []byte("hello")) < 2 || bytes.Contains(answer, []byte(`"isError":true`))
}

// execute is POST /v1/tools/execute; the bare handler answers to it as well.
func execute(client *http.Client, addr string) (call, error) {
	header := http.Header{"Content-Type": {"application/json"}}
	do := poster(client, "http://"+addr+"/v1/tools/execute", header, `{"tool":"echo_json","input":`+echoInput+`}`,
		func(answer []byte) bool { return !bytes.Contains(answer, []byte(repeated)) })
	return do, do()
}

func mcpHeader(version string) http.Header {
	return http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {version},
	}
}

// session is MCP 2025-11-25: initialize, then calls that carry the session's id.
func session(client *http.Client, addr string) (call, error) {
	url, header := "http://"+addr+"/mcp", mcpHeader("2025-11-25")
	id, err := introduce(client, url, header, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	if err != nil {
		return nil, err
	}
	if id != "" {
		header.Set("Mcp-Session-Id", id)
	}
	if _, err := introduce(client, url, header, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
		return nil, err
	}
	do := poster(client, url, header, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo_json","arguments":`+echoInput+`}}`, incomplete)
	return do, do()
}

func introduce(client *http.Client, url string, header http.Header, body string) (sessionID string, err error) {
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header = header
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	if resp.StatusCode >= 300 {
		return "", fmt.Errorf("%s answered %s: %.200s", url, resp.Status, answer)
	}
	return resp.Header.Get("Mcp-Session-Id"), nil
}

// sessionless is MCP 2026-07-28: every request carries its version, client and
// capabilities, and says in its headers what it is.
func sessionless(client *http.Client, addr string) (call, error) {
	header := mcpHeader("2026-07-28")
	header.Set("Mcp-Method", "tools/call")
	header.Set("Mcp-Name", "echo_json")
	do := poster(client, "http://"+addr+"/mcp", header, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo_json","arguments":`+echoInput+
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, incomplete)
	return do, do()
}
