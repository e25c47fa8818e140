package study

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"atelier/internal/testenv"
)

// The documents of the page are ones that the program takes, and lack nothing.
func TestDocumentsOfThePage(t *testing.T) {
	page, err := os.ReadFile(testenv.Path("docs", "study.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(page, -1)
	if len(blocks) < 2 {
		t.Fatal("the page has no examples")
	}
	for _, b := range blocks {
		s, err := Read(json.RawMessage(b[1]))
		if err != nil {
			t.Errorf("%s\n%v", b[1], err)
			continue
		}
		if _, err := s.Steps(); err != nil || len(s.Open()) > 0 {
			t.Errorf("%s\n%v %v", b[1], err, s.Open())
		}
		for _, q := range s.Questions {
			if _, _, err := s.figureOf(q.Analysis, q.Quantity, ""); err != nil {
				t.Error(err)
			}
		}
	}
}
