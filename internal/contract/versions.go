package contract

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Version returns the installed contract that answers for a version
// (major.minor.patch, api/spec/invocation.md): the one with the same major and minor, as
// patches are compatible. Else unsupported_version, with what is installed.
func (t *Tool) Version(version string) (*Contract, error) {
	for _, c := range t.versions() {
		if sameMinor(c.Version, version) {
			return c, nil
		}
	}
	installed := t.Versions()
	return nil, Errorf(CodeUnsupportedVersion, "%s is not installed in version %s", t.Contract.Alias(), version).
		At("/tool_version").With("installed", installed).WithHint("Installed: %s.", strings.Join(installed, ", "))
}

// Versions lists the installed versions, newest first.
func (t *Tool) Versions() []string {
	var out []string
	for _, c := range t.versions() {
		out = append(out, c.Version)
	}
	return out
}

func (t *Tool) versions() []*Contract { return append([]*Contract{t.Contract}, t.Earlier...) }

// checkEarlier judges the contracts of earlier minors, which keep answering.
// Each must be of the same name and major, older, and such that the present code
// can answer for it: every change since then must be a patch or a minor one.
func checkEarlier(present *Contract, earlier []*Contract) error {
	for i, c := range earlier {
		if err := c.Check(); err != nil {
			return err
		}
		if c.Name != present.Name || c.Major() != present.Major() || compareVersions(c.Version, present.Version) >= 0 || sameMinor(c.Version, present.Version) {
			return fmt.Errorf("contract %q %s is no earlier minor of %q %s", c.Name, c.Version, present.Name, present.Version)
		}
		if slices.ContainsFunc(earlier[:i], func(other *Contract) bool { return sameMinor(other.Version, c.Version) }) {
			return fmt.Errorf("contract %q has two files of the minor of %s", c.Name, c.Version)
		}
		diff := Compare(c, present)
		if breaking := diff.Of(MajorChange); len(breaking) > 0 {
			return fmt.Errorf("contract %q %s cannot answer for %s: %s", c.Name, present.Version, c.Version, breaking[0])
		}
	}
	return nil
}

// newestFirst orders the contracts of one tool.
func newestFirst(list []*Contract) {
	slices.SortFunc(list, func(a, b *Contract) int { return compareVersions(b.Version, a.Version) })
}

// versionNumbers are the three numbers of a version that matches semverPattern;
// one too large for an int counts as the largest.
func versionNumbers(version string) [3]int {
	var numbers [3]int
	for i, text := range strings.SplitN(version, ".", 3) {
		numbers[i], _ = strconv.Atoi(text) // out of range gives the largest
	}
	return numbers
}

func sameMinor(a, b string) bool {
	x, y := versionNumbers(a), versionNumbers(b)
	return x[0] == y[0] && x[1] == y[1]
}

func compareVersions(a, b string) int {
	x, y := versionNumbers(a), versionNumbers(b)
	return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]), cmp.Compare(x[2], y[2]))
}

// IsVersion says whether a text is major.minor.patch.
func IsVersion(text string) bool { return semverPattern.MatchString(text) }
