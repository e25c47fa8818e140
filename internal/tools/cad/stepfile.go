package cad

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"

	"atelier/internal/contract"
)

const (
	unsupported = contract.CodeStepUnsupportedSchema
	headBytes   = 64 << 10
)

// checkSTEP looks at a file before an engine does: that it has content, is text of
// ISO 10303-21, has not been cut short, and follows a schema of CAD parts. What
// the geometry is worth is for the engine to say.
func checkSTEP(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return contract.Errorf(contract.CodeFileUnreadable, "the file cannot be opened: %w", err)
	}
	defer f.Close()
	head, tail, err := ends(f)
	if err != nil {
		return contract.Errorf(contract.CodeFileUnreadable, "the file cannot be read: %w", err)
	}
	body := bytes.TrimSpace(head)
	if len(body) == 0 && len(bytes.TrimSpace(tail)) == 0 {
		return contract.Errorf(contract.CodeFileEmpty, "the file has no content").
			WithHint("Export the part again, or upload the file again: nothing arrived.")
	}
	if !bytes.HasPrefix(afterComments(body), []byte("ISO-10303-21")) {
		return notSTEP(body)
	}
	// The end may be followed by white space or, in edition 3, a signature.
	if !bytes.Contains(tail, []byte("END-ISO-10303-21")) {
		return contract.Errorf(contract.CodeFileUnreadable, "the STEP file ends before END-ISO-10303-21: it was cut short").
			WithHint("Copy or upload it again; a part of the geometry is missing.")
	}
	return checkSchema(body)
}

// ends reads the first and the last stretch of a file; they overlap in a short one.
func ends(f *os.File) (head, tail []byte, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	n := min(info.Size(), headBytes)
	head, tail = make([]byte, n), make([]byte, n)
	for _, part := range []struct {
		into []byte
		at   int64
	}{{head, 0}, {tail, info.Size() - n}} {
		if _, err := f.ReadAt(part.into, part.at); err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, err
		}
	}
	return head, tail, nil
}

func afterComments(text []byte) []byte {
	for bytes.HasPrefix(text, []byte("/*")) {
		end := bytes.Index(text, []byte("*/"))
		if end < 0 {
			return text
		}
		text = bytes.TrimSpace(text[end+2:])
	}
	return text
}

var foreign = []struct{ prefix, what, hint string }{
	{"PK\x03\x04", "a ZIP archive", "Unpack it and give the STEP file in it."},
	{"\x1f\x8b", "a gzip archive", "Unpack it and give the STEP file in it."},
	{"\xef\xbb\xbf", "text with a byte order mark", "Save it without the mark: ISO 10303-21 does not allow one."},
	{"solid", "an STL mesh", "It is a mesh already: give it to mesh_repair_pmp."},
	{"glTF", "a GLB mesh", "It is a mesh already: give it to mesh_repair_pmp."},
	{"ply\n", "a PLY mesh", "It is a mesh already: give it to mesh_repair_pmp."},
	{"\xd0\xcf\x11\xe0", "a native CAD document", "Export it as STEP AP214 or AP242 from the CAD program."},
	{"**ABCDEFGHIJKLMNOPQRSTUVWXYZ", "a Parasolid file", "Export it as STEP AP214 or AP242 from the CAD program."},
	{"ISO-10303-28", "STEP as XML", "Export it as STEP text (ISO 10303-21), AP214 or AP242."},
}

func notSTEP(body []byte) error {
	e := contract.Errorf(unsupported, "the file is not STEP: it does not begin with ISO-10303-21").
		WithHint("Give a STEP file (.step, .stp) of schema AP203, AP214 or AP242, an IGES or a BREP file.")
	for _, f := range foreign {
		if bytes.HasPrefix(body, []byte(f.prefix)) {
			return contract.Errorf(unsupported, "the file is %s, not STEP", f.what).WithHint("%s", f.hint)
		}
	}
	return e
}

var schemaPattern = regexp.MustCompile(`(?s)FILE_SCHEMA\s*\(\s*\(\s*'([^']*)'`)

// notParts are schemas of ISO 10303-21 files that hold no boundary representation
// in the manner of the mechanical application protocols.
var notParts = map[string]string{
	"IFC":                    "a building model (IFC)",
	"STRUCTURAL_FRAME":       "a steel frame model (CIS/2)",
	"PLANT_SPATIAL":          "a plant model (AP227)",
	"ELECTROTECHNICAL":       "an electrical design (AP212)",
	"PRINTED_CIRCUIT":        "a circuit board layout",
	"STEP_MERGED_CAM_SCHEMA": "machining data",
}

func checkSchema(body []byte) error {
	m := schemaPattern.FindSubmatch(body)
	if m == nil {
		return nil // some exporters leave it out; the engine decides
	}
	name := strings.ToUpper(string(m[1]))
	for prefix, what := range notParts {
		if strings.HasPrefix(name, prefix) {
			return contract.Errorf(unsupported, "the file follows the schema %s: it is %s, not a CAD part", string(m[1]), what).
				WithHint("Export the part as STEP AP203, AP214 or AP242.").With("schema", string(m[1]))
		}
	}
	return nil
}
