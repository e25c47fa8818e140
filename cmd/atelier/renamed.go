package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"atelier/internal/contract"
	"atelier/internal/jsonvalue"
)

// renamed lists the flags that had another name: old name, present name. The
// old one still answers as a flag, as an environment variable and as a key of
// the configuration file.
var renamed = [][2]string{
	{"lane", "backend"},
	{"lane-host", "backend-host"},
	{"lane-address", "backend-address"},
	{"keep-lanes", "keep-backends"},
}

func variable(flag string) string {
	return "ATELIER_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func key(flag string) string { return strings.ReplaceAll(flag, "-", "_") }

// presentNames replaces old names among the arguments and in the environment,
// and says so on out. Whoever uses both names gets what the present one says.
func presentNames(args []string, out io.Writer) []string {
	args = append([]string{}, args...)
	for _, names := range renamed {
		for i, arg := range args {
			name, value, hasValue := strings.Cut(arg, "=")
			if arg == "--" {
				break
			}
			if name != "--"+names[0] {
				continue
			}
			args[i] = "--" + names[1]
			if hasValue {
				args[i] += "=" + value
			}
			noteRenamed(out, "flag", "--"+names[0], "--"+names[1])
		}
		old, present := variable(names[0]), variable(names[1])
		value, isSet := os.LookupEnv(old)
		if _, both := os.LookupEnv(present); !isSet || both {
			continue
		}
		if err := os.Setenv(present, value); err != nil {
			fmt.Fprintf(out, "atelier: %s: %v\n", present, err)
			continue
		}
		noteRenamed(out, "environment variable", old, present)
	}
	return args
}

func noteRenamed(out io.Writer, what, old, present string) {
	fmt.Fprintf(out, "atelier: the %s %s is now called %s; the old name still works\n", what, old, present)
}

// configuration reads a configuration file in which keys may have old names.
func configuration(out io.Writer) kong.ConfigurationLoader {
	return func(r io.Reader) (kong.Resolver, error) {
		text, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		if what, hint := jsonvalue.Syntax(text); what != "" {
			return nil, errors.New(strings.TrimSpace("the configuration file is not valid JSON: " + what + ". " + hint))
		}
		values := map[string]json.RawMessage{}
		if err := json.Unmarshal(text, &values); err != nil {
			return nil, fmt.Errorf("the configuration file is no JSON object of flags: %w", err)
		}
		for _, names := range renamed {
			old, present := key(names[0]), key(names[1])
			value, isSet := values[old]
			if _, both := values[present]; !isSet || both {
				continue
			}
			values[present] = value
			noteRenamed(out, "key of the configuration file", old, present)
		}
		raw, err := json.Marshal(values)
		if err != nil {
			return nil, err
		}
		resolver, err := kong.JSON(bytes.NewReader(raw))
		return configured{resolver, values}, err
	}
}

// configured are the values of a configuration file; a key that no command has as
// a flag is refused, since a misspelt one would be passed over in silence.
type configured struct {
	kong.Resolver
	values map[string]json.RawMessage
}

// Validate implements kong.Resolver.
func (c configured) Validate(app *kong.Application) error {
	known := []string{}
	err := kong.Visit(app, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			known = append(known, key(flag.Name))
		}
		return next(nil)
	})
	if err != nil {
		return err
	}
	for _, names := range renamed {
		known = append(known, key(names[0]))
	}
	for _, name := range slices.Sorted(maps.Keys(c.values)) {
		if slices.Contains(known, key(name)) {
			continue
		}
		if near := contract.Nearest(name, known); near != "" {
			return fmt.Errorf("the configuration file: no flag is named %q; did you mean %q?", name, near)
		}
		return fmt.Errorf("the configuration file: no flag is named %q; keys are the flags with _ for -, as keep_jobs", name)
	}
	return nil
}
