package main

import (
	"bytes"
	"testing"
)

// What the fuzzer found: values that a description forbids and the server took.
func TestEmptyAndNullAreNoValues(t *testing.T) {
	s := start(t, nil)
	job := "/v1/jobs/" + s.post("/v1/tools/echo_json", `{"message":"a"}`).header.Get("X-Atelier-Job-Id")
	for _, path := range []string{
		"/v1/jobs?cursor=", "/v1/jobs?limit=", "/v1/jobs?state=", "/v1/jobs?status=", "/v1/jobs?tool=",
		job + "?wait_ms=", job + "?wait_ms=NaN", job + "/events?after=", job + "/events?after=9223372036854775808",
		"/v1/agent/config?names=", "/v1/manifests/echo_json?version=", "/v1/responses/resp_x?stream=",
	} {
		if r := s.get(path); r.status != 400 || r.at("error", "code") != "invalid_request" {
			t.Errorf("%s: %d %.200s", path, r.status, r.raw)
		}
	}
	// The header does not hide a wrong parameter.
	if r := s.do("GET", job+"/events?after=-1", "", nil, "Last-Event-ID", "0"); r.status != 400 {
		t.Errorf("%d %s", r.status, r.raw)
	}
	for _, path := range []string{"/v1/jobs", "/v1/sessions", "/v1/tools/execute", "/v1/tools/echo_json"} {
		if r := s.post(path, " null "); r.status != 400 {
			t.Errorf("%s of null: %d %.200s", path, r.status, r.raw)
		}
	}
}

// A projection of the contracts must not write into them: manifests once did.
func TestContractsStayAsTheyAre(t *testing.T) {
	s := start(t, nil)
	before := s.get("/v1/contracts")
	for _, path := range []string{"/v1/manifests", "/v1/tools", "/v1/agent/config", "/v1/harmony", "/v1/contracts.md", "/openapi.json"} {
		if r := s.get(path); r.status != 200 {
			t.Fatalf("%s: %d %.200s", path, r.status, r.raw)
		}
	}
	if after := s.get("/v1/contracts"); before.status != 200 || !bytes.Equal(before.raw, after.raw) {
		t.Fatalf("%d: the contracts have changed", after.status)
	}
}
