package cad

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

func TestBadFilesAreRefused(t *testing.T) {
	host := newHost(t, occt, truck)
	whole, err := os.ReadFile(bracketFile)
	if err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, 20_000)
	rng := rand.NewChaCha8([32]byte{7})
	if _, err := rng.Read(noise); err != nil {
		t.Fatal(err)
	}
	empty := newSTEP(unitMM)
	empty.product("nothing", empty.add("SHAPE_REPRESENTATION('',(#%d),#%d)", empty.axes([3]float64{}, [3]float64{0, 0, 1}, [3]float64{1, 0, 0}), empty.ctx))
	broken := strings.Replace(string(whole), "CLOSED_SHELL", "CLOSED SHELL ((", 1)
	for name, c := range map[string]struct{ file, content, code string }{
		"empty":            {"a.step", "", contract.CodeFileEmpty},
		"blank":            {"a.step", " \n\t\n", contract.CodeFileEmpty},
		"cut at half":      {"a.step", string(whole[:len(whole)/2]), contract.CodeFileUnreadable},
		"noise":            {"a.step", string(noise), unsupported},
		"noise after head": {"a.step", "ISO-10303-21;\n" + string(noise) + "END-ISO-10303-21;", contract.CodeFileUnreadable},
		"text":             {"a.step", "A bracket, please.\n", unsupported},
		"STL":              {"a.step", "solid x\nendsolid x\n", unsupported},
		"zip":              {"a.stp", "PK\x03\x04....", unsupported},
		"IFC":              {"a.step", newSTEP(unitMM).text("IFC4"), unsupported},
		"byte order mark":  {"a.step", "\xef\xbb\xbf" + string(whole), unsupported},
		"no shape":         {"a.step", empty.text("AUTOMOTIVE_DESIGN"), "ERR_TESSELLATION_FAILED"},
		"no data":          {"a.step", newSTEP(unitMM).text("AUTOMOTIVE_DESIGN"), "ERR_TESSELLATION_FAILED"},
		"broken syntax":    {"a.step", broken, ""},
	} {
		for _, kernel := range []string{occt, truck} {
			t.Run(name+" "+kernel, func(t *testing.T) {
				input := map[string]any{"file_path": writeFile(t, c.file, c.content), "engine": kernel}
				if c.code != "" {
					if e := refused(t, host, c.code, input); e.Field != "/file_path" {
						t.Errorf("the error is at %q", e.Field)
					}
					return
				}
				// OpenCASCADE reads past a broken statement: then the loss must show.
				got := run(t, host, input)
				if got.Status != contract.StatusError && got.ev.Trust() != evidence.Suspect {
					t.Errorf("status %s, trust %s, %+v", got.Status, got.ev.Trust(), got.out)
				}
			})
		}
	}
}

func TestTheExtensionDoesNotMatter(t *testing.T) {
	whole, err := os.ReadFile(bracketFile)
	if err != nil {
		t.Fatal(err)
	}
	got := good(t, newHost(t, occt), map[string]any{"file_path": writeFile(t, "upload.dat", "/* a comment */\n"+string(whole))})
	near(t, "volume", *got.out.ExactVolume, bracketVolume(), 1e-9)
}

func TestBadArgumentsAreRefused(t *testing.T) {
	host := newHost(t, occt)
	for name, change := range map[string]map[string]any{
		"deflection 0":  {"linear_deflection": 0},
		"format":        {"output_format": "dxf"},
		"engine":        {"engine": "freecad"},
		"unknown field": {"deflection": 1},
		"path out":      {"output_file": "../mesh"},
		"backslash":     {"output_file": `..\mesh`},
		"no file":       {"file_path": ""},
	} {
		input := map[string]any{"file_path": bracketFile}
		for k, v := range change {
			input[k] = v
		}
		if got := run(t, host, input); got.Status != contract.StatusError || got.Errors[0].Code != contract.CodeInvalidRequest {
			t.Errorf("%s: %s %v", name, got.Status, got.Errors)
		}
	}
	if got := run(t, host, map[string]any{"file_path": "nowhere.step"}); got.Errors[0].Code != contract.CodeFileNotFound || got.Errors[0].Field != "/file_path" {
		t.Errorf("%v", got.Errors)
	}
}

// An assembly that names files for its parts says which; with a shape of its own it is
// told beside it, and no figure is trusted to be that of the whole.
func TestPartsInOtherFilesAreNamed(t *testing.T) {
	host := newHost(t, occt)
	for _, own := range []bool{false, true} {
		s := newSTEP(unitMM)
		shape := 0
		if own {
			shape = s.box([3]float64{1, 2, 3})
		} else {
			shape = s.add("SHAPE_REPRESENTATION('',(#%d),#%d)", s.axes([3]float64{}, [3]float64{0, 0, 1}, [3]float64{1, 0, 0}), s.ctx)
		}
		s.product("cart", shape)
		kind := s.add("DOCUMENT_TYPE('configuration controlled document version')")
		for _, name := range []string{"wheel.stp", "axle.SLDPRT", "drawing.pdf", "wheel.stp"} {
			s.add("DOCUMENT_FILE('%s','','',#%d,'',$)", name, kind)
		}
		input := map[string]any{"file_path": s.file(t)}
		const names = "other files"
		if !own {
			e := refused(t, host, "ERR_TESSELLATION_FAILED", input)
			if !strings.Contains(e.Message, names+", wheel.stp, axle.SLDPRT.") {
				t.Error(e.Message)
			}
			continue
		}
		got := good(t, host, input)
		check := got.check(t, "file_complete")
		if !got.warned("parts_in_other_files") || got.ev.Trust() != evidence.Suspect || !strings.Contains(check.Sentence, "wheel.stp, axle.SLDPRT.") {
			t.Errorf("%v %s %q", got.Warnings, got.ev.Trust(), check.Sentence)
		}
	}
}
