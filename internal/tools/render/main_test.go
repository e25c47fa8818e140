package render

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/runner"
	"atelier/internal/testenv"
)

var host engine.Host

func TestMain(m *testing.M) {
	engine.SandboxMain()
	work, err := os.MkdirTemp("", "render-test-")
	if err != nil {
		panic(err)
	}
	local, err := engine.NewHost(engine.Options{Root: testenv.Engines(), Work: work})
	if err != nil {
		panic(err)
	}
	host = local
	if host.Check(engineName) == nil {
		local.Prepare()
	}
	code := m.Run()
	_ = local.Close()
	_ = os.RemoveAll(work)
	os.Exit(code)
}

func needEngine(t *testing.T) {
	t.Helper()
	testenv.NeedEngines(t, host, engineName)
}

type anyFile struct{}

func (anyFile) Path(_ context.Context, ref string) (string, error) {
	if _, err := os.Stat(ref); err != nil {
		return "", contract.Errorf(contract.CodeFileNotFound, "there is no %s", ref)
	}
	return ref, nil
}

func (anyFile) Beside(ctx context.Context, path, name string) (string, error) {
	return runner.Resolver{Roots: []string{filepath.Dir(path)}}.For("", "").Beside(ctx, path, name)
}

// drawing is a finished call, with its folder.
type drawing struct {
	t      *testing.T
	dir    string
	out    output
	result *contract.Result
	raw    json.RawMessage
}

// run calls the tool with an input as JSON; the output must fit its schema.
func run(t *testing.T, in string) (*drawing, error) {
	t.Helper()
	needEngine(t)
	tool := renderPack(host)
	if faults := tool.Contract.ValidateInput(json.RawMessage(in)); len(faults) > 0 {
		t.Fatalf("the test's input is invalid: %v", faults[0])
	}
	dir := t.TempDir()
	result := runner.New()(t.Context(), &runner.Request{Tool: &tool, Input: json.RawMessage(in), JobID: "job_1", Dir: dir, Files: anyFile{}, Limits: tool.Contract.DefaultLimits()})
	if result.Status == contract.StatusError {
		return nil, result.Errors[0]
	}
	d := &drawing{t: t, dir: dir, result: result, raw: result.OutputJSON()}
	if err := json.Unmarshal(d.raw, &d.out); err != nil {
		t.Fatal(err)
	}
	for _, a := range result.Artifacts {
		if info, err := os.Stat(filepath.Join(dir, a.Name)); err != nil || info.Size() == 0 {
			t.Errorf("artifact %s is missing or empty", a.Name)
		}
	}
	return d, nil
}

func mustRun(t *testing.T, in string) *drawing {
	t.Helper()
	d, err := run(t, in)
	if err != nil {
		var e *contract.Error
		if errors.As(err, &e) && e.Log != nil {
			t.Log(e.Log.Stdout, e.Log.Stderr)
		}
		t.Fatal(err)
	}
	return d
}

func wantCode(t *testing.T, err error, code, field string) *contract.Error {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want %s", code)
	}
	e := contract.AsError(err)
	if e.Code != code || e.Field != field {
		t.Fatalf("error %s at %q (%s); want %s at %q", e.Code, e.Field, e.Message, code, field)
	}
	return e
}

func (d *drawing) picture(name string) image.Image {
	d.t.Helper()
	f, err := os.Open(filepath.Join(d.dir, name))
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		d.t.Fatalf("%s: %v", name, err)
	}
	return img
}

func rgb(img image.Image, x, y int) [3]int {
	c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
	return [3]int{int(c.R), int(c.G), int(c.B)}
}

func near(a, b [3]int, tolerance int) bool {
	for i := range a {
		if a[i]-b[i] > tolerance || b[i]-a[i] > tolerance {
			return false
		}
	}
	return true
}

// depthImage is a float TIFF, read with just what the format asks of a reader
// of one channel in Deflate strips.
type depthImage struct {
	width, height int
	values        []float32
}

func (d depthImage) at(x, y int) float64 { return float64(d.values[y*d.width+x]) }

func (d *drawing) depth(name string) depthImage {
	d.t.Helper()
	data, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil {
		d.t.Fatal(err)
	}
	le := binary.LittleEndian
	if string(data[:4]) != "II*\x00" {
		d.t.Fatalf("%s does not begin as a little-endian TIFF", name)
	}
	tags := map[uint16][]uint32{}
	ifd := le.Uint32(data[4:])
	for i := range int(le.Uint16(data[ifd:])) {
		entry := data[int(ifd)+2+12*i:]
		kind, count := le.Uint16(entry[2:]), le.Uint32(entry[4:])
		var values []uint32
		switch {
		case kind == 3 && count == 1:
			values = []uint32{uint32(le.Uint16(entry[8:]))}
		case kind == 4 && count == 1:
			values = []uint32{le.Uint32(entry[8:])}
		case kind == 4:
			for k := range count {
				values = append(values, le.Uint32(data[le.Uint32(entry[8:])+4*k:]))
			}
		}
		tags[le.Uint16(entry)] = values
	}
	for tag, want := range map[uint16]uint32{258: 32, 259: 8, 277: 1, 339: 3} {
		if tags[tag][0] != want {
			d.t.Fatalf("%s: tag %d is %d, want %d", name, tag, tags[tag][0], want)
		}
	}
	img := depthImage{width: int(tags[256][0]), height: int(tags[257][0])}
	var plain []byte
	for i, at := range tags[273] {
		z, err := zlib.NewReader(bytes.NewReader(data[at : at+tags[279][i]]))
		if err != nil {
			d.t.Fatal(err)
		}
		strip, err := io.ReadAll(z)
		if err != nil {
			d.t.Fatal(err)
		}
		plain = append(plain, strip...)
	}
	if len(plain) != 4*img.width*img.height {
		d.t.Fatalf("%s holds %d bytes, want %d", name, len(plain), 4*img.width*img.height)
	}
	for i := range img.width * img.height {
		img.values = append(img.values, math.Float32frombits(le.Uint32(plain[4*i:])))
	}
	return img
}

// project maps a point of the world to a pixel and its depth with the matrices
// of the output.
func (d *drawing) project(view int, p [3]float64) (u, v, z float64) {
	var c [3]float64
	for i := range 3 {
		e := d.out.Views[view].Extrinsics[i]
		c[i] = e[0]*p[0] + e[1]*p[1] + e[2]*p[2] + e[3]
	}
	k := d.out.Intrinsics
	return k[0][0]*c[0]/c[2] + k[0][2], k[1][1]*c[1]/c[2] + k[1][2], c[2]
}
