package transcript

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/llm"
	"atelier/internal/llm/llmtest"
	kernel "atelier/internal/tools/transcript/captions"
)

const source = "Um, the the bridge in Lisbon is 42.5 meters long, and, uh, Ana Ferreira measured it. It carries 18,000 vehicles a day."

// byRules is what a person would make of it.
const byRules = "The bridge in Lisbon is 42.5 meters long, and Ana Ferreira measured it. It carries 18,000 vehicles a day."

func clean(t *testing.T, editor *llm.Client, text string, limit time.Duration) (string, *contract.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	input, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Tools(editor)[0].Run(ctx, &contract.Call{Report: func(contract.Event) {}}, input)
	if err != nil {
		return "", nil, err
	}
	return r.Output.(cleanOutput).CleanText, r, nil
}

func editor(t *testing.T, steps ...llmtest.Step) (*llm.Client, *llmtest.Server) {
	t.Helper()
	s := llmtest.Start(t, steps...)
	client, err := llm.New(llm.Options{URL: s.URL + "/v1", Model: "m", Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	return client, s
}

func TestTheRulesAlone(t *testing.T) {
	text, r, err := clean(t, nil, source, time.Minute)
	if err != nil || text != byRules || r.Metrics["method"] != "rules" {
		t.Fatalf("%q %v %v", text, r, err)
	}
	if removed := r.Metrics["removed"].(map[string]int); removed["fillers"] != 2 || removed["repeats"] != 1 {
		t.Errorf("%v", removed)
	}
	for _, nothing := range []string{"[Music]", "um, uh... hmm", " \n\n ", "1\n00:00:01,000 --> 00:00:02,000\n(applause)\n", "WEBVTT\n\nNOTE nothing", "♪♪"} {
		if text, _, err := clean(t, nil, nothing, time.Minute); contract.AsError(err).Code != contract.CodeTranscriptEmpty {
			t.Errorf("%q: %q %v", nothing, text, err)
		}
	}
}

// The model's text counts only where it invents and loses nothing.
func TestTheModelIsHeldAgainstTheSource(t *testing.T) {
	for name, tc := range map[string]struct {
		says, reason string // reason "" means that the model's text is taken
	}{
		"better punctuation": {"The bridge in Lisbon is 42.5 meters long. Ana Ferreira measured it, and it carries 18,000 vehicles a day.", ""},
		"invents a number":   {"The bridge in Lisbon, built in 1998, is 42.5 meters long, and Ana Ferreira measured it. It carries 18,000 vehicles a day.", "number_invented"},
		"loses a number":     {"The bridge in Lisbon is 42.5 meters long, and Ana Ferreira measured it. It carries many vehicles a day.", "number_lost"},
		"rounds a number":    {"The bridge in Lisbon is 42 meters long, and Ana Ferreira measured it. It carries 18,000 vehicles a day.", "number_lost"},
		"loses a name":       {"The bridge in Lisbon is 42.5 meters long, and an engineer measured it. It carries 18,000 vehicles a day.", "name_lost"},
		"invents a name":     {"The bridge in Lisbon is 42.5 meters long, and Ana Ferreira of Porto measured it. It carries 18,000 vehicles a day.", "name_invented"},
		"sums up":            {"A bridge in Lisbon (42.5, 18,000; Ana Ferreira).", "words_lost"},
		"explains":           {"Here is the corrected passage that you asked for, with every mistake removed: " + byRules, "words_invented"},
		"says nothing":       {" ", "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			client, server := editor(t, llmtest.Step{Text: tc.says})
			text, r, err := clean(t, client, source, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			want, kept := byRules, 0
			if tc.reason == "" {
				want, kept = tc.says, 1
			}
			if text != want || r.Metrics["passages_edited"] != kept {
				t.Errorf("%q, metrics %v", text, r.Metrics)
			}
			if refused := r.Metrics["passages_refused"].(map[string]int); tc.reason != "" && (refused[tc.reason] != 1 || len(r.Warnings) != 1) {
				t.Errorf("%v %v", refused, r.Warnings)
			}
			asked := string(server.Requests()[0].Raw)
			if !strings.Contains(asked, "Ana Ferreira measured it") || strings.Contains(asked, "uh,") {
				t.Errorf("asked %s", asked)
			}
		})
	}
}

// A note that words could not be understood is no word, and has to stay too.
func TestTheModelKeepsNotesOfWhatWasNotUnderstood(t *testing.T) {
	const given = "It was [inaudible] million dollars, and we did [unclear] sign."
	for edited, want := range map[string]string{
		given: "",
		"It was million dollars, and we did [unclear] sign.":     "gap_lost",
		"It was [inaudible] million dollars, and we did sign.":   "gap_lost",
		"It was [inaudible] million dollars; we did sign [sic].": "gap_lost",
	} {
		if reason, what := kernel.Verify(given, edited); reason != want {
			t.Errorf("%q: %s %s", edited, reason, what)
		}
	}
}

func TestFaultsOfTheModel(t *testing.T) {
	for name, tc := range map[string]struct {
		step llmtest.Step
		code string
	}{
		"fails":     {llmtest.Step{Status: 500, Raw: `{"error":{"message":"out of memory"}}`}, contract.CodeModelError},
		"wrong key": {llmtest.Step{Status: 401, Raw: `{"error":{"message":"no"}}`}, contract.CodeModelError},
		"garbage":   {llmtest.Step{Raw: "data: {\"choices\": [garbage\n\n"}, contract.CodeModelError},
		"cut off":   {llmtest.Step{Raw: "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"The bri\"}}]}\n\n"}, contract.CodeModelError},
		"slow":      {llmtest.Step{Text: "The", Pause: time.Second}, contract.CodeTimeout},
		"hangs":     {llmtest.Step{Text: "The", Hold: true}, contract.CodeTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			limit := 20 * time.Second
			if tc.code == contract.CodeTimeout {
				limit = 300 * time.Millisecond
			}
			client, _ := editor(t, tc.step)
			text, _, err := clean(t, client, source, limit)
			if e := contract.AsError(err); e.Code != tc.code || e.Hint == "" {
				t.Errorf("%q %v", text, err)
			}
		})
	}
	down, err := llm.New(llm.Options{URL: "http://127.0.0.1:1/v1", Model: "m", Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := clean(t, down, source, time.Minute); contract.AsError(err).Code != contract.CodeModelError {
		t.Errorf("%v", err)
	}
}

// A long text goes in passages, each with what stands around it; one that is
// refused leaves the others as the model made them.
func TestALongTranscriptGoesInPassages(t *testing.T) {
	var b strings.Builder
	for i := range 120 {
		fmt.Fprintf(&b, "Sentence number %d tells of the town of Lisbon and its river. ", i)
	}
	given := "Ana: " + strings.TrimSpace(b.String()) + "\n\nJo: I heard 7 bells."
	rules, _, err := clean(t, nil, given, time.Minute)
	if err != nil || rules != given {
		t.Fatalf("%v", err)
	}
	passages := 0
	text, told, err := polishedBy(given, func(before, passage, after string) string {
		passages++
		switch {
		case !strings.Contains(given, passage) || strings.Contains(passage, "Ana:"):
			t.Errorf("%q is no passage", passage)
		case strings.Contains(passage, "number 60 "):
			return strings.ReplaceAll(passage, "number 60 ", "number 61 ")
		}
		return strings.ReplaceAll(passage, "its river.", "its river!")
	})
	if err != nil || passages < 4 || told["number_lost"] != 1 {
		t.Fatalf("%v, %d passages, %v", err, passages, told)
	}
	if !strings.HasPrefix(text, "Ana: Sentence number 0 tells of the town of Lisbon and its river! ") || !strings.HasSuffix(text, "\n\nJo: I heard 7 bells.") {
		t.Errorf("%s", text)
	}
	for i := range 120 {
		if strings.Count(text, fmt.Sprintf("number %d ", i)) != 1 {
			t.Errorf("sentence %d stands %d times", i, strings.Count(text, fmt.Sprintf("number %d ", i)))
		}
	}
}

// polishedBy has a function in the place of the model, one passage at a time.
func polishedBy(text string, say func(before, passage, after string) string) (string, map[string]int, error) {
	var mu sync.Mutex
	edited, told, err := kernel.Polish(context.Background(), text, func(_ context.Context, before, passage, after string) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		return say(before, passage, after), nil
	})
	return edited, told.Refused, err
}
