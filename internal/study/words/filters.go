package words

import (
	"slices"
	"strings"
)

// Rows of a table that are left out, or that alone are looked at.

// filters are the conditions that the rows must meet, as the tools of statistics take them.
func (r *reader) filters(file *File) []any {
	var out []any
	for i := 0; i < len(r.list); i++ {
		n := r.list[i]
		if !n.is("s.filter") && !(n.is("where") && i > 0 && r.list[i-1].used && r.list[i-1].is("s.filter")) {
			continue
		}
		n.use()
		low := strings.ToLower(n.text)
		drops := slices.ContainsFunc([]string{"leave", "exclud", "without", "drop", "ohne", "lass", "ausschl"}, func(w string) bool { return strings.Contains(low, w) })
		if i > 0 && (r.list[i-1].is("not") || r.list[i-1].is("except") || r.list[i-1].is("without")) {
			r.list[i-1].use()
			drops = !drops
		}
		condition, last := r.comparison1(file, i+1, drops)
		if condition == "" {
			r.ask("rows", r.say("Which rows? Give a column, a comparison and a value.", "Welche Zeilen? Gib Spalte, Vergleich und Wert an."), r.say("leave out rows where temperature is above 100", "ohne Zeilen mit temperatur über 100"))
			return nil
		}
		out = append(out, condition)
		r.list = append(slices.Clone(r.list[:i+1]), r.list[last:]...)
	}
	return out
}

// comparison1 reads a column, a comparison and a value behind a place in the list; negated
// where such rows are left out.
func (r *reader) comparison1(file *File, from int, negated bool) (condition string, behind int) {
	column, sign := "", ""
	for i := from; i < len(r.list); i++ {
		n := r.list[i]
		switch {
		case n.kind == "stop", n.kind == "comma":
			return "", i
		case n.kind == "column" && column == "":
			n.use()
			column = n.val.(string)
		case n.is("limit.above"), n.is("more"):
			n.use()
			sign = ">"
		case n.is("limit.below"), n.is("less"):
			n.use()
			sign = "<"
		case n.is("where"), n.is("at"), n.is("of"), n.is("with"), n.is("equals"), n.is("must"), n.is("s.on"), n.is("s.by"):
			n.use()
		case n.kind == "amount" && column != "" && sign != "" && len(n.amount().units) == 0 && n.amount().doubt == "":
			n.use()
			if least := strings.ToLower(r.text[:n.start]); strings.HasSuffix(strings.TrimSpace(least), "at least") || strings.HasSuffix(strings.TrimSpace(least), "mindestens") || strings.HasSuffix(strings.TrimSpace(least), "at most") || strings.HasSuffix(strings.TrimSpace(least), "höchstens") {
				sign += "="
			}
			if negated {
				sign = map[string]string{">": "<=", "<": ">=", ">=": "<", "<=": ">"}[sign]
			}
			return column + " " + sign + " " + decimal(n.amount().number), i + 1
		case (n.kind == "quoted" || n.kind == "word") && column != "" && sign == "":
			n.use()
			value := strings.ReplaceAll(n.text, "'", "''")
			if text, ok := n.val.(string); ok {
				value = strings.ReplaceAll(text, "'", "''")
			}
			sign = "="
			if negated {
				sign = "<>"
			}
			return column + " " + sign + " '" + value + "'", i + 1
		default:
			return "", i
		}
	}
	return "", len(r.list)
}
