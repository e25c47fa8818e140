package contract

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// Where an output's change is not called breaking, an answer of the new version,
// projected, is one of the old version: only a further value of an enum, which
// the policy lets in, may stand in the way, and is then told.
func TestProjectedAnswersAreThoseOfTheEarlierVersion(t *testing.T) {
	rounds, seed := 200, uint64(11)
	if text := os.Getenv("ATELIER_ROUNDS"); text != "" {
		rounds, _ = strconv.Atoi(text)
		seed = testenv.Seed(t)
	}
	m := maker{rand.New(rand.NewPCG(seed, seed))}
	calm, tried, dropped := 0, 0, 0
	for range rounds {
		before := m.root()
		after := m.edit(before)
		old, now := compiled(before), compiled(after)
		if old == nil || now == nil || len(uncovered(before, after, true)) > 0 {
			continue
		}
		calm++
		raw, err := json.Marshal(before)
		if err != nil {
			t.Fatal(err)
		}
		c := &Contract{OutputSchema: raw}
		for range 30 {
			doc := m.value(after, after, 0)
			if now.Validate(doc) != nil {
				continue
			}
			tried++
			given := canonical(doc)
			got, faults := c.ProjectOutput(json.RawMessage(given))
			if len(faults) > 0 && !strings.Contains(faults[0].Message, "it must be one of") {
				t.Fatalf("%s\nbecame %s: %v\nold %s\nnew %s", given, got, faults[0], canonical(before), canonical(after))
			}
			if len(got) < len(given) {
				dropped++
			}
		}
	}
	t.Logf("%d changes, %d answers, %d of them lost a field", calm, tried, dropped)
	if calm < rounds/4 || tried < 5*calm || dropped == 0 {
		t.Errorf("the test proves too little: %d changes, %d answers, %d lost a field", calm, tried, dropped)
	}
}
