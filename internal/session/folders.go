package session

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/internal/contract"
	"atelier/internal/store"
)

// Folders of a session, in the order of the work.
var Folders = []string{"input", "geometry", "mesh", "solve", "render", "logs"}

const inputFolder = "input"

// place says where the files of a tool go, and which stage its success reaches;
// stage "" leaves the stage as it is.
type place struct{ folder, stage string }

// places by the tool's family. A tool of the mesh family that is capable of
// repair mends surfaces: its result is still the part's geometry.
//
//	cad              geometry   geometry_import
//	cad, volume mesh mesh       volume_mesh
//	mesh, repair     geometry   mesh_repair
//	mesh             mesh       volume_mesh
//	solve, circuit   solve      solve
//	render           render     render
//	any other        logs       (unchanged)
var places = map[string]place{
	"cad":     {"geometry", "geometry_import"},
	"mesh":    {"mesh", "volume_mesh"},
	"solve":   {"solve", "solve"},
	"circuit": {"solve", "solve"},
	"render":  {"render", "render"},
}

func placeOf(c *contract.Contract) place {
	if slices.Contains(c.Capabilities, "volume_mesh") {
		return places["mesh"]
	}
	p, ok := places[c.Family]
	if !ok {
		return place{folder: "logs"}
	}
	if c.Family == "mesh" && slices.Contains(c.Capabilities, "repair") {
		return place{"geometry", "mesh_repair"}
	}
	return p
}

const longestName = 200 // bytes; file systems stop at 255

// uploadName reduces a name that a client sends to a plain file name: its last
// path component, of either slash, without control characters.
func uploadName(name string) string {
	name = strings.ToValidUTF8(strings.ReplaceAll(name, `\`, "/"), "_")
	name = path.Base("/" + name)
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name))
	if strings.Trim(name, "./ ") == "" {
		return "upload.dat"
	}
	if len(name) > longestName {
		ext := path.Ext(name)
		if len(ext) > 20 {
			ext = ""
		}
		name = strings.ToValidUTF8(name[:longestName-len(ext)], "") + ext
	}
	return name
}

// taken tells the paths of a session, without regard to case: an export must
// unpack on every system.
type taken map[string]string // lower-case path to content

func takenBy(assets []store.Asset) taken {
	t := taken{strings.ToLower(ManifestName): ""}
	for _, a := range assets {
		t[strings.ToLower(a.Path)] = a.SHA256
	}
	return t
}

func (t taken) has(p string) bool { _, ok := t[strings.ToLower(p)]; return ok }

// free makes a path unique: part.step, part-2.step, part-3.step …
func (t taken) free(p string) string {
	ext := path.Ext(p)
	stem := strings.TrimSuffix(p, ext)
	for n := 2; t.has(p); n++ {
		p = fmt.Sprintf("%s-%d%s", stem, n, ext)
	}
	return p
}

// freeFolder finds where all the files of a job fit beside what is there: the
// folder itself, else folder/2, folder/3 … so that the relative names within a
// series hold. Files that are there already with the same content do not count
// as in the way.
func (t taken) freeFolder(folder string, files []store.Artifact) string {
	for n := 1; ; n++ {
		at := folder
		if n > 1 {
			at = fmt.Sprintf("%s/%d", folder, n)
		}
		fits := true
		for _, f := range files {
			sha, there := t[strings.ToLower(at+"/"+f.Name)]
			fits = fits && (!there || sha == f.SHA256)
		}
		if fits {
			return at
		}
	}
}
