package main

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"atelier/internal/engine"
)

// span is what a flag's number may be, both ends included.
type span struct {
	least, most int64
	unit        time.Duration // of a duration; 0 for a plain number
	zero        string        // what 0 means, where it is no small number
}

func (s span) String() string {
	text := fmt.Sprintf("%d to %d", s.least, s.most)
	switch {
	case s.unit > 0:
		text = "at least " + (time.Duration(s.least) * s.unit).String()
	case s.most >= pebi:
		text = fmt.Sprintf("at least %d", s.least)
	}
	if s.zero != "" {
		text += "; 0 " + s.zero
	}
	return text
}

const (
	century = 100 * 365 * 24 // hours
	pebi    = 1 << 50
)

// spans are those of the flags whose numbers mean nothing outside of them. Every
// other number may not be negative.
var spans = map[string]span{
	"threads":          {0, 1024, 0, "takes as many as the machine has"},
	"max-body-bytes":   {1, pebi, 0, ""},
	"max-upload-bytes": {1, pebi, 0, ""},
	"quota-bytes":      {0, 1 << 62, 0, "sets no limit"},
	"keep-jobs":        {0, century, time.Hour, "keeps them for ever"},
	"keep-files":       {0, century, time.Hour, "keeps them for ever"},
	"keep-sessions":    {0, century, time.Hour, "keeps them for ever"},
	"sweep-interval":   {1, century * 3600, time.Second, ""},
	"stop-timeout":     {0, 24 * 3600, time.Second, "ends them at once"},
}

// unlimited are the flags of which a negative number means that there is no limit.
var unlimited = []string{"max-turns", "max-tool-calls", "max-tokens", "max-time"}

// jobsAtOnce is what one queue may be given.
var jobsAtOnce = span{1, 1024, 0, ""}

// checkFlags refuses values that nothing can be done with, whichever way they were
// given: the flag, what it was, what is expected.
func checkFlags(ctx *kong.Context) error {
	var queues map[string]int
	var outside outsideFlags
	for _, f := range ctx.Flags() {
		switch v := f.Target.Interface().(type) {
		case map[string]int:
			queues = v
		case []string:
			if f.Name == "tools" {
				outside.Outside = v
			}
		}
		if err := checkFlag(f.Name, f.Target); err != nil {
			return err
		}
	}
	return checkQueues(queues, outside)
}

func checkFlag(name string, value reflect.Value) error {
	if slices.Contains(unlimited, name) {
		return nil
	}
	allowed, known := spans[name]
	switch v := value.Interface().(type) {
	case time.Duration:
		if !known {
			allowed = span{0, century, time.Hour, ""}
		}
		if v < time.Duration(allowed.least)*allowed.unit || v > time.Duration(allowed.most)*allowed.unit {
			return outOfRange(name, v, allowed)
		}
	case int, int64:
		if !known {
			allowed = span{0, 1 << 62, 0, ""}
		}
		if n := value.Int(); n < allowed.least || n > allowed.most {
			return outOfRange(name, n, allowed)
		}
	case string:
		if name == "engines" && v != "" {
			if info, err := os.Stat(v); err != nil || !info.IsDir() {
				return fmt.Errorf("--engines (or ATELIER_ENGINES) is %s, which is no folder; name the one that engines/install.sh has filled, or leave it out", v)
			}
		}
	}
	return nil
}

func outOfRange(name string, value any, allowed span) error {
	return fmt.Errorf("--%s (or %s) is %v; it must be %s", name, variable(name), value, allowed)
}

// checkQueues refuses a queue that no tool waits in, those from outside among them.
func checkQueues(queues map[string]int, outside outsideFlags) error {
	if len(queues) == 0 {
		return nil
	}
	tools, err := outside.registry()
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, e := range engine.Builtin() {
		known[e.Name] = true
	}
	for _, t := range tools.All() {
		known[t.Contract.Engine] = true
	}
	delete(known, "atelier") // what runs inside the server at once
	for _, name := range slices.Sorted(maps.Keys(queues)) {
		if n := int64(queues[name]); n < jobsAtOnce.least || n > jobsAtOnce.most {
			return outOfRange("queues", fmt.Sprintf("%s=%d", name, n), jobsAtOnce)
		}
		if !known[name] {
			return fmt.Errorf("--queues (or ATELIER_QUEUES) names %q, for which no tool waits; it must be one of %s", name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
	}
	return nil
}
