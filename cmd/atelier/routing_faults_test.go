package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"atelier/internal/testenv"
)

// withoutDriver are the engines on a machine whose OpenGL has no driver.
func withoutDriver(t *testing.T) string {
	return rendererWith(t, func(string) string { return "/dev/null" })
}

// withoutDepth are the engines with a driver that refuses to read depth back.
func withoutDepth(t *testing.T) string {
	return rendererWith(t, func(dir string) string {
		library, list := filepath.Join(dir, "nodepth.so"), filepath.Join(dir, "nodepth.json")
		made := exec.Command("c++", "-x", "c", "-shared", "-fPIC", "-o", library, filepath.Join("testdata", "nodepth.c"), "-ldl")
		if out, err := made.CombinedOutput(); err != nil {
			t.Fatalf("the driver cannot be built: %v\n%s", err, out)
		}
		write(t, list, fmt.Sprintf(`{"file_format_version":"1.0.0","ICD":{"library_path":%q}}`, library))
		return list
	})
}

// rendererWith is a folder of engines whose renderer finds other drivers: those
// that the file tells which drivers makes in the renderer's folder.
func rendererWith(t *testing.T, drivers func(dir string) string) string {
	if runtime.GOOS != "linux" {
		testenv.Skip(t, testenv.System, "only on Linux the renderer finds its driver by EGL")
	}
	root := testenv.Engines()
	dir := t.TempDir()
	for _, name := range []string{"mfem", "occt", "ngspice", "truck"} {
		if err := os.Symlink(filepath.Join(root, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	vtk := filepath.Join(dir, "vtk")
	if err := os.MkdirAll(filepath.Join(vtk, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	// An engine may read the folder around the home of its virtual environment.
	write(t, filepath.Join(vtk, "pyvenv.cfg"), "home = "+filepath.Join(root, "vtk", "lib")+"\n")
	write(t, filepath.Join(vtk, "bin", "vtk-driver"), fmt.Sprintf("#!/bin/sh\nexec env __EGL_VENDOR_LIBRARY_FILENAMES='%s' '%s' \"$@\"\n",
		drivers(vtk), filepath.Join(root, "vtk", "bin", "vtk-driver")))
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
