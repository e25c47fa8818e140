package evidence

import "testing"

// The documented order, written out: every word is below those that stand behind it, and
// what claims nothing takes no trust away.
func TestOrderOfTrust(t *testing.T) {
	all := []Trust{"suspect", "computed", "converged", "verified", ""}
	for i, word := range all {
		for k, other := range all {
			if got := word.Below(other); got != (i < k) {
				t.Errorf("%q below %q: %v", word, other, got)
			}
		}
		if known := word.Known(); known != (word != "") {
			t.Errorf("%q is known: %v", word, known)
		}
	}
	if got := Weakest(Verified, "", Computed, Converged); got != Computed {
		t.Errorf("the weakest is %q", got)
	}
	Words()[0] = Verified
	if !Suspect.Below(Computed) || len(Words()) != 4 || Words()[0] != Suspect {
		t.Errorf("a caller has changed the order: %v", Words())
	}
}
