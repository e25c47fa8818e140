package cad

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/geometry"
	"atelier/internal/part21"
)

const (
	namesFile  = "names.json"
	namesShare = 0.2 // of the call's time that the names may take
)

// nameList is a list of the bodies and faces of the file with their names, for Netgen's
// engine: Netgen's reader names nothing in an assembly.
type nameList struct {
	Path  string  `json:"path"`
	Scale float64 `json:"scale"` // mm in its unit
}

// naming is what the text of a STEP file says of the names in it.
type naming struct {
	solids int
	faces  int      // with a name
	placed bool     // a shape stands elsewhere than where it was drawn
	called []string // names of solids and products, those of solids first
}

// namingOf reads the text of a STEP file.
func namingOf(ctx context.Context, file string) (naming, error) {
	f, err := os.Open(file)
	if err != nil {
		return naming{}, err
	}
	defer f.Close()
	var n naming
	var products []string
	_, err = part21.Read(contract.Cancellable(ctx, f), bearsName, func(i part21.Instance) {
		for _, r := range i.Records {
			switch name := nameIn(r); {
			case r.Keyword == "PRODUCT":
				products = append(products, name)
			case isSolid(r.Keyword):
				n.solids, n.called = n.solids+1, append(n.called, name)
			case isFace(r.Keyword):
				if name != "" {
					n.faces++
				}
			case moves(r.Keyword):
				n.placed = true
			}
		}
	})
	n.called = append(n.called, products...)
	return n, err
}

func bearsName(keyword string) bool {
	return keyword == "PRODUCT" || isSolid(keyword) || isFace(keyword) || moves(keyword)
}

func isSolid(keyword string) bool {
	return strings.HasSuffix(keyword, "_BREP") || keyword == "BREP_WITH_VOIDS"
}

func isFace(keyword string) bool { return keyword == "ADVANCED_FACE" || keyword == "FACE_SURFACE" }

func moves(keyword string) bool {
	return keyword == component || keyword == mappedItem || keyword == transformation
}

// nameIn is the name of a product or of an item of a shape; "" for what exporters write
// where there is none, as engines/occt/src/step_text.cc has it.
func nameIn(r part21.Record) string {
	at := 0
	if r.Keyword == "PRODUCT" {
		at = 1 // its first attribute is its id
	}
	switch name := strings.TrimSpace(r.At(at).String()); name {
	case "NONE", "''", "$":
		return ""
	default:
		return name
	}
}

// igesNames says that an IGES file names something: an entry of its directory has a label
// (columns 57 to 64 of its second line), or is a property, of which one kind is a name
// (IGES 5.3, 2.2.4.4 and 4.98).
func igesNames(ctx context.Context, file string) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	lines, second := bufio.NewScanner(contract.Cancellable(ctx, f)), false
	for lines.Scan() {
		line := lines.Text()
		if len(line) < 73 || line[72] != 'D' {
			continue
		}
		if second && strings.TrimSpace(line[56:64]) != "" || !second && strings.TrimSpace(line[:8]) == "406" {
			return true, nil
		}
		second = !second
	}
	return false, lines.Err()
}

// sure says that Netgen's reader keeps the names of the faces, and that the body has one name.
func (n naming) sure() bool { return n.solids == 1 && len(n.called) == 2 && !n.placed }

// body is the name of the only body.
func (n naming) body() string {
	if n.called[0] != "" {
		return n.called[0]
	}
	return n.called[1]
}

// names has the other engine list what the file names, where Netgen's reader loses it or
// the caller names something. What it warns of is that names may be missing.
func (m *meshers) names(ctx context.Context, format string, in volumeInput) ([]contract.Warning, error) {
	if format == "brep" || in.Mesher == stuffed {
		return nil, nil // no names in it; stuffing has its own
	}
	file := m.files[m.request.Path]
	if format == "iges" {
		if named, err := igesNames(ctx, file); err != nil || !named {
			return nil, err
		}
	} else {
		var err error
		if m.naming, err = namingOf(ctx, file); err != nil || m.naming.sure() && !asksName(in.Bodies) {
			return nil, err
		}
	}
	why := m.host.Check(occt)
	if why == nil {
		why = m.listNames(ctx)
	}
	if ctx.Err() != nil {
		return nil, why
	}
	if why == nil {
		return nil, nil
	}
	return []contract.Warning{{Code: "names_unknown", Message: fmt.Sprintf(
		"Bodies and faces may have names in the file that are not in the mesh, since the engine that reads them, %s, did not: %s. Numbers can be given instead.", occt, strings.TrimSuffix(contract.AsError(why).Message, "."))}}, nil
}

// asksName says that a list of the caller's holds a text.
func asksName(list []json.RawMessage) bool {
	return slices.ContainsFunc(list, func(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '"' })
}

// listNames imports the part for the list beside its triangles.
func (m *meshers) listNames(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, time.Duration(namesShare*left(ctx)*float64(time.Second)))
	defer cancel()
	quiet := *m.call
	quiet.Report = func(contract.Event) {}
	p := plan{engine: occt, format: "obj", cadFile: m.request.Path, meshFile: surfaceFile, facesFile: namesFile}
	// A coarser mesh than the usual one costs more, since it is torn and tried again.
	request := importInput{LengthUnit: m.unit, Heal: true, MaxTriangles: mostTriangles}.request(limited, p)
	defer os.Remove(m.inDir(surfaceFile))
	if _, err := m.host.Run(limited, &quiet, engine.Job{Engine: occt, Request: request, Inputs: map[string]string{m.request.Path: m.files[m.request.Path]}}); err != nil {
		return err
	}
	listed, err := readList(m.call.Dir, p)
	if err != nil {
		return err
	}
	m.request.Names = &nameList{m.handOver(namesFile), geometry.LengthUnits[listed.LengthUnit] / geometry.LengthUnits["mm"]}
	return nil
}

// listing is the import's list of all bodies, of which its answer has only the first.
type listing struct {
	LengthUnit string     `json:"length_unit"`
	Bodies     []bodyInfo `json:"bodies"`
}

func readList(dir string, p plan) (out listing, err error) {
	raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p.facesFile)))
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		err = contract.Errorf(contract.CodeInternal, "the list of bodies cannot be read: %w", err)
	}
	return out, err
}

// unnamed adds to what is said of a name that is not there that not all names are known.
func unnamed(err error, untold []contract.Warning) error {
	e := contract.AsError(err)
	if len(untold) == 0 || !strings.HasPrefix(e.Field, "/bodies/") && !strings.HasPrefix(e.Field, "/local_sizes/") {
		return err
	}
	return e.WithHint("%s %s", e.Hint, untold[0].Message)
}

// name gives the only body its name where Netgen's reader has not, and says where faces
// have lost theirs.
func (n naming) name(a *volumeAnswer) []contract.Warning {
	if n.solids == 0 || a.mesher() == stuffed {
		return nil
	}
	if n.sure() && len(a.Bodies) == 1 && a.Bodies[0].Name == "" {
		a.Bodies[0].Name = n.body()
	}
	for _, f := range a.Faces {
		if f.Name != "" || n.faces == 0 || !n.sure() {
			return nil
		}
	}
	return []contract.Warning{{Code: "names_unknown", Message: fmt.Sprintf(
		"%d faces have a name in the file, and none has one in the mesh: Netgen's reader has not kept them. Numbers can be given instead.", n.faces)}}
}
