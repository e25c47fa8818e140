package httpapi

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestPanics(t *testing.T) {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	route := func(path string, serve Handler) Route {
		return Route{Path: path, Methods: Methods{"GET": {Serve: serve}}}
	}
	server := httptest.NewServer(Mux(&Gate{MaxBodyBytes: 1 << 10, Log: quiet},
		route("/early", func(http.ResponseWriter, *http.Request) error { panic("on purpose") }),
		route("/late", func(w http.ResponseWriter, _ *http.Request) error {
			_, _ = io.WriteString(w, "half of ")
			_ = http.NewResponseController(w).Flush()
			panic("on purpose")
		}),
		route("/well", func(w http.ResponseWriter, _ *http.Request) error { JSON(w, http.StatusOK, true); return nil })))
	defer server.Close()

	resp, err := http.Get(server.URL + "/early")
	if err != nil {
		t.Fatal(err)
	}
	var body struct {
		Error struct{ Code, Message string }
	}
	err = json.NewDecoder(resp.Body).Decode(&body)
	resp.Body.Close()
	if err != nil || resp.StatusCode != http.StatusInternalServerError || body.Error.Code != "internal_error" || resp.Header.Get("X-Request-Id") == "" {
		t.Errorf("%v %d %+v", err, resp.StatusCode, body)
	}
	if resp, err = http.Get(server.URL + "/late"); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("half an answer was taken for a whole one: %q", text)
	}
	resp.Body.Close()
	if resp, err = http.Get(server.URL + "/well"); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("after the panics: %v", err)
	}
	resp.Body.Close()
}
