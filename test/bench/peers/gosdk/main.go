// Command gosdk serves the echo tool with the official Go SDK and its default
// settings, for the benchmark: sessions of the 2025-11-25 protocol, or with
// -stateless the 2026-07-28 protocol, which the SDK offers in that mode alone.
package main

import (
	"context"
	"flag"
	"log"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type echoInput struct {
	Message string `json:"message" jsonschema:"Message to echo."`
	N       int    `json:"n,omitempty" jsonschema:"Optional repeat count."`
}

type echoOutput struct {
	Message string   `json:"message"`
	Repeat  []string `json:"repeat"`
}

func echo(_ context.Context, _ *mcp.CallToolRequest, in echoInput) (*mcp.CallToolResult, echoOutput, error) {
	message := strings.TrimSpace(in.Message)
	return nil, echoOutput{message, slices.Repeat([]string{message}, min(max(in.N, 1), 64))}, nil
}

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on")
	stateless := flag.Bool("stateless", false, "speak the 2026-07-28 protocol")
	flag.Parse()
	server := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "echo_json", Description: "Echoes a message deterministically and optionally repeats it n times."}, echo)
	var options *mcp.StreamableHTTPOptions // nil: the defaults
	if *stateless {
		options = &mcp.StreamableHTTPOptions{Stateless: true}
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, options)
	log.Fatal(http.ListenAndServe(*addr, handler))
}
