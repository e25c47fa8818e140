package solve

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"atelier/internal/contract"
)

// staged is a mesh as the engine will see it.
type staged struct {
	name   string            // inside the job's folder
	inputs map[string]string // files to be shown to the engine, by their names there
	path   string            // on this machine
	at     string            // of the argument
}

// stageMesh puts the mesh where the engine reads it. A packed one is unpacked first,
// since what the file says of itself stands inside.
func stageMesh(ctx context.Context, call *contract.Call, mesh MeshRef) (staged, error) {
	s, err := stageAsIs(ctx, call, mesh)
	if err != nil {
		return s, err
	}
	return unpacked(call, s)
}

func stageAsIs(ctx context.Context, call *contract.Call, mesh MeshRef) (staged, error) {
	if mesh.Type == "file" {
		if mesh.Path == "" || mesh.Data != "" {
			return staged{}, contract.Errorf(contract.CodeInvalidInput, "a mesh of type file needs path, and no data").At("/mesh/path")
		}
		path, err := call.File(ctx, mesh.Path, "/mesh/path")
		if err != nil {
			return staged{}, err
		}
		name := "in/part" + strings.ToLower(filepath.Ext(path))
		return staged{name, map[string]string{name: path}, path, "/mesh/path"}, nil
	}
	if mesh.Data == "" || mesh.Path != "" {
		return staged{}, contract.Errorf(contract.CodeInvalidInput, "a mesh of type inline_mfem needs data, and no path").At("/mesh/data")
	}
	data := []byte(mesh.Data)
	if mesh.Encoding == "base64" {
		var err error
		if data, err = base64.StdEncoding.DecodeString(mesh.Data); err != nil {
			return staged{}, contract.Errorf(contract.CodeInvalidInput, "mesh.data is not valid base64: %w", err).At("/mesh/data")
		}
	}
	const name = "inline.mesh"
	path := filepath.Join(call.Dir, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return staged{}, fmt.Errorf("inline mesh: %w", err)
	}
	return staged{name, nil, path, "/mesh/data"}, nil
}

// unpacked is the mesh without its gzip packing.
func unpacked(call *contract.Call, s staged) (staged, error) {
	in, err := os.Open(s.path)
	if err != nil {
		return s, fmt.Errorf("packed mesh: %w", err)
	}
	defer in.Close()
	packed := bufio.NewReader(in)
	if head, err := packed.Peek(2); err != nil || !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return s, nil // no gzip file, RFC 1952
	}
	damaged := func(err error) error {
		return contract.Errorf(contract.CodeMeshUnreadable, "the mesh is packed by gzip and cannot be unpacked: %w", err).At(s.at).
			WithHint("Pack it again, or give it unpacked.")
	}
	r, err := gzip.NewReader(packed)
	if err != nil {
		return s, damaged(err)
	}
	out := s
	out.name = "unpacked" + cmp.Or(strings.ToLower(filepath.Ext(strings.TrimSuffix(s.path, filepath.Ext(s.path)))), ".mesh")
	out.path, out.inputs = filepath.Join(call.Dir, out.name), nil
	file, err := os.OpenFile(out.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return s, fmt.Errorf("packed mesh: %w", err)
	}
	limit := cmp.Or(call.Limits.MemoryMB, contract.DefaultLimits().MemoryMB) << 20
	n, err := io.Copy(file, io.LimitReader(r, limit+1))
	if closed := file.Close(); err == nil && closed != nil {
		return s, fmt.Errorf("packed mesh: %w", closed)
	}
	switch {
	case err != nil:
		return s, damaged(err)
	case n > limit:
		return s, contract.Errorf(contract.CodeMemoryExceeded, "the packed mesh has more than %d MB unpacked", limit>>20).At(s.at).
			WithHint("Raise memory_mb, or give a coarser mesh.")
	}
	return out, nil
}

// mfemHeader ends where MFEM's text format says the dimension; comments, with the names
// of faces among them, may stand before.
var mfemHeader = regexp.MustCompile(`(?m)^dimension\s+([123])\s`)

const headerBytes = 1 << 18

// dimension is that of a mesh in MFEM's text format; 0 where the engine must say it.
func (s staged) dimension() int {
	in, err := os.Open(s.path)
	if err != nil {
		return 0
	}
	defer in.Close()
	head, err := io.ReadAll(io.LimitReader(in, headerBytes))
	if err != nil || !bytes.HasPrefix(head, []byte("MFEM mesh")) {
		return 0
	}
	m := mfemHeader.FindSubmatch(head)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(string(m[1])) // one digit
	return n
}
