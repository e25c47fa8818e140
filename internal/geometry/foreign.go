package geometry

import (
	"bytes"
	"strings"

	"atelier/internal/contract"
)

const (
	asCAD     = "Give it to cad_import_truck, which makes a surface of it, or to volume_mesh_cad."
	asCADFile = "Give it to volume_mesh_cad, which meshes it as it is."
	unpack    = "Unpack it and give the surface file in it."
	asSurface = "Export the surface from it as OBJ, STL, PLY, OFF or GLB."
)

// foreign are the beginnings of files that are handed in as surfaces and are none.
var foreign = []struct{ prefix, what, hint string }{
	{"ISO-10303-21", "a STEP file (ISO-10303-21)", asCAD},
	{"ISO-10303-28", "STEP as XML (ISO-10303-28)", "Export it as STEP text (ISO 10303-21) and give it to cad_import_truck."},
	{"DBRep_DrawableShape", "a BREP file", asCADFile},
	{"CASCADE Topology", "a BREP file", asCADFile},
	{"PK\x03\x04", "a ZIP archive, as 3MF files are too", "Unpack it and give the surface file in it; of a 3MF file, export the surface as OBJ, STL, PLY, OFF or GLB."},
	{"\x1f\x8b", "a gzip archive", unpack},
	{"\xd0\xcf\x11\xe0", "a native CAD document", "Export it as STEP AP214 or AP242 from the CAD program, and give that to cad_import_truck."},
	{"**ABCDEFGHIJKLMNOPQRSTUVWXYZ", "a Parasolid file", "Export it as STEP AP214 or AP242 from the CAD program, and give that to cad_import_truck."},
	{"$MeshFormat", "a Gmsh mesh", asSurface},
	{"# vtk DataFile", "a VTK file", asSurface},
	{"<VTKFile", "a VTK file", asSurface},
	{"<?xml", "an XML document", asSurface},
	{"<!DOCTYPE", "a web page", "What was downloaded is a page and not the file that it links to; fetch that one."},
	{"<html", "a web page", "What was downloaded is a page and not the file that it links to; fetch that one."},
	{"%PDF", "a PDF document", asSurface},
}

// checkForeign refuses content that its first bytes show to be of another format than f,
// which its name gave it, and says which: else the reader of f tells of its own first fault.
func checkForeign(data []byte, f Format) error {
	body := afterComments(bytes.TrimLeft(bytes.TrimPrefix(data[:min(len(data), 64<<10)], []byte("\xef\xbb\xbf")), " \t\r\n"))
	for _, x := range foreign {
		if bytes.HasPrefix(body, []byte(x.prefix)) {
			return unreadable("the file is %s, and no surface format that is known here%s", x.what, taken(f)).WithHint("%s", x.hint)
		}
	}
	if isIGES(data) {
		return unreadable("the file is an IGES file, and no surface format that is known here%s", taken(f)).WithHint("%s", asCADFile)
	}
	is, what := surfaceBy(data, body)
	if is == "" || is == f || f == "" {
		return nil
	}
	return unreadable("the file is %s, and not %s as its name says", what, strings.ToUpper(string(f))).
		WithHint("Name it .%s and hand it in again.", is)
}

func taken(f Format) string {
	if f == "" {
		return " (" + knownFormats + ")"
	}
	return ": it was taken for " + strings.ToUpper(string(f)) + " by its name"
}

const knownFormats = "obj, stl, ply, off, glb"

// afterComments is the text after the comments with which a STEP file may begin.
func afterComments(text []byte) []byte {
	for bytes.HasPrefix(text, []byte("/*")) {
		end := bytes.Index(text, []byte("*/"))
		if end < 0 {
			return text
		}
		text = bytes.TrimLeft(text[end+2:], " \t\r\n")
	}
	return text
}

// isIGES goes by the letter of the start section and the number of its first line, which
// stand in the columns 73 to 80.
func isIGES(data []byte) bool {
	return len(data) > 80 && data[72] == 'S' && strings.TrimLeft(string(data[73:80]), " 0") == "1" && (data[80] == '\r' || data[80] == '\n')
}

// surfaceBy is the surface format that the content alone shows it to have; "" where the
// reader of the format that the name gives has to look.
func surfaceBy(data, body []byte) (Format, string) {
	switch head := body[:min(len(body), 4096)]; {
	case bytes.HasPrefix(body, []byte("glTF")):
		return GLB, "a GLB file"
	case bytes.HasPrefix(body, []byte("ply\n")), bytes.HasPrefix(body, []byte("ply\r")):
		return PLY, "a PLY file"
	case offHeader(data[:min(len(data), 512)]):
		return OFF, "an OFF file"
	case isBinarySTL(data):
		return STL, "a binary STL file"
	case bytes.IndexByte(head, 0) >= 0:
		return "", ""
	case bytes.HasPrefix(head, []byte("solid")) && bytes.Contains(bytes.ToLower(head), []byte("facet")):
		return STL, "an ASCII STL file"
	case looksOBJ(body):
		return OBJ, "an OBJ file (text with v and f lines)"
	}
	return "", ""
}

// looksOBJ says whether the text has both lines of three coordinates after a v and lines of
// three corners after an f.
func looksOBJ(text []byte) bool {
	v, f := false, false
	for line := range bytes.Lines(text) {
		w := bytes.Fields(line)
		if len(w) < 4 {
			continue
		}
		switch string(w[0]) {
		case "v":
			_, ok := parseFloat(w[1])
			v = v || ok
		case "f":
			f = f || w[1][0] == '-' || w[1][0]-'0' <= 9
		}
		if v && f {
			return true
		}
	}
	// A large file may have more vertices at its beginning than are looked at.
	return v && len(text) > 60<<10
}

// unknownFormat refuses what no reader claims.
func unknownFormat() *contract.Error {
	return unreadable("the content is no surface format that is known here (" + knownFormats + ")").
		WithHint("STEP files go to cad_import_truck first; volume_mesh_cad meshes STEP, IGES and BREP as they are.")
}
