package jsonvalue

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// The pointers are those of RFC 6901, section 4: ~ and / of a name are escaped.
func TestWalkVisitsAllInOrder(t *testing.T) {
	var v any
	if err := json.Unmarshal([]byte(`{"b":[1,{"a/b~":2}],"a":null}`), &v); err != nil {
		t.Fatal(err)
	}
	var seen []string
	if err := Walk(v, func(at string, v any) error { seen = append(seen, fmt.Sprintf("%s %v", at, v)); return nil }); err != nil {
		t.Fatal(err)
	}
	want := []string{" map[a:<nil> b:[1 map[a/b~:2]]]", "/a <nil>", "/b [1 map[a/b~:2]]", "/b/0 1", "/b/1 map[a/b~:2]", "/b/1/a~1b~0 2"}
	if !slices.Equal(seen, want) {
		t.Errorf("%q", seen)
	}
	stop, count := errors.New("stop"), 0
	if err := Walk(v, func(at string, _ any) error {
		if count++; at == "/b/0" {
			return stop
		}
		return nil
	}); !errors.Is(err, stop) || count != 4 {
		t.Errorf("%v after %d", err, count)
	}
}
