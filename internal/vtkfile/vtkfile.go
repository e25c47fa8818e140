// Package vtkfile finds the files that hold the data of a VTK file: the steps of a
// series (.pvd) and the pieces of a parallel file (.pvtu, .pvtp …). The data themselves
// are read by VTK.
package vtkfile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/contract"
)

// Step says which step of a series was taken.
type Step struct {
	Index int      `json:"index"`
	Count int      `json:"count"`
	Value *float64 `json:"value"` // as the series gives it, s in our solvers; null where it has none
}

// document is what a series and a parallel file say about the files that they stand for.
type document struct {
	Type       string    `xml:"type,attr"`
	DataSets   []dataSet `xml:"Collection>DataSet"`
	Unstruct   []piece   `xml:"PUnstructuredGrid>Piece"`
	Poly       []piece   `xml:"PPolyData>Piece"`
	Image      []piece   `xml:"PImageData>Piece"`
	Rectilin   []piece   `xml:"PRectilinearGrid>Piece"`
	Structured []piece   `xml:"PStructuredGrid>Piece"`
}

type dataSet struct {
	Timestep *float64 `xml:"timestep,attr"`
	File     string   `xml:"file,attr"`
}

type piece struct {
	Source string `xml:"Source,attr"`
}

var typePattern = regexp.MustCompile(`<VTKFile[^>]*\stype\s*=\s*["']([A-Za-z]+)["']`)

func fileType(head []byte) string {
	if found := typePattern.FindSubmatch(head); found != nil {
		return string(found[1])
	}
	return ""
}

const headBytes = 4096

// Head is the beginning of a file, which tells its kind.
func Head(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, contract.Errorf(contract.CodeFileUnreadable, "%s cannot be opened: %w", filepath.Base(path), err)
	}
	defer f.Close()
	head := make([]byte, headBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, contract.Errorf(contract.CodeFileUnreadable, "%s cannot be read: %w", filepath.Base(path), err)
	}
	if len(bytes.TrimSpace(head[:n])) == 0 && n < headBytes {
		return nil, contract.Errorf(contract.CodeFileEmpty, "%s has no content", filepath.Base(path))
	}
	return head[:n], nil
}

// XML says whether a file with such a head is one of VTK's in XML.
func XML(head []byte) bool { return bytes.Contains(head, []byte("<VTKFile")) }

// Collection says whether it is a series.
func Collection(head []byte) bool { return XML(head) && fileType(head) == "Collection" }

// Beside finds a file that the file at path names relative to itself.
type Beside func(path, name string) (string, error)

// Series are the files of one time step of a .pvd file; nil or -1 is the last.
func Series(path string, index *int, find Beside) ([]string, *Step, error) {
	doc, err := readIndex(path)
	if err != nil {
		return nil, nil, err
	}
	if len(doc.DataSets) == 0 {
		return nil, nil, contract.Errorf(contract.CodeFileEmpty, "the series %s names no file", filepath.Base(path))
	}
	steps := groupSteps(doc.DataSets)
	at := len(steps) - 1
	if index != nil && *index != -1 {
		at = *index
	}
	if at >= len(steps) {
		return nil, nil, contract.Errorf(contract.CodeInvalidInput, "time_index is %d; the series has %d time step(s)", at, len(steps)).
			At("/time_index").WithHint("Use 0 to %d, or -1 for the last.", len(steps)-1)
	}
	var files []string
	for _, set := range steps[at] {
		file, err := find(path, set.File)
		if err != nil {
			return nil, nil, err
		}
		parts, err := Pieces(file, find)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, parts...)
	}
	return files, &Step{at, len(steps), steps[at][0].Timestep}, nil
}

// groupSteps puts data sets of one time together (the parts of a divided mesh),
// in the order of time; without times each is a step of its own.
func groupSteps(sets []dataSet) [][]dataSet {
	sets = slices.Clone(sets)
	timed := !slices.ContainsFunc(sets, func(d dataSet) bool { return d.Timestep == nil })
	if timed {
		slices.SortStableFunc(sets, func(a, b dataSet) int {
			switch {
			case *a.Timestep < *b.Timestep:
				return -1
			case *a.Timestep > *b.Timestep:
				return 1
			}
			return 0
		})
	}
	var steps [][]dataSet
	for _, d := range sets {
		if n := len(steps); timed && n > 0 && *steps[n-1][0].Timestep == *d.Timestep {
			steps[n-1] = append(steps[n-1], d)
			continue
		}
		steps = append(steps, []dataSet{d})
	}
	return steps
}

// Pieces are the files that hold the data of a .pvtu and its like; a file that
// holds its own data is its only piece.
func Pieces(path string, find Beside) ([]string, error) {
	head, err := Head(path)
	if err != nil {
		return nil, err
	}
	kind := fileType(head)
	if !strings.HasPrefix(kind, "PUn") && !strings.HasPrefix(kind, "PPo") && !strings.HasPrefix(kind, "PIm") &&
		!strings.HasPrefix(kind, "PRe") && !strings.HasPrefix(kind, "PSt") {
		return []string{path}, nil
	}
	doc, err := readIndex(path)
	if err != nil {
		return nil, err
	}
	parts := slices.Concat(doc.Unstruct, doc.Poly, doc.Image, doc.Rectilin, doc.Structured)
	if len(parts) == 0 {
		return nil, contract.Errorf(contract.CodeFileEmpty, "%s names no piece", filepath.Base(path))
	}
	files := make([]string, len(parts))
	for i, p := range parts {
		if files[i], err = find(path, p.Source); err != nil {
			return nil, err
		}
	}
	return files, nil
}

const maxIndexBytes = 16 << 20

func readIndex(path string) (*document, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, contract.Errorf(contract.CodeFileUnreadable, "%s cannot be opened: %w", filepath.Base(path), err)
	}
	defer f.Close()
	doc := &document{}
	if err := xml.NewDecoder(io.LimitReader(f, maxIndexBytes)).Decode(doc); err != nil {
		return nil, contract.Errorf(contract.CodeFileUnreadable, "%s is not well-formed XML: %w", filepath.Base(path), err).
			WithHint("Write the file again; it may be cut off.")
	}
	return doc, nil
}

// Inputs are the names under which an engine sees several files, and these by name.
func Inputs(paths []string) (names []string, files map[string]string) {
	files = map[string]string{}
	for i, path := range paths {
		name := fmt.Sprintf("in/piece%d%s", i, strings.ToLower(filepath.Ext(path)))
		names, files[name] = append(names, name), path
	}
	return names, files
}
