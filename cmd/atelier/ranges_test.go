package main

import (
	"io"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// A value with which nothing can be done is refused before anything starts, with
// the flag, the value and what is expected; what is documented is taken.
func TestFlagsThatMeanNothingAreRefused(t *testing.T) {
	folder := t.TempDir()
	for line, want := range map[string]string{
		"serve --sweep-interval=0s":            "--sweep-interval (or ATELIER_SWEEP_INTERVAL) is 0s; it must be at least 1s",
		"serve --sweep-interval=-1s":           "is -1s; it must be",
		"serve --max-body-bytes=-1":            "--max-body-bytes (or ATELIER_MAX_BODY_BYTES) is -1; it must be at least 1",
		"serve --max-body-bytes=0":             "is 0; it must be at least 1",
		"serve --max-upload-bytes=-1":          "--max-upload-bytes",
		"serve --threads=-3":                   "--threads (or ATELIER_THREADS) is -3; it must be 0 to 1024",
		"call x --threads=100000":              "is 100000; it must be 0 to 1024",
		"serve --keep-jobs=-1h":                "--keep-jobs",
		"mcp --keep-jobs=-1h":                  "--keep-jobs",
		"serve --quota-bytes=-5":               "--quota-bytes",
		"serve --stop-timeout=-1s":             "--stop-timeout",
		"serve --web-cache=-1":                 "--web-cache",
		"serve --queues=bogus=1":               `names "bogus", for which no tool waits; it must be one of geometry, gmsh, mfem`,
		"serve --queues=mfem=-4":               "is mfem=-4; it must be 1 to 1024",
		"worker --queues=mfem=0":               "is mfem=0; it must be 1 to 1024",
		"doctor --engines=" + folder + "/gone": "gone, which is no folder",
		"serve --engines=" + folder:            "",
		"serve --threads=0":                    "",
		"serve --keep-jobs=0 --quota-bytes=0":  "",
		"serve --max-turns=-1 --max-time=-1s":  "",
		"serve --queues=mfem=2;vtk=1;mlx=8":    "",
		"serve":                                "",
	} {
		var c cli
		parser, err := kong.New(&c, kong.Vars(variables()), kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) {}))
		if err != nil {
			t.Fatal(err)
		}
		ctx, err := parser.Parse(strings.Fields(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if err = checkFlags(ctx); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}
