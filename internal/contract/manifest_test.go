package contract

import (
	"bytes"
	"strings"
	"testing"
)

// The fuzzer found a server whose contracts were no JSON any more after the
// first manifest: white space before the last brace was written over.
func TestManifestLeavesTheContractAlone(t *testing.T) {
	c, err := Parse(bytes.Replace(minimal(t, nil), []byte(`"properties":{},"type":"object"}`), []byte("\"properties\":{},\"type\":\"object\" \n }"), 1))
	if err != nil {
		t.Fatal(err)
	}
	before := string(c.OutputSchema)
	if m := c.Manifest(1); string(m.OutputSchema) != `{"properties":{},"type":"object","required":[]}` {
		t.Fatalf("%s", m.OutputSchema)
	}
	if string(c.OutputSchema) != before || !strings.HasSuffix(before, "\n }") {
		t.Fatalf("%q became %q", before, c.OutputSchema)
	}
}
