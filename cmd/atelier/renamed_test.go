package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// Flags, environment variables and keys of the configuration file answer to the
// name that they had before, and the message says the present one.
func TestRenamedFlagsStillAnswer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "atelier.json")
	if err := os.WriteFile(file, []byte(`{"keep_lanes": true, "lane_host": "192.0.2.9"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ATELIER_BACKEND_ADDRESS", "") // restored after the test, whatever it sets
	if err := os.Unsetenv("ATELIER_BACKEND_ADDRESS"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ATELIER_LANE_ADDRESS", "studio.local")
	var said strings.Builder
	var c cli
	parser, err := kong.New(&c, kong.Configuration(configuration(&said)), kong.Vars(variables()))
	if err != nil {
		t.Fatal(err)
	}
	args := presentNames([]string{"--config", file, "serve", "--lane", "own=serve {model} {port}", "--lane-host=192.0.2.1"}, &said)
	if _, err := parser.Parse(args); err != nil {
		t.Fatal(err)
	}
	got := c.Serve.backendFlags
	if len(got.Backend) != 1 || got.Backend[0] != "own=serve {model} {port}" || got.BackendHost != "192.0.2.1" ||
		got.BackendAddress != "studio.local" || !got.KeepBackends {
		t.Errorf("%+v", got)
	}
	for _, present := range []string{"--lane is now called --backend;", "--lane-host is now called --backend-host;",
		"ATELIER_LANE_ADDRESS is now called ATELIER_BACKEND_ADDRESS;", "keep_lanes is now called keep_backends;"} {
		if !strings.Contains(said.String(), present) {
			t.Errorf("%q is missing in\n%s", present, said.String())
		}
	}
}

// What stands after -- belongs to somebody else, and the present name wins.
func TestPresentNamesWin(t *testing.T) {
	t.Setenv("ATELIER_BACKEND_HOST", "192.0.2.1")
	t.Setenv("ATELIER_LANE_HOST", "192.0.2.2")
	var said strings.Builder
	got := presentNames([]string{"serve", "--backend-host=192.0.2.3", "--", "--lane-host"}, &said)
	if strings.Join(got, " ") != "serve --backend-host=192.0.2.3 -- --lane-host" || os.Getenv("ATELIER_BACKEND_HOST") != "192.0.2.1" || said.Len() > 0 {
		t.Errorf("%q, %s", got, said.String())
	}
}
