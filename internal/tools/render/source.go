package render

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/geometry"
	"atelier/internal/vtkfile"
)

// source is the input as the engine gets it: a surface as arrays, or field files.
type source struct {
	surface    *surfaceFiles
	pieces     []string // names of field files in the engine's folder, one for each part
	inputs     map[string]string
	lengthUnit string
	time       *vtkfile.Step
	scratch    string // folder to remove when the job is done; "" for none
}

// surfaceFiles names the arrays of a surface: float64 (n, 3), int32 (t, 3), int32 (t).
type surfaceFiles struct {
	Points    string `json:"points"`
	Triangles string `json:"triangles"`
	FaceID    string `json:"face_id,omitempty"`
}

func (s *source) close() {
	if s.scratch != "" {
		_ = os.RemoveAll(s.scratch)
	}
}

// open finds out what the file is, by its content, and prepares it.
func open(path string, timeIndex *int, dir string, find vtkfile.Beside) (*source, error) {
	head, err := vtkfile.Head(path)
	if err != nil {
		return nil, err
	}
	switch {
	case vtkfile.Collection(head):
		files, step, err := vtkfile.Series(path, timeIndex, find)
		if err != nil {
			return nil, err
		}
		s := fieldFiles(files)
		s.time = step
		return s, nil
	case timeIndex != nil && *timeIndex > 0:
		return nil, contract.Errorf(contract.CodeInvalidInput, "time_index is %d, but the file is no series", *timeIndex).
			At("/time_index").WithHint("Give the .pvd file of the series.")
	case vtkfile.XML(head):
		files, err := vtkfile.Pieces(path, find)
		if err != nil {
			return nil, err
		}
		return fieldFiles(files), nil
	case bytes.HasPrefix(head, []byte("# vtk DataFile")):
		return fieldFiles([]string{path}), nil
	case strings.HasPrefix(strings.ToLower(filepath.Ext(path)), ".vt") || strings.EqualFold(filepath.Ext(path), ".pvd"):
		return nil, contract.Errorf(contract.CodeFileUnreadable, "%s does not begin as a VTK file", filepath.Base(path)).
			WithHint("Write the file again; it may be damaged or of another kind.")
	case bytes.HasPrefix(head, []byte("MFEM mesh")), bytes.HasPrefix(head, []byte("$MeshFormat")), bytes.HasPrefix(head, []byte("tet ")):
		return nil, contract.Errorf(contract.CodeFileUnreadable, "%s is a volume mesh without fields", filepath.Base(path)).
			WithHint("Draw the surface it was made from, its .vtu, or a solver's solution.")
	}
	return openSurface(path, dir)
}

func fieldFiles(paths []string) *source {
	s := &source{}
	s.pieces, s.inputs = vtkfile.Inputs(paths)
	return s
}

// openSurface reads a surface with the project's own reader, so that what the
// mesh tools accept is what can be drawn, and hands it over as arrays.
func openSurface(path, dir string) (*source, error) {
	m, err := geometry.Read(path)
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp(dir, "surface-")
	if err != nil {
		return nil, err
	}
	s := &source{surface: &surfaceFiles{}, inputs: map[string]string{}, lengthUnit: m.Meta.LengthUnit, scratch: scratch}
	save := func(name, dtype string, shape []int, data any) error {
		file := filepath.Join(scratch, name)
		s.inputs["in/"+name] = file
		return writeNPY(file, dtype, shape, data)
	}
	s.surface.Points, s.surface.Triangles = "in/points.npy", "in/triangles.npy"
	err = errors.Join(
		save("points.npy", "<f8", []int{len(m.Vertices), 3}, m.Vertices),
		save("triangles.npy", "<i4", []int{len(m.Triangles), 3}, m.Triangles),
	)
	if m.FaceID != nil {
		s.surface.FaceID = "in/face_id.npy"
		err = errors.Join(err, save("face_id.npy", "<i4", []int{len(m.FaceID)}, m.FaceID))
	}
	if err != nil {
		s.close()
		return nil, fmt.Errorf("surface arrays: %w", err)
	}
	return s, nil
}

// writeNPY writes an array in NumPy's .npy format, version 1.0.
func writeNPY(path, dtype string, shape []int, data any) error {
	dims := make([]string, len(shape))
	for i, n := range shape {
		dims[i] = fmt.Sprint(n)
	}
	tuple := strings.Join(dims, ", ")
	if len(shape) == 1 {
		tuple += ","
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", dtype, tuple)
	const prefix = 10
	header += strings.Repeat(" ", 63-(prefix+len(header))%64) + "\n"
	buf := append(make([]byte, 0, prefix+len(header)), "\x93NUMPY\x01\x00"...)
	buf = append(binary.LittleEndian.AppendUint16(buf, uint16(len(header))), header...)
	switch rows := data.(type) {
	case []geometry.Vec3:
		for _, r := range rows {
			for _, v := range r {
				buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v))
			}
		}
	case [][3]int32:
		for _, r := range rows {
			for _, v := range r {
				buf = binary.LittleEndian.AppendUint32(buf, uint32(v))
			}
		}
	case []int32:
		for _, v := range rows {
			buf = binary.LittleEndian.AppendUint32(buf, uint32(v))
		}
	}
	return os.WriteFile(path, buf, 0o600)
}
