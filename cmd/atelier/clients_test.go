package main

import (
	"bytes"
	"encoding/json"
	"go/parser"
	"go/token"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"atelier/internal/testenv"
)

// block is a fenced piece of a page.
type block struct{ language, text string }

func page(t *testing.T, name string) (string, []block) {
	t.Helper()
	text, err := os.ReadFile(testenv.Path("docs", name))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []block
	for _, m := range regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```").FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, block{m[1], m[2]})
	}
	return string(text), blocks
}

// known parses a command line as the program would, without running it.
func known(t *testing.T, arguments []string) {
	t.Helper()
	var c cli
	k, err := kong.New(&c, kong.Name("atelier"), kong.Configuration(kong.JSON), kong.Vars(variables()))
	if err == nil {
		_, err = k.Parse(arguments)
	}
	if err != nil {
		t.Errorf("atelier %s: %v", strings.Join(arguments, " "), err)
	}
}

// The page for clients is copied from: each of its blocks must be well formed,
// and each command and address one that this program has. The suite test-clients
// also runs them.
func TestThePageForClientsIsRight(t *testing.T) {
	text, blocks := page(t, "clients.md")
	seen := map[string]int{}
	for _, b := range blocks {
		seen[b.language]++
		var err error
		var config map[string]any
		switch b.language {
		case "json":
			err = json.Unmarshal([]byte(b.text), &config)
		case "yaml":
			err = yaml.Unmarshal([]byte(b.text), &config)
		case "go":
			_, err = parser.ParseFile(token.NewFileSet(), "block.go", b.text, parser.AllErrors)
		case "python":
			cmd := exec.Command("python3", "-c", "import ast, sys; ast.parse(sys.stdin.read())")
			cmd.Stdin = strings.NewReader(b.text)
			var out []byte
			if out, err = cmd.CombinedOutput(); err != nil {
				t.Errorf("%s", bytes.TrimSpace(out))
			}
		case "sh":
			cmd := exec.Command("bash", "-n")
			cmd.Stdin = strings.NewReader(b.text)
			err = cmd.Run()
		case "js": // the suite runs it
		default:
			t.Errorf("nothing checks a block of %q", b.language)
		}
		if err != nil {
			t.Errorf("%s block: %v\n%s", b.language, err, b.text)
		}
		configuredCommands(t, config)
	}
	for _, language := range []string{"json", "yaml", "python", "js", "go", "sh"} {
		if seen[language] == 0 {
			t.Errorf("the page has no block of %s", language)
		}
	}
	for _, m := range regexp.MustCompile("(?m)(?:`|^|ATELIER_TOKEN=choose-one )atelier ([a-z][^`\n]*)").FindAllStringSubmatch(text, -1) {
		known(t, strings.Fields(m[1]))
	}
	for _, m := range regexp.MustCompile("-- /usr/local/bin/atelier ([^`\n]*)").FindAllStringSubmatch(text, -1) {
		known(t, strings.Fields(m[1]))
	}
	for _, target := range regexp.MustCompile("`make ([a-z-]+)`").FindAllStringSubmatch(text, -1) {
		makefile, err := os.ReadFile(testenv.Path("Makefile"))
		if err != nil || !regexp.MustCompile(`(?m)^`+target[1]+`:`).Match(makefile) {
			t.Errorf("make %s: no such target (%v)", target[1], err)
		}
	}
	servedAddresses(t, text)
}

// configuredCommands parses the command of every MCP server of a configuration.
func configuredCommands(t *testing.T, config map[string]any) {
	t.Helper()
	for _, key := range []string{"mcpServers", "servers"} {
		servers, _ := config[key].(map[string]any)
		for _, entry := range servers {
			e, _ := entry.(map[string]any)
			list, ok := e["args"].([]any)
			if !ok {
				continue
			}
			var arguments []string
			for _, a := range list {
				arguments = append(arguments, a.(string))
			}
			known(t, arguments)
		}
	}
}

// servedAddresses asks a server for every address of the page, and for the
// selection of tools that it names.
func servedAddresses(t *testing.T, text string) {
	t.Helper()
	s := start(t, nil)
	addresses := regexp.MustCompile("http://(?:127\\.0\\.0\\.1|host\\.docker\\.internal):8080[^\\s\"'`)]*").FindAllString(text, -1)
	if len(addresses) < 10 {
		t.Fatalf("only %d addresses were found", len(addresses))
	}
	for _, address := range addresses {
		u, err := url.Parse(address)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		path := u.Path
		if path == "/v1" { // the base of the OpenAI routes
			path = "/v1/chat/completions"
		}
		if path == "" {
			path = "/openapi.json"
		}
		if status := s.do("OPTIONS", path, "", nil).status; status == 404 {
			t.Errorf("%s: the server has no such route", address)
		}
		if strings.Contains(u.RawQuery, "…") {
			continue
		}
		if r := s.get("/v1/manifests?" + u.RawQuery); r.status != 200 {
			t.Errorf("%s: %s", address, r.raw)
		}
	}
}
