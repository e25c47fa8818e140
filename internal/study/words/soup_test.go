package words

import (
	"strings"
	"testing"

	"atelier/internal/study"
	"atelier/internal/testenv"
)

// Words in any order end in a study that the schema takes, or in a question; they never end
// the program.
func TestWordSoupIsReadOrAskedAbout(t *testing.T) {
	list := collection(t)
	var words []string
	for _, s := range list {
		words = append(words, strings.Fields(s.Sentence)...)
	}
	words = append(words, "(1, 0, -1)", "(1, 2, 3) N", "[0, 0, 5] mm", "(0, 0, 1) N m", "(1, 2, 3) m/s^2", "-3", "0 N", "0", "1/0", "%", "Ø", "M8", "```V1 1 0 5\n.end```", "z = 3 mm", "\"a\"", "(", "-", "..", "=")
	rng := testenv.Random(t)
	for range 1500 {
		var said []string
		for range 1 + rng.IntN(14) {
			said = append(said, pick(rng, words))
		}
		in := Context{Files: []File{{Name: pick(rng, []string{"bracket.step", "tube.stl", "filter.cir", "table.csv"}), Columns: []string{"value", "group"}, Holes: []float64{0.009, 0.012}}}}
		for turn := range 2 {
			sentence := strings.Join(said, " ")
			r := Read(sentence, in)
			after := apply(t, in.Document, r.Patch)
			if _, err := study.Read(after); err != nil && r.Runs() {
				t.Errorf("turn %d: %s\n%v\n%s", turn, sentence, err, encode(r))
			}
			in.Document, in.LastRun = after, true
		}
	}
}
