package contract

import "testing"

// A hint is followed to the letter: it names the place that the protocol has, and
// other protocols read the same job afterwards.
func TestHintsAboutLimitsAreInTheWordsOfTheProtocol(t *testing.T) {
	kept := Failure("s", Errorf(CodeTimeout, "late").WithHint("Ask for more time with limits.timeout_ms, or raise limits.max_artifacts."), Errorf(CodeInternal, "x").WithHint("No limits. None."))
	worded := LimitWords(InContext).Result(kept)
	if got := worded.Errors[0].Hint; got != "Ask for more time with context.limits.timeout_ms, or raise context.limits.max_artifacts." {
		t.Error(got)
	}
	if worded.Errors[1] != kept.Errors[1] || kept.Errors[0].Hint != "Ask for more time with limits.timeout_ms, or raise limits.max_artifacts." {
		t.Errorf("%v %v", worded.Errors, kept.Errors)
	}
}
