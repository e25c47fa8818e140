package captions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// Captions with the faults of real ones, and the same cleaned by hand before
// there was code. The word error rate is that of speech recognition: the fewest
// words put in, left out and replaced, over the words of the reference.
func TestCaptionsAgainstHandCleanedOnes(t *testing.T) {
	inputs, err := filepath.Glob("testdata/*.in.*")
	if err != nil || len(inputs) < 6 {
		t.Fatalf("%v %v", inputs, err)
	}
	formats := map[string]string{".srt": FormatSRT, ".vtt": FormatVTT, ".txt": FormatPlain}
	for _, path := range inputs {
		name, extension, _ := strings.Cut(filepath.Base(path), ".in")
		t.Run(name, func(t *testing.T) {
			raw, want := read(t, path), read(t, "testdata/"+name+".txt")
			got, report := Clean(raw)
			if report.Format != formats[extension] || len(report.Languages) == 0 || report.Languages[0] != name[:2] {
				t.Errorf("%+v", report)
			}
			reference, made := plainWords(want), plainWords(got)
			errors, script := wordErrors(reference, made)
			rate := float64(errors) / float64(len(reference))
			t.Logf("%s: %d errors in %d words: %.2f %%; removed %v", name, errors, len(reference), 100*rate, report.Removed)
			if rate > 0.05 {
				t.Errorf("the word error is above 5 %%:\n%s\n%s", strings.Join(script, "\n"), got)
			} else if len(script) > 0 {
				t.Log(strings.Join(script, "\n"))
			}
			for _, token := range precious(want) {
				if strings.Count(" "+strings.Join(made, " ")+" ", " "+strings.ToLower(token)+" ") < strings.Count(" "+strings.Join(reference, " ")+" ", " "+strings.ToLower(token)+" ") {
					t.Errorf("%q was lost", token)
				}
			}
			if turns, asked := strings.Count(got, "\n\n"), strings.Count(want, "\n\n"); name != "en_rollup" && turns != asked {
				t.Errorf("%d turns, %d are in the reference\n%s", turns+1, asked+1, got)
			}
			if again, _ := Clean(got); again != got {
				t.Errorf("cleaning it again changes it")
			}
		})
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := readFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func readFile(path string) (string, error) {
	raw, err := os.ReadFile(path)
	return string(raw), err
}

// plainWords are the words without their case and outer punctuation.
func plainWords(text string) []string {
	var words []string
	for _, f := range strings.Fields(strings.ToLower(text)) {
		if w := bare(f); w != "" {
			words = append(words, w)
		}
	}
	return words
}

func bare(f string) string {
	return strings.TrimFunc(f, func(r rune) bool {
		return unicode.IsPunct(r) && r != '%' && r != '&' && r != '@'
	})
}

// precious are the words with a digit, and those with a capital inside a sentence.
func precious(text string) []string {
	var list []string
	ended := true
	for _, f := range strings.Fields(text) {
		w := bare(f)
		if w == "" {
			continue
		}
		if strings.ContainsFunc(w, unicode.IsDigit) || !ended && unicode.IsUpper([]rune(w)[0]) {
			list = append(list, w)
		}
		ended = strings.ContainsAny(f[len(f)-1:], ".?!:")
	}
	return list
}

// wordErrors is Levenshtein's distance over words, with what differs.
func wordErrors(want, got []string) (int, []string) {
	d := make([][]int, len(want)+1)
	for i := range d {
		d[i] = make([]int, len(got)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := range want {
		for j := range got {
			cost := 1
			if want[i] == got[j] {
				cost = 0
			}
			d[i+1][j+1] = min(d[i][j]+cost, d[i][j+1]+1, d[i+1][j]+1)
		}
	}
	var script []string
	for i, j := len(want), len(got); i > 0 || j > 0; {
		switch {
		case i > 0 && j > 0 && want[i-1] == got[j-1] && d[i][j] == d[i-1][j-1]:
			i, j = i-1, j-1
		case i > 0 && j > 0 && d[i][j] == d[i-1][j-1]+1:
			script = append(script, "want "+around(want, i-1)+", got "+around(got, j-1))
			i, j = i-1, j-1
		case i > 0 && d[i][j] == d[i-1][j]+1:
			script = append(script, "lost "+around(want, i-1))
			i--
		default:
			script = append(script, "left "+around(got, j-1))
			j--
		}
	}
	return d[len(want)][len(got)], script
}

func around(words []string, i int) string {
	return strings.Join(words[max(0, i-2):i], " ") + " [" + words[i] + "] " + strings.Join(words[i+1:min(len(words), i+3)], " ")
}
