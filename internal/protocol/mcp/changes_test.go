package mcp_test

import (
	"context"
	"slices"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/protocol/mcp"
)

// An engine that is installed, and one that goes, change tools/list, and clients
// that listen hear of it. The tool can be called as soon as it is listed.
func TestClientsHearOfToolsThatAppear(t *testing.T) {
	for _, legacy := range []bool{true, false} {
		h := newTestServer(t)
		mcp.SetWatchEvery(h.protocol, 20*time.Millisecond)
		ctx, stop := context.WithCancel(context.Background())
		watched := make(chan struct{})
		go func() {
			h.protocol.Watch(ctx)
			close(watched)
		}()
		changes := make(chan struct{}, 16)
		s := h.connect("", legacy, &sdk.ClientOptions{ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			changes <- struct{}{}
		}})
		if !s.InitializeResult().Capabilities.Tools.ListChanged {
			t.Error("the server does not say that it tells changes")
		}
		listed := func() bool {
			list, err := s.ListTools(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			return slices.ContainsFunc(list.Tools, func(tool *sdk.Tool) bool { return tool.Name == "web_gone" })
		}
		if listed() {
			t.Fatal("a tool without its engine is listed")
		}
		for _, there := range []bool{true, false} {
			installed.Store(there)
			select {
			case <-changes:
			case <-time.After(10 * time.Second):
				t.Fatalf("legacy %v: nobody told that the tool is there: %v", legacy, there)
			}
			if listed() != there {
				t.Errorf("legacy %v: listed is %v after the notification", legacy, !there)
			}
			if result := call(t, s, "web_gone", map[string]any{"message": "x"}); result.IsError == there {
				t.Errorf("legacy %v: the call says %s", legacy, text(result))
			}
		}
		stop()
		<-watched
	}
}
