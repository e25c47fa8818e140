package mcp_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// BenchmarkCall is a plain call over HTTP, with its durable record.
func BenchmarkCall(b *testing.B) {
	const arguments = `"name":"echo_json","arguments":{"message":"hello","n":2}`
	h := newTestServer(b)
	response := h.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}`)
	session := response.Header.Get("Mcp-Session-Id")
	h.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id", session)
	protocols := map[string]struct {
		meta    string
		headers []string
	}{
		"session": {"", []string{"Mcp-Session-Id", session, "MCP-Protocol-Version", "2025-11-25"}},
		"modern":  {metaOf(`{}`), []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "echo_json"}},
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	client := &http.Client{Transport: transport}
	b.Cleanup(transport.CloseIdleConnections)
	for name, protocol := range protocols {
		b.Run(name, func(b *testing.B) {
			var id atomic.Int64
			b.ReportAllocs()
			b.SetParallelism(16)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s%s}}`, id.Add(1), arguments, protocol.meta)
					req, _ := http.NewRequest(http.MethodPost, h.url, strings.NewReader(body))
					req.Header.Set("Content-Type", "application/json")
					req.Header.Set("Accept", "application/json, text/event-stream")
					for i := 0; i < len(protocol.headers); i += 2 {
						req.Header.Set(protocol.headers[i], protocol.headers[i+1])
					}
					response, err := client.Do(req)
					if err != nil {
						b.Error(err)
						return
					}
					answer, err := io.ReadAll(response.Body)
					response.Body.Close()
					if err != nil || !strings.Contains(string(answer), `"repeat":["hello","hello"]`) {
						b.Errorf("%v %s", err, answer)
						return
					}
				}
			})
		})
	}
}
