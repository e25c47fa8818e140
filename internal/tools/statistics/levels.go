package statistics

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"atelier/internal/contract"
	"atelier/internal/stat"
)

// takeLevels notes that a call compares the levels of a column.
func (d *selectedData) takeLevels(column int) {
	if !slices.Contains(d.levels, column) {
		d.levels = append(d.levels, column)
	}
}

// warnOfLevels says which levels of a column look alike: they are kept apart, as one
// cannot know whether they are one level or two.
func (d *selectedData) warnOfLevels(ctx context.Context, res *contract.Result, column int) error {
	if !d.Spelled(column) || d.Columns[column].Type.Numeric() && !slices.Contains(d.levels, column) {
		return nil
	}
	set, err := d.levelsOf(ctx, column)
	if err != nil || len(set) > maxGroups {
		return err
	}
	forms := map[string][]string{}
	for _, level := range slices.Sorted(maps.Keys(set)) {
		form := alikeForm(level)
		forms[form] = append(forms[form], strconv.Quote(level))
	}
	var alike []string
	for _, form := range slices.Sorted(maps.Keys(forms)) {
		if len(forms[form]) > 1 {
			alike = append(alike, strings.Join(forms[form], " and "))
		}
	}
	if len(alike) == 0 {
		return nil
	}
	shown := strings.Join(alike[:min(len(alike), 5)], ", ")
	if len(alike) > 5 {
		shown += ", …"
	}
	res.Warnings = append(res.Warnings, contract.Warning{Code: "alike_levels", Message: fmt.Sprintf(
		"Levels of %q look alike and are kept apart as they are written: %s. Write those that are one level in one way.", d.Columns[column].Name, shown)})
	return nil
}

// levelsOf are the different texts of a column in the selected rows, up to some more
// than maxGroups.
func (d *selectedData) levelsOf(ctx context.Context, column int) (map[string]bool, error) {
	all := map[string]bool{}
	err := stat.EachBlock(ctx, d.Blocks(), func(i int) (map[string]bool, error) {
		rows, err := d.Rows(i)
		if err != nil || rows.Len() == 0 {
			return nil, err
		}
		defer rows.Free()
		words, absent, err := rows.Words(column)
		set := map[string]bool{}
		for r, w := range words {
			if !absent[r] && len(set) <= maxGroups {
				set[w] = true
			}
		}
		return set, err
	}, func(set map[string]bool) {
		if len(all) <= maxGroups {
			maps.Copy(all, set)
		}
	})
	return all, err
}

var zerosBefore = regexp.MustCompile(`(^|[^0-9.])0+([0-9])`)

// alikeForm is the same for texts that a reader takes for one another: but for case,
// spaces, zeros before numbers, and the forms of a letter.
func alikeForm(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(norm.NFKC.String(text)), " "))
	if v, err := stat.Parse(text); err == nil {
		return fmt.Sprint(v)
	}
	return zerosBefore.ReplaceAllString(text, "$1$2")
}
