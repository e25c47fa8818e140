package words

import (
	"path"
	"slices"
	"strings"

	"atelier/internal/quantity"
)

// Statistics on a table: the tool, and which column takes which part in it.

var tableFiles = []string{".csv", ".tsv", ".parquet", ".jsonl"}

func isTableFile(name string) bool {
	return slices.Contains(tableFiles, strings.ToLower(path.Ext(name)))
}

func (r *reader) tableFile() *File {
	for _, n := range r.all("file") {
		if isTableFile(n.text) {
			n.use()
			for i, f := range r.in.Files {
				if f.Name == n.text || stemOf(f.Name) == stemOf(n.text) {
					return &r.in.Files[i]
				}
			}
			return &File{Name: n.text}
		}
	}
	var found *File
	for i, f := range r.in.Files {
		if isTableFile(f.Name) {
			if found != nil {
				return nil
			}
			found = &r.in.Files[i]
		}
	}
	if found != nil {
		return found
	}
	for _, t := range section(r.before, "tables") {
		m, _ := t.(map[string]any)
		return &File{Name: text(m["file"])}
	}
	return nil
}

func (r *reader) isTable() bool {
	for _, n := range r.list {
		if n.kind == "file" && isTableFile(n.text) {
			return true
		}
	}
	statistics := r.has("s.ttest", "s.anova", "s.regression", "s.summary", "s.correlation", "s.series", "s.differ", "s.mannwhitney", "s.kruskal", "s.signedrank", "s.logistic", "s.twoway", "s.repeated", "s.ridge", "s.lasso", "s.poisson", "s.unknown", "s.rank", "s.nonnormal")
	onlyTables := len(section(r.before, "parts")) == 0 && (len(section(r.before, "tables")) > 0 || len(r.in.Files) > 0 && !slices.ContainsFunc(r.in.Files, func(f File) bool { return !isTableFile(f.Name) }))
	return statistics != nil && onlyTables
}

// column is one that the sentence names, with what stands before it.
type column struct {
	name   string
	node   *node
	behind string // by, on or ""
}

// columns are those that the sentence names. Where the columns of the table are known, only
// they count; else every word that the lexicon does not have may be one.
func (r *reader) columns(file *File) []column {
	known := map[string]string{}
	for _, c := range file.Columns {
		known[columnKey(c)] = c
	}
	var out []column
	behind := ""
	for _, n := range r.list {
		if n.kind == "comma" || n.is("and") {
			continue
		}
		name, ok := known[columnKey(n.text)]
		if n.kind == "column" {
			name, ok = n.val.(string), true
		}
		if n.kind == "quoted" {
			name, ok = n.val.(string), true
			if k, found := known[columnKey(name)]; found {
				name = k
			}
		}
		if !ok && len(file.Columns) == 0 && n.kind == "word" {
			name, ok = n.text, true
		}
		if ok {
			n.use()
			if !slices.ContainsFunc(out, func(c column) bool { return c.name == name }) {
				out = append(out, column{name, n, behind})
			}
			continue
		}
		switch {
		case n.is("s.on") && n.is("s.by") && r.has("s.regression") != nil:
			behind = "on"
		case n.is("s.by"):
			behind = "by"
		case n.is("s.on"):
			behind = "on"
		case n.kind != "amount":
			if !n.is("of") && !n.is("s.group") && !n.is("n") && !n.is("at") {
				behind = ""
			}
		}
	}
	return out
}

// columnKey is a name without what words in a sentence differ in.
func columnKey(s string) string {
	s = strings.ToLower(strings.NewReplacer("_", "", " ", "", "-", "").Replace(s))
	return stem(strings.TrimSuffix(s, "s"), English)
}

func (r *reader) table() {
	if len(section(r.before, "tables")) > 0 && r.shortQuestion() {
		return
	}
	r.list = r.raw
	file := r.tableFile()
	if file == nil {
		r.ask("table", r.say("Which file is the table?", "Welche Datei ist die Tabelle?"), "widths.csv")
		return
	}
	for _, n := range r.list {
		if n.is("s") || n.is("max") || n.is("min") || n.is("n") || n.is("an") || n.is("linear.load") || n.is("now") {
			n.use()
		}
	}
	filters := r.filters(file)
	if len(r.out.Questions) > 0 {
		return
	}
	list := r.columns(file)
	if len(file.Columns) == 0 && len(list) > 0 {
		var said []string
		for _, c := range list {
			said = append(said, c.name)
		}
		r.assume("The columns are taken to be named %s.", "Als Spalten gelten %s.", strings.Join(said, ", "))
	}
	name := nameOf(stemOf(file.Name))
	if len(r.members("tables")) == 0 {
		r.set("tables", name, map[string]any{"file": file.Name})
	} else {
		name = r.members("tables")[0].name
	}
	if n := r.has("s.unknown"); n != nil {
		r.ask("statistic", r.say("%q is not computed here. There are summaries, t and rank tests, analyses of variance, regressions, correlations and time series; of all rows or of those that meet a condition.", "%q wird hier nicht berechnet. Es gibt Kennwerte, t- und Rangtests, Varianzanalysen, Regressionen, Korrelationen und Zeitreihen, über alle Zeilen oder die, die eine Bedingung erfüllen.", n.text), r.say("a summary of the column", "Kennwerte der Spalte"))
		return
	}
	alpha, ok := r.alpha()
	if !ok {
		return
	}
	tool, options := r.statistic(list, file)
	if tool == "" {
		return
	}
	for i, n := range r.list {
		if n.is("s.lambda") && i+1 < len(r.list) && r.list[i+1].amount() != nil {
			r.list[i+1].use()
			options["lambda"], _ = r.list[i+1].amount().number.Float64()
		}
	}
	if alpha > 0 {
		options["alpha"] = alpha
	}
	if len(filters) > 0 {
		options["capture"] = map[string]any{"selectors": map[string]any{"filters": filters}}
	}
	options["path"] = map[string]any{"$study": "/tables/" + name + "/file"}
	r.set("analyses", r.statisticName(tool), map[string]any{"type": "tool", "tool": tool, "options": options})
}

func (r *reader) statisticName(tool string) string {
	return map[string]string{"t_test_tool": "t test", "anova_tool": "anova", "statistical_regression_tool": "regression", "summary_stats_tool": "summary", "timeseries_tool": "series"}[tool]
}

// statistic chooses the tool and its input.
func (r *reader) statistic(list []column, file *File) (string, map[string]any) {
	var plain, by, onto []string
	for _, c := range list {
		switch c.behind {
		case "by":
			by = append(by, c.name)
		case "on":
			onto = append(onto, c.name)
		default:
			plain = append(plain, c.name)
		}
	}
	all := append(append(append([]string{}, plain...), by...), onto...)
	switch {
	case r.has("s.regression", "s.logistic", "s.poisson", "s.ridge", "s.lasso") != nil:
		return r.regression(all, list, append(onto, by...))
	case r.has("s.correlation") != nil:
		if len(all) == 1 {
			r.askColumns(file, r.say("Between which columns?", "Zwischen welchen Spalten?"))
			return "", nil
		}
		options := map[string]any{"correlations": true}
		if len(all) > 0 {
			options["columns"] = anys(all)
		}
		return "summary_stats_tool", options
	case r.has("s.series") != nil:
		if len(all) == 0 {
			r.askColumns(file, r.say("Of which column?", "Von welcher Spalte?"))
			return "", nil
		}
		options := map[string]any{"column": all[0]}
		if len(all) > 1 {
			options["time"] = all[1]
		}
		return "timeseries_tool", options
	case r.has("s.ttest", "s.nonnormal", "s.rank", "s.mannwhitney", "s.signedrank", "s.paired", "s.anova", "s.kruskal", "s.differ", "s.twoway", "s.repeated") != nil:
		return r.comparison(plain, append(by, onto...), file)
	case r.has("s.summary") != nil:
		options := map[string]any{}
		if len(plain) > 0 {
			options["columns"] = anys(plain)
		} else if len(onto) > 0 {
			options["columns"] = anys(onto)
		}
		if len(by) == 1 {
			options["group_by"] = by[0]
		}
		return "summary_stats_tool", options
	}
	r.askColumns(file, r.say("What is to be found out about the table: a summary, a comparison of groups, a regression, a correlation, a trend?", "Was soll über die Tabelle ermittelt werden: Kennwerte, ein Vergleich von Gruppen, eine Regression, eine Korrelation, ein Trend?"))
	return "", nil
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

func (r *reader) askColumns(file *File, why string) {
	if len(file.Columns) > 0 {
		why += r.say(" Its columns are ", " Ihre Spalten sind ") + strings.Join(file.Columns, ", ") + "."
	}
	r.ask("columns", why, r.say(`does "width" differ between "machine"?`, `unterscheidet sich "breite" nach "maschine"?`))
}

func (r *reader) regression(all []string, list []column, features []string) (string, map[string]any) {
	operation := "linear_regression"
	for _, o := range [][2]string{{"s.logistic", "logistic_regression"}, {"s.poisson", "poisson_regression"}, {"s.ridge", "ridge"}, {"s.lasso", "lasso"}} {
		if r.has(o[0]) != nil {
			operation = o[1]
		}
	}
	if len(all) < 2 {
		r.ask("columns", r.say("Which column is to be explained, and by which others?", "Welche Spalte soll erklärt werden, und durch welche?"), r.say(`regression of "strength" on "temperature"`, `Regression von "festigkeit" auf "temperatur"`))
		return "", nil
	}
	target := list[0].name
	if r.contains("effect of") || r.contains("influence of") || r.contains("einfluss von") || r.contains("einfluss der") || r.contains("affect") {
		if len(list) == 2 {
			return "statistical_regression_tool", map[string]any{"operation": operation, "target": list[1].name, "features": []any{list[0].name}}
		}
	}
	var rest []string
	for _, c := range list[1:] {
		rest = append(rest, c.name)
	}
	if slices.Contains(features, target) && len(features) < len(list) {
		for _, c := range list {
			if c.behind == "" {
				target = c.name
			}
		}
		rest = slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == target })
	}
	return "statistical_regression_tool", map[string]any{"operation": operation, "target": target, "features": anys(rest)}
}

// comparison of groups, of two columns, or of a mean with a value.
func (r *reader) comparison(plain, by []string, file *File) (string, map[string]any) {
	var value *node
	for _, n := range r.list {
		if n.kind == "amount" && len(n.amount().units) == 0 {
			value = n
		}
	}
	switch {
	case len(plain) == 0:
		r.askColumns(file, r.say("Which column is compared, between the values of which other?", "Welche Spalte wird verglichen, zwischen den Werten welcher anderen?"))
	case r.has("s.paired") != nil && len(plain)+len(by) == 2:
		both := append(append([]string{}, plain...), by...)
		return "t_test_tool", map[string]any{"operation": "paired", "column": both[0], "with": both[1]}
	case r.has("s.twoway") != nil && len(by) == 2:
		return "anova_tool", map[string]any{"operation": "two_way", "response": plain[0], "factors": anys(by)}
	case len(by) == 0 && value != nil:
		value.use()
		v, _ := value.amount().number.Float64()
		operation := "one_sample"
		if r.has("s.signedrank") != nil {
			operation = "signed_rank"
		}
		return "t_test_tool", map[string]any{"operation": operation, "column": plain[0], "value": v}
	case len(by) != 1 && len(plain) == 2 && len(by) == 0 && r.has("s.ttest") != nil:
		r.askColumns(file, r.say("Are %s and %s measured on the same rows (a paired test), or is one of them the group?", "Sind %s und %s je Zeile gemessen (ein gepaarter Test), oder ist eine die Gruppe?", plain[0], plain[1]))
	case len(by) != 1:
		r.askColumns(file, r.say("Between the values of which column is it compared?", "Zwischen den Werten welcher Spalte wird verglichen?"))
	case r.has("s.kruskal") != nil && r.has("s.mannwhitney") != nil || r.has("s.nonnormal", "s.rank") != nil && r.has("s.ttest", "s.mannwhitney", "s.anova") == nil:
		r.useEach("if", "not")
		r.assume("How many groups there are shows in the run. Kruskal and Wallis's test holds for any number; for two it is that of Mann and Whitney.", "Wie viele Gruppen es gibt, zeigt der Lauf. Der Test von Kruskal und Wallis gilt für jede Zahl; für zwei ist er der von Mann und Whitney.")
		return "anova_tool", map[string]any{"operation": "kruskal_wallis", "response": plain[0], "factor": by[0]}
	case r.has("s.kruskal") != nil:
		return "anova_tool", map[string]any{"operation": "kruskal_wallis", "response": plain[0], "factor": by[0]}
	case r.has("s.mannwhitney") != nil:
		return "t_test_tool", map[string]any{"operation": "mann_whitney", "column": plain[0], "factor": by[0]}
	case r.has("s.ttest") != nil || r.has("n.2") != nil && r.has("s.anova") == nil:
		return "t_test_tool", map[string]any{"operation": "two_sample", "column": plain[0], "factor": by[0]}
	default:
		return "anova_tool", map[string]any{"operation": "one_way", "response": plain[0], "factor": by[0]}
	}
	return "", nil
}

// alpha is the level of the tests and intervals: said as it is, or as a confidence.
func (r *reader) alpha() (alpha float64, ok bool) {
	for i, n := range r.list {
		if !n.is("s.alpha") && !n.is("s.confidence") {
			continue
		}
		for _, j := range []int{i + 1, i - 1, i + 2, i - 2} {
			if j < 0 || j >= len(r.list) || r.list[j].kind != "amount" {
				continue
			}
			a := r.list[j].amount()
			v, _ := a.number.Float64()
			if a.written == "%" {
				v /= 100
			} else if len(a.units) > 0 || n.is("s.confidence") && v > 1 {
				continue
			}
			r.list[j].use()
			if n.is("s.confidence") {
				v = 1 - v
			}
			if v <= 0 || v >= 1 {
				r.refuse(r.say("A confidence lies between 0 and 100 %, both excluded.", "Ein Vertrauensniveau liegt zwischen 0 und 100 %, beide ausgeschlossen."))
				return 0, false
			}
			return quantity.Significant(v), true
		}
	}
	return 0, true
}
