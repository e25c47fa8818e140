package engine

import (
	"context"
	"net"
	"path/filepath"
	"testing"
	"time"

	"atelier/internal/testenv"
)

// An engine has no sockets; one that asks for Unix sockets gets them in its own
// folder, and no others.
func TestSocketsOfAnEngine(t *testing.T) {
	level := DetectLevel()
	if level.Name() != "full" {
		testenv.Skip(t, testenv.System, "this machine cannot confine files, network and processes all three")
	}
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for asked, want := range map[bool]string{false: `{"got":""}`, true: `{"got":"listen in its folder"}`} {
		args := []string{engineWord, "talk", server.Addr().String(), filepath.Join(t.TempDir(), "s")}
		h, err := NewHost(Options{Root: t.TempDir(), Work: t.TempDir(), Level: &level,
			Engines: []Spec{{Name: "odd", Driver: testBinary(t), Args: args, Processes: 12, UnixSockets: asked}}})
		if err != nil {
			t.Fatal(err)
		}
		reply, err := h.Run(context.Background(), testCall(t, 20*time.Second), Job{Engine: "odd", Request: struct{}{}})
		if err != nil || string(reply.Output) != want {
			t.Errorf("asked for sockets: %t: %v %s", asked, err, reply.Output)
		}
		h.Close()
	}
}
