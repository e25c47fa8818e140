package captions

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"atelier/internal/testenv"
)

var anyNumber = regexp.MustCompile(`\d+`)

func numbers(text string) map[string]int {
	n := map[string]int{}
	for _, d := range anyNumber.FindAllString(text, -1) {
		n[d]++
	}
	return n
}

// speech makes text at random of the pieces that transcripts are made of. All
// numbers in it are said: no times, no cue numbers.
func speech(r *rand.Rand) string {
	pieces := []string{
		"the", "the", "a", "is", "and", "that", "we", "you know", "I mean", "like", "um", "uh,", "um.", "uh?", "äh", "euh", "eh", "also", "halt", "ne", "ben", "este", "o sea",
		"der", "die", "das", "ich", "und", "le", "la", "que", "nous", "el", "de", "no", "very", "one", "two", "twenty", "bridge", "Lisbon", "Maria", "O'Neill", "well-", "go-", "I-",
		"th-", "w-we", "e.g.", "Dr.", "U.S.", "p.m.", "42", "3.14", "1,204", "$5.99", "7:30", "50%", "-4", "1/2", "#3", "1st", "90s,", "2019.", "x2", "14.", "(2)", "[3]", `"4"`, "5-", "6—", "1-800",
		"[Music]", "(laughs)", "[applause]", "♪", "*", ",", ".", "...", "…", "—", "-", "–", "?", "!", "«", "»", "(", ")", `"`, "¿", ":", ";", "\n", "\n\n", ">>", "- ", "ANNA:", "Bob:", "&amp;", "&lt;", "<i>", "</i>", "<b", "你好", "。", "مرحبا", "é", "É", "ß",
	}
	var b strings.Builder
	for range r.IntN(60) {
		b.WriteString(pieces[r.IntN(len(pieces))])
		if r.IntN(8) > 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// check holds what must be true of every text.
func check(t *testing.T, given string) {
	t.Helper()
	got, report := Clean(given)
	if again, _ := Clean(got); again != got {
		t.Errorf("not the same when cleaned again:\ngiven %q\nonce  %q\ntwice %q", given, got, again)
	}
	if !utf8.ValidString(got) || strings.TrimSpace(got) != got || (got == "") != (report.Words == 0) {
		t.Errorf("given %q\ngot %q %+v", given, got, report)
	}
}

func TestPropertiesOfRandomSpeech(t *testing.T) {
	rounds := 600
	if testing.Short() {
		rounds = 400
	}
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 8))
		given := speech(r)
		check(t, given)
		got, _ := Clean(given)
		if want := numbers(given); !maps.Equal(numbers(got), want) {
			t.Errorf("seed %d lost a number:\ngiven %q\ngot   %q", seed, given, got)
		}
		for _, name := range []string{"Lisbon", "Maria", "O'Neill", "bridge", "你好", "مرحبا"} {
			if strings.Contains(given, name) && !strings.Contains(strings.ToLower(got), strings.ToLower(name)) {
				t.Errorf("seed %d lost %s:\ngiven %q\ngot   %q", seed, name, given, got)
			}
		}
		if t.Failed() {
			return
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"1\n00:00:01,000 --> 00:00:02,000\n- I, I- um, w-we\n\n2\n", "WEBVTT\n\n00:01.000 --> 00:02.000\n<v A>x</v>", "[0:01] A: b (c)", "&amp;amp;lt;i&gt;", "{\\an8}", ">> >> >>", "A (00:01)\nb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, given string) {
		if utf8.ValidString(given) {
			check(t, given)
		}
	})
}

// Captions whose cues hold random speech keep its numbers too, and lose their own.
func TestNumbersOfCuesGoAndThoseThatWereSaidStay(t *testing.T) {
	for seed := range 100 {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		var b strings.Builder
		said := map[string]int{}
		for i := range 1 + r.IntN(20) {
			text := fmt.Sprintf("we counted %d things on day %d", 1000+r.IntN(9000), r.IntN(100))
			for k, n := range numbers(text) {
				said[k] += n
			}
			fmt.Fprintf(&b, "%d\n00:%02d:%02d,%03d --> 00:%02d:%02d,999\n%s\n\n", i+1, i, 7*i%60, 111, i, 7*i%60+1, text)
		}
		if got, _ := Clean(b.String()); !maps.Equal(numbers(got), said) {
			t.Fatalf("seed %d\n%s\n%s", seed, b.String(), got)
		}
	}
}

// Ten times the text takes about ten times the time: a factor of 40 would be a
// quadratic step, whatever the machine.
func TestTimeGrowsWithTheText(t *testing.T) {
	if testing.Short() {
		testenv.Skip(t, testenv.Time, "it measures time")
	}
	one := read(t, "testdata/en_interview.in.srt")
	best := func(n int) time.Duration {
		times := []time.Duration{}
		text := strings.Repeat(one+"\n\n", n)
		for range 3 {
			start := time.Now()
			Clean(text)
			times = append(times, time.Since(start))
		}
		return slices.Min(times)
	}
	small, large := best(5), best(50)
	t.Logf("%d kB: %v, %d kB: %v", 5*len(one)/1000, small, 50*len(one)/1000, large)
	if large > 40*small {
		t.Errorf("%v for ten times the text that takes %v", large, small)
	}
	for name, hostile := range map[string]string{
		"brackets": strings.Repeat("[", 16_000), "dashes": strings.Repeat("a- ", 10_000), "one word": strings.Repeat("the ", 10_000), "commas": strings.Repeat("you know, ", 6_000),
		"tags": strings.Repeat("<i", 10_000), "entities": strings.Repeat("&amp;", 33_000), "chevrons": strings.Repeat(">> ", 10_000), "colons": strings.Repeat("A: ", 10_000), "letters": strings.Repeat("x", 100_000),
		"hyphens": strings.Repeat("b-", 66_000) + "b", "cycle": strings.Repeat("the cat ", 6_000), "notes": strings.Repeat("♪", 33_000), "alternating": strings.Repeat("we um ", 6_000),
	} {
		start := time.Now()
		Clean(hostile)
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: %v", name, took)
		} else {
			t.Logf("%s: %v", name, took)
		}
	}
}

func BenchmarkClean(b *testing.B) {
	for _, path := range []string{"testdata/en_interview.in.srt", "testdata/en_rollup.in.vtt", "testdata/es_mercado.in.txt"} {
		raw, err := readFile(path)
		if err != nil {
			b.Fatal(err)
		}
		text := strings.Repeat(raw+"\n\n", 10_000_000/len(raw))
		b.Run(path[len("testdata/"):], func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Clean(text)
			}
		})
	}
}
