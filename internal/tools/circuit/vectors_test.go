package circuit

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"atelier/internal/contract"
)

func TestVectorsOfAFile(t *testing.T) {
	host := ngspice(t)
	path := filepath.Join(t.TempDir(), "rc.cir")
	text := "rc\nV1 in 0 AC 1\nR1 in out 1k\nC1 out 0 1u\n.ac dec 10 10 10k\n.end\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	result := runTool(t, Tools(host)[1], input(t, map[string]any{"netlist_path": path, "target_vectors": []string{"frequency", "v(out)"}}))
	if result.Status != contract.StatusOK {
		t.Fatal(result.Errors)
	}
	var out vectorsOutput
	if err := json.Unmarshal(result.OutputJSON(), &out); err != nil {
		t.Fatal(err)
	}
	for i, f := range out.Vectors["frequency"] { // 1/(1+jwRC)
		w := 2 * math.Pi * f * 1e-3
		near(t, "real", out.Vectors["v(out)"][i], 1/(1+w*w), 1e-6)
		near(t, "imag", out.Imaginary["v(out)"][i], -w/(1+w*w), 1e-6)
	}
	for ref, code := range map[string]string{
		input(t, map[string]any{"netlist_path": path + "x"}):                                     contract.CodeFileNotFound,
		input(t, map[string]any{"netlist_path": path, "target_vectors": []string{"v(nowhere)"}}): "ERR_UNKNOWN_VECTOR",
	} {
		if r := runTool(t, Tools(host)[1], ref); r.Status != contract.StatusError || r.Errors[0].Code != code {
			t.Errorf("%s: %v, want %s", ref, r.Errors, code)
		}
	}
}
