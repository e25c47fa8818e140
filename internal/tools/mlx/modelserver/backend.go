// Package modelserver runs servers of language models as supervised children:
// mlx_lm.server, vLLM, llama.cpp's server, or any program with an
// OpenAI-compatible API and GET /health. A server is loaded on one of the ports
// 8100 to 8139 and stays loaded until it is unloaded: it is started again when
// it dies, taken over by the next atelier when this one is killed, and started
// again by it after an orderly stop.
//
// What runs stands in the database, one document a port. A port is reserved by
// that document (among all machines of a database), by a lock on a file (among
// the processes of a machine) and by a test of the port itself (against all
// other programs). A process is named by its id and the time of its start, and
// is never signalled when the two do not belong together.
package modelserver

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"atelier/internal/contract"
)

// The ports that models are loaded on.
const (
	FirstPort = 8100
	LastPort  = 8139
)

// DefaultBackend is the backend of a load that names none.
const DefaultBackend = "mlx"

// Backend is a way to serve a model: a program and its arguments.
type Backend struct {
	Name string
	// Argv are the program and its arguments, passed as they are: no shell reads
	// them. {model}, {host} and {port} are replaced.
	Argv []string
	// Request is the model's name in requests to the server; "" for the model as
	// it was loaded.
	Request string
	// Hint says how the program is installed.
	Hint string
}

// Backends are the backends of the program, by name.
func Backends() map[string]Backend {
	return map[string]Backend{
		"mlx": {Name: "mlx", Argv: strings.Fields("mlx_lm.server --model {model} --host {host} --port {port}"),
			// Any other name would make mlx_lm.server load, or download, that model.
			Request: "default_model",
			Hint:    "Install it with `pip install mlx-lm` (on Linux: 'mlx[cpu]' or 'mlx[cuda12]' too), and name it with ATELIER_MLX where it is not on the PATH."},
		"vllm": {Name: "vllm", Argv: strings.Fields("vllm serve {model} --host {host} --port {port}"),
			Hint: "Install it with `pip install vllm`."},
		"llamacpp": {Name: "llamacpp", Argv: strings.Fields("llama-server -m {model} --host {host} --port {port}"),
			Hint: "Install llama.cpp, whose server is called llama-server."},
	}
}

// ParseBackends adds the backends of an operator, each name=command, to the program's
// own; one of the same name replaces the command. Words with white space stand
// in double quotes.
func ParseBackends(texts []string) (map[string]Backend, error) {
	backends := Backends()
	for _, text := range texts {
		name, command, ok := strings.Cut(text, "=")
		argv, err := words(command)
		switch {
		case err != nil:
			return nil, backendFault(text, "%v", err)
		case !ok || !validName(name) || len(argv) == 0:
			return nil, backendFault(text, "it must be name=command, the name of small letters, digits and dashes")
		case !slices.ContainsFunc(argv, func(word string) bool { return strings.Contains(word, "{port}") }):
			return nil, backendFault(text, "the command has no {port}")
		case !slices.ContainsFunc(argv, func(word string) bool { return strings.Contains(word, "{model}") }):
			return nil, backendFault(text, "the command has no {model}")
		}
		backend := Backend{Name: name, Argv: argv, Request: backends[name].Request, Hint: "See the command of --backend " + name + "."}
		if strings.HasPrefix(name, "mlx-") {
			backend.Request = backends["mlx"].Request
		}
		backends[name] = backend
	}
	return backends, nil
}

func backendFault(text, format string, args ...any) error {
	return contract.Errorf(contract.CodeInvalidConfig, "--backend %q: %s", text, fmt.Sprintf(format, args...)).
		WithHint("For example: --backend 'mlx-long=mlx_lm.server --model {model} --host {host} --port {port} --max-tokens 4096'.")
}

func validName(name string) bool {
	return name != "" && len(name) <= 32 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" && name[0] != '-'
}

// words splits a command at white space; double quotes hold words together.
func words(command string) ([]string, error) {
	var argv []string
	var word strings.Builder
	open, begun := false, false
	for _, r := range command {
		switch {
		case r == '"':
			open, begun = !open, true
		case !open && (r == ' ' || r == '\t' || r == '\n'):
			if begun {
				argv = append(argv, word.String())
			}
			word.Reset()
			begun = false
		default:
			_, _ = word.WriteRune(r) // into memory
			begun = true
		}
	}
	if open {
		return nil, fmt.Errorf("a double quote is not closed")
	}
	if begun {
		argv = append(argv, word.String())
	}
	return argv, nil
}

// argv is the command of one server.
func (b Backend) argv(model, host string, port int) []string {
	replace := strings.NewReplacer("{model}", model, "{host}", host, "{port}", fmt.Sprint(port))
	argv := make([]string, len(b.Argv))
	for i, word := range b.Argv {
		argv[i] = replace.Replace(word)
	}
	return argv
}

// program finds the backend's program: as a path, below the engines' folder, or on
// the PATH.
func (b Backend) program(engines string) (string, error) {
	name := b.Argv[0]
	if strings.ContainsRune(name, filepath.Separator) {
		if executable(name) {
			return filepath.Abs(name)
		}
		return "", b.missing("there is no program %s", name)
	}
	if engines != "" {
		for _, folder := range []string{b.Name, name} {
			if path := filepath.Join(engines, folder, "bin", name); executable(path) {
				return path, nil
			}
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", b.missing("there is no program %q on the PATH", name)
	}
	return filepath.Abs(path)
}

func (b Backend) missing(format string, args ...any) error {
	return contract.Errorf(contract.CodeMissingDependency, "the model servers of the backend %s are not installed: %s", b.Name, fmt.Sprintf(format, args...)).
		WithHint("%s", b.Hint).With("backend", b.Name)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

func backendNames(backends map[string]Backend) []string { return slices.Sorted(maps.Keys(backends)) }
