package notebook_test

import (
	"fmt"
	"strings"
	"testing"
)

// However long the notebook and its outputs, the answer stays short: about a
// thousand tokens at four characters each, beside what the schema requires.
func TestAnswerStaysShort(t *testing.T) {
	needKernel(t)
	h := newFixture(t, nil)
	var cells []cell
	for i := range 120 {
		cells = append(cells, cell{fmt.Sprintf("v%d = %d\nprint('%s')", i, i, strings.Repeat("output ", 200))})
	}
	cells = append(cells, cell{"def deep(n):\n    return deep(n - 1) if n else 1 / 0\ndeep(80)"})
	path := writeNotebook(t, "", cells...)
	r := h.call("validator.run_execution", fmt.Sprintf(`{"notebook_path": %q}`, path), "")
	if n := len(r.OutputJSON()); n > 6500 {
		t.Errorf("%d bytes:\n%s", n, r.OutputJSON())
	}
	cells[0][0] = "v0 = 1"
	for i := 1; i < 120; i++ {
		cells[i][0] = fmt.Sprintf("v%d = v0", i)
	}
	writeNotebook(t, path, cells...)
	q := h.call("validator.run_quality", fmt.Sprintf(`{"notebook_path": %q}`, path), "")
	if s := string(q.OutputJSON()); !strings.Contains(s, "121 in all") && !strings.Contains(s, "120 in all") {
		t.Errorf("%s", s)
	}
}
