package main

import (
	"regexp"
	"strings"
	"testing"
)

// The system message sends a model to routes; the server must have them.
func TestTheSystemMessageNamesRealRoutes(t *testing.T) {
	s := start(t, nil)
	text, _ := s.get("/v1/agent/config").at("system_message", "content").(string)
	routes := regexp.MustCompile(`(GET|PUT|POST|DELETE) (/v1/[a-z_/{}]+)`).FindAllStringSubmatch(text, -1)
	if len(routes) < 2 {
		t.Fatalf("the message names %d routes:\n%s", len(routes), text)
	}
	for _, r := range routes {
		path := strings.ReplaceAll(r[2], "{session_id}", "session_x")
		if allowed := s.do("OPTIONS", path, "", nil).header.Get("Allow"); !strings.Contains(allowed, r[1]) {
			t.Errorf("%s %s: the server allows %q there", r[1], r[2], allowed)
		}
	}
}

// A session's manifest can be read and written as the message tells the model to.
func TestTheManifestIsKeptAsTheMessageSays(t *testing.T) {
	s := start(t, nil)
	made := s.post("/v1/sessions", `{}`)
	id, _ := made.at("session_id").(string)
	read := s.get("/v1/sessions/" + id)
	tag := read.header.Get("ETag")
	if id == "" || read.status != 200 || tag == "" {
		t.Fatalf("%d %s, ETag %q", read.status, read.raw, tag)
	}
	put := func() reply {
		return s.do("PUT", "/v1/sessions/"+id+"/manifest", "application/json", strings.NewReader(string(read.raw)), "If-Match", tag)
	}
	if first := put(); first.status != 200 {
		t.Errorf("the manifest as it was read is refused: %d %s", first.status, first.raw)
	}
	if again := put(); again.status != 412 {
		t.Errorf("a manifest that has changed meanwhile is written over: %d %s", again.status, again.raw)
	}
}
