// Package words keeps names out of the project that it once had for things for
// which the field has a standard term.
package words

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// replaced lists the old words, each with what is said now. The patterns match
// whole words and parts of identifiers, but not Penn Lane or Greenhouse.
// A pattern is tried only on lines that hold its stem, in any case: a search for
// a plain text is many times faster.
var replaced = []struct{ stem, old, now string }{
	{"lane", `\b[lL]anes?\b|\b(new|parse|start|with|keep|New|Parse|Keep|Default)\w*Lanes?\b|\blane[A-Z]|\blane[-_]|[_-]lanes?\b|ATELIER_(KEEP_)?LANE`, "backend, queue, hostLimiter or suite"},
	{"crew", `\b[cC]rew\b|\bnewCrew\b`, "inlinePool"},
	{"swiftruns", `\bswiftRuns\b`, "fastAfter"},
	{"shel", `\bShel(f|ves)\b|\btype shelf\b|\*shelf\b|\bnewShelf\b`, "Store"},
	{"house", `\*house\b|\btype house\b|\bnewHouse\b|\.House\b|## The house`, "testServer, fixture, cluster or process"},
	{"room", `\bwaitingRoom\b|\bsweepRooms\b`, "warmDir"},
	{"wire", `\bweb\.Wire\b|\b[a-z]+\.wires\(|\b(every|each|no|the other|all) wires?\b`, "protocol"},
	{"1", `\bwrite1\b`, "writeDB"},
	{"4", `\bfill4\b`, "fillTet"},
	{"desk", `\b[dD]esk\b|\brunDesk\b`, "Handler"},
	{"bench", `\bplanBench\b|\brunBench\b`, "PlanHandler"},
	{"00", `\b(Document001|Document003|Document004|Documents004|Result003|Artifact003|Error003|Code003|Refused003|Markdown004)\b`, "NotebookResult, InvocationResult or ContractDocument"},
	{"util", `\btools/util\b`, "tools/basics"},
	{"protocol/web", `\bprotocol/web\b`, "protocol/httpapi"},
}

// exempt lists files that must hold old words: what still answers to a former
// name, the record of the renames, the baseline that changes are judged against,
// projections of a contract with a deprecated argument, and text of others.
var exempt = regexp.MustCompile(`^(docs/CHANGELOG\.md|docs/tools/mlx\.load\.md|test/words/|api/baseline/|api/golden/|` +
	`cmd/atelier/(renamed|renamed_test|backends_test)\.go|` +
	`internal/tools/mlx/(tools\.go|load\.json|load\.1\.0\.json|modelserver/(id|parts_test)\.go)|` +
	`internal/tools/transcript/captions/|.*package-lock\.json|go\.sum|workbench/dist/|test/corpus/|.*\.(step|stp|png|obj|glb|vtu|parquet))`)

func TestReplacedWordsStayAway(t *testing.T) {
	root := testenv.Root()
	list, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v; the words are looked for in the files that git tracks", err)
	}
	var patterns []*regexp.Regexp
	for _, r := range replaced {
		patterns = append(patterns, regexp.MustCompile(r.old))
	}
	searched := 0
	for _, name := range strings.Split(strings.TrimRight(string(list), "\x00"), "\x00") {
		raw, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || exempt.MatchString(name) || bytes.IndexByte(raw, 0) >= 0 {
			continue // a link, a file that is being removed, data
		}
		searched++
		lines := bufio.NewScanner(bytes.NewReader(raw))
		lines.Buffer(nil, len(raw)+1)
		for n := 1; lines.Scan(); n++ {
			lower := bytes.ToLower(lines.Bytes())
			for i, p := range patterns {
				if !bytes.Contains(lower, []byte(replaced[i].stem)) {
					continue
				}
				if word := p.Find(lines.Bytes()); word != nil {
					t.Errorf("%s:%d: %q; say %s", name, n, word, replaced[i].now)
				}
			}
		}
	}
	if searched < 500 {
		t.Errorf("only %d files were searched", searched)
	}
}

// The patterns find what they are for, and leave other meanings alone.
func TestPatterns(t *testing.T) {
	found := func(text string) bool {
		for _, r := range replaced {
			if strings.Contains(strings.ToLower(text), r.stem) && regexp.MustCompile(r.old).MatchString(text) {
				return true
			}
		}
		return false
	}
	for _, text := range []string{"the lane mlx", "--lane-host", "ATELIER_KEEP_LANES", "newLanes(s)", "keep_lanes", "laneClient", "a crew", "type shelf struct",
		"func (h *house) x()", "newHouse(t)", "waitingRoom", "Result003{", "contract.Document004", "the loop's desk"} {
		if !found(text) {
			t.Errorf("%q is not found", text)
		}
	}
	for _, text := range []string{"planes", "PlaneAngle", "airplane", "warehouse", "the shelf sags", "PGreenhouse", "Greenhouse and Geisser", "desktop", "screw", "$(PLANE)", "document 003"} {
		if found(text) {
			t.Errorf("%q is found", text)
		}
	}
}
