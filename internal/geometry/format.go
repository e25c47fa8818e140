package geometry

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"atelier/internal/contract"
)

// Format is a surface file format.
type Format string

// The formats that Read understands and Write makes.
const (
	OBJ Format = "obj"
	STL Format = "stl"
	PLY Format = "ply"
	OFF Format = "off"
	GLB Format = "glb"
)

// maxFileBytes keeps a mesh within 32-bit indices and a server's memory.
const maxFileBytes = 2 << 30

// Read reads a surface file; content decides the format, the extension only
// where the content is ambiguous. Polygons are triangulated, coordinates are
// checked to be finite and indices to be in range. Errors are *contract.Error
// with ERR_FILE_EMPTY, ERR_FILE_NOT_FOUND or ERR_FILE_UNREADABLE and say where.
func Read(path string) (*Mesh, error) {
	m, _, err := ReadFormat(path)
	return m, err
}

// ReadFormat is Read that also tells the format found.
func ReadFormat(path string) (*Mesh, Format, error) {
	data, err := readAll(path)
	if err != nil {
		return nil, "", err
	}
	f := Detect(data, filepath.Ext(path))
	m, err := Decode(data, f)
	if err != nil {
		return nil, f, contract.AsError(err).With("file", filepath.Base(path))
	}
	return m, f, nil
}

func readAll(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, contract.Errorf(contract.CodeFileNotFound, "there is no file %s", filepath.Base(path))
	case err != nil:
		return nil, contract.Errorf(contract.CodeFileUnreadable, "%s cannot be opened: %w", filepath.Base(path), err)
	case !info.Mode().IsRegular():
		return nil, contract.Errorf(contract.CodeFileUnreadable, "%s is not a regular file", filepath.Base(path))
	case info.Size() > maxFileBytes:
		return nil, contract.Errorf(contract.CodeFileUnreadable, "%s has %d bytes; surfaces of at most %d are read",
			filepath.Base(path), info.Size(), int64(maxFileBytes)).WithHint("Decimate the surface before it is handed in.")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, contract.Errorf(contract.CodeFileUnreadable, "%s cannot be read: %w", filepath.Base(path), err)
	}
	return data, nil
}

// Decode reads a surface of a known format from memory.
func Decode(data []byte, f Format) (*Mesh, error) {
	if len(bytes.TrimSpace(data[:min(len(data), 4096)])) == 0 && len(bytes.TrimSpace(data)) == 0 {
		return nil, contract.Errorf(contract.CodeFileEmpty, "the file has no content")
	}
	if err := checkForeign(data, f); err != nil {
		return nil, err
	}
	var m *Mesh
	var err error
	switch f {
	case OBJ:
		m, err = decodeOBJ(data)
	case STL:
		m, err = decodeSTL(data)
	case PLY:
		m, err = decodePLY(data)
	case OFF:
		m, err = decodeOFF(data)
	case GLB:
		m, err = decodeGLB(data)
	default:
		return nil, unknownFormat()
	}
	if err != nil {
		return nil, err
	}
	if len(m.Triangles) == 0 {
		return nil, contract.Errorf(contract.CodeFileUnreadable, "the %s file holds no triangle", f).
			WithHint("A surface needs faces; a point cloud or a wire frame cannot be used.")
	}
	return m, nil
}

// Detect tells the format of a file's content, with its extension (".stl") as
// the hint where the content alone is ambiguous; "" when it is none of ours.
func Detect(data []byte, ext string) Format {
	head := data[:min(len(data), 512)]
	switch {
	case bytes.HasPrefix(head, []byte("glTF")):
		return GLB
	case bytes.HasPrefix(head, []byte("ply\n")), bytes.HasPrefix(head, []byte("ply\r")):
		return PLY
	case offHeader(head):
		return OFF
	case isBinarySTL(data):
		return STL
	}
	switch f := Format(strings.ToLower(strings.TrimPrefix(ext, "."))); f {
	case OBJ, STL, PLY, OFF, GLB:
		return f
	}
	if bytes.HasPrefix(bytes.TrimSpace(head), []byte("solid")) {
		return STL
	}
	for line := range bytes.Lines(data[:min(len(data), 1<<20)]) {
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("v ")) {
			return OBJ
		}
	}
	return ""
}

// Write writes the mesh in the format of the path's extension, with its face
// ids and metadata. STL and GLB hold single-precision coordinates.
func Write(path string, m *Mesh) error {
	data, err := Encode(m, Format(strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))))
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return contract.Errorf(contract.CodeMeshProcessingFailed, "%s cannot be written: %w", filepath.Base(path), err)
	}
	return nil
}

// Encode is Write into memory.
func Encode(m *Mesh, f Format) ([]byte, error) {
	switch f {
	case OBJ:
		return encodeOBJ(m)
	case STL:
		return encodeSTL(m)
	case PLY:
		return encodePLY(m)
	case OFF:
		return encodeOFF(m)
	case GLB:
		return encodeGLB(m)
	}
	return nil, contract.Errorf(contract.CodeInvalidInput, "surfaces are not written as %q", string(f)).
		WithHint("Use obj, stl, ply, off or glb.")
}

// Writable says whether Write can make the format.
func Writable(f Format) bool {
	switch f {
	case OBJ, STL, PLY, OFF, GLB:
		return true
	}
	return false
}

func unreadable(format string, args ...any) *contract.Error {
	return contract.Errorf(contract.CodeFileUnreadable, format, args...)
}

// MIME is the media type of a format's files.
func (f Format) MIME() string {
	switch f {
	case GLB:
		return "model/gltf-binary"
	case STL:
		return "model/stl"
	case OBJ:
		return "model/obj"
	}
	return "application/octet-stream"
}

// vec32 reads a little-endian float32 triple.
func vec32(b []byte) Vec3 {
	return Vec3{
		float64(math.Float32frombits(binary.LittleEndian.Uint32(b))),
		float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4:]))),
		float64(math.Float32frombits(binary.LittleEndian.Uint32(b[8:]))),
	}
}

// LengthUnits are the units that a mesh may carry, with their length in metres.
var LengthUnits = map[string]float64{"m": 1, "mm": 1e-3, "cm": 1e-2, "um": 1e-6, "in": 0.0254, "ft": 0.3048, "km": 1e3}

func knownUnit(u string) bool { _, ok := LengthUnits[u]; return ok }
