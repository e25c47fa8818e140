package statistics

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"maps"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/stat"
)

const (
	topTexts    = 5   // most frequent texts that are shown
	csvTexts    = 200 // and that are in the CSV
	shownLetter = 60  // letters of a text
	quantRule   = "Quantiles interpolate between the two nearest values (type 7 of Hyndman and Fan, as R and NumPy do)."
	digestRule  = "Quantiles are estimates of type 7 by a merging t-digest (Dunning and Ertl 2019, compression 500)."
	pairRule    = "Of the rows that have both values. Pearson: p by Student's t with n-2 degrees of freedom, Fisher's interval. Spearman: ties share ranks, p by Student's t, interval of Bonett and Wright."
)

func (s *summarizer) output() *summaryOutput {
	out := &summaryOutput{Model: "summary_stats", SampleCount: s.selected, WithoutGroup: s.withoutGroup, Groups: []groupSummary{},
		QuantileRule: quantRule, CorrelationOf: pairRule}
	if !s.exact {
		out.QuantileRule = digestRule
	}
	single := len(s.levels)*len(s.numeric) == 1
	for g, level := range s.levels {
		c := s.cells[level]
		group := groupSummary{Level: level, Rows: c.rows, Columns: []columnSummary{}, Texts: []textSummary{}, Correlations: []correlation{}}
		for _, f := range s.figures[g] {
			if b := f.bins; b != nil {
				f.Histogram = &histogramShown{Rule: b.Rule, Bins: len(b.Counts), Low: number(b.Low), Width: number(b.Width)}
				if single {
					f.Histogram.Counts = b.Counts
				}
			}
			group.Columns = append(group.Columns, f)
		}
		for k, w := range c.words {
			group.Texts = append(group.Texts, w.summary(s.data.Columns[s.texts[k]].Name))
		}
		group.Correlations = s.correlations(c)
		out.Groups = append(out.Groups, group)
	}
	return out
}

// correlations are those of every pair of numeric columns of a group.
func (s *summarizer) correlations(c *cell) []correlation {
	list := []correlation{}
	if !s.pairs {
		return list
	}
	at := 0
	for a := range s.numeric {
		for b := a + 1; b < len(s.numeric); b++ {
			p := c.pairs[at].Pearson(s.alpha)
			at++
			nan := stat.Pair{}.Pearson(s.alpha)
			r := nan
			if s.exact {
				x, y := c.complete(a, b)
				r = stat.Spearman(x, y, s.alpha)
			}
			list = append(list, correlation{A: s.data.Columns[s.numeric[a]].Name, B: s.data.Columns[s.numeric[b]].Name, N: p.N,
				Pearson: number(p.R), Low: number(p.Low), High: number(p.High), P: number(p.P),
				Spearman: number(r.R), SpearmanLow: number(r.Low), SpearmanHigh: number(r.High), SpearmanP: number(r.P)})
		}
	}
	return list
}

// frequent are the texts by falling count, equal ones by the alphabet.
func (w *wordCounts) frequent() []textCount {
	list := []textCount{}
	for text, n := range maps.All(w.count) {
		list = append(list, textCount{text, n})
	}
	slices.SortFunc(list, func(a, b textCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
	})
	return list
}

func (w *wordCounts) summary(name string) textSummary {
	t := textSummary{Name: name, N: w.n, Missing: w.missing, Distinct: len(w.count), Complete: w.beyond == 0, Top: w.frequent(), Other: w.n}
	t.Top = t.Top[:min(len(t.Top), topTexts)]
	for i := range t.Top {
		t.Other -= t.Top[i].Count
		if letters := []rune(t.Top[i].Value); len(letters) > shownLetter {
			t.Top[i].Value = string(letters[:shownLetter]) + "…"
		}
	}
	return t
}

// tables are all figures with all their digits as CSV.
func (s *summarizer) tables() []contract.Artifact {
	return csvFiles(csvTable{"summary.csv", s.figureRows()}, csvTable{"histograms.csv", s.histogramRows()},
		csvTable{"correlations.csv", s.correlationRows()}, csvTable{"texts.csv", s.textRows()})
}

// csvTable is the rows of a file, its header first.
type csvTable struct {
	name string
	rows [][]string
}

// csvFiles are the tables that have more than a header.
func csvFiles(tables ...csvTable) []contract.Artifact {
	var files []contract.Artifact
	for _, t := range tables {
		if len(t.rows) > 1 {
			files = append(files, csvFile(t.name, t.rows))
		}
	}
	return files
}

// csvFile is a table as an artifact.
func csvFile(name string, rows [][]string) contract.Artifact {
	var b bytes.Buffer
	_ = csv.NewWriter(&b).WriteAll(rows) // into memory, which cannot fail
	return contract.Artifact{Name: name, MIME: contract.MIMEType(name), Content: b.Bytes()}
}

func texts(values ...number) []string {
	var out []string
	for _, v := range values {
		out = append(out, v.text())
	}
	return out
}

func (s *summarizer) figureRows() [][]string {
	rows := [][]string{{"group", "column", "n", "missing", "mean", "mean_low", "mean_high", "standard_deviation", "variance", "skewness", "excess_kurtosis",
		"min", "q1", "median", "q3", "max", "rank_error", "mode", "mode_count", "mode_ties"}}
	for _, q := range s.quantiles {
		rows[0] = append(rows[0], "q"+number(q).text())
	}
	for g, level := range s.levels {
		for _, c := range s.figures[g] {
			row := []string{level, c.Name, strconv.Itoa(c.N), strconv.FormatInt(c.Missing, 10)}
			row = append(row, texts(c.Mean, c.MeanLow, c.MeanHigh, c.SD, c.Variance, c.Skewness, c.Kurtosis, c.Min, c.Q1, c.Median, c.Q3, c.Max, c.RankError)...)
			if c.Mode != nil {
				row = append(row, c.Mode.Value.text(), strconv.FormatInt(c.Mode.Count, 10), strconv.Itoa(c.Mode.Ties))
			} else {
				row = append(row, "", "", "")
			}
			for i := range s.quantiles {
				v := ""
				if i < len(c.Quantiles) {
					v = c.Quantiles[i].Value.text()
				}
				row = append(row, v)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func (s *summarizer) histogramRows() [][]string {
	rows := [][]string{{"group", "column", "from", "to", "count"}}
	for g, level := range s.levels {
		for _, c := range s.figures[g] {
			if c.bins == nil {
				continue
			}
			for i, n := range c.bins.Counts {
				rows = append(rows, []string{level, c.Name, number(c.bins.Edge(i)).text(), number(c.bins.Edge(i + 1)).text(), strconv.FormatInt(n, 10)})
			}
		}
	}
	return rows
}

func (s *summarizer) correlationRows() [][]string {
	rows := [][]string{{"group", "a", "b", "n", "pearson", "low", "high", "p_value", "spearman", "spearman_low", "spearman_high", "spearman_p_value"}}
	for _, level := range s.levels {
		for _, c := range s.correlations(s.cells[level]) {
			rows = append(rows, append([]string{level, c.A, c.B, strconv.Itoa(c.N)}, texts(c.Pearson, c.Low, c.High, c.P, c.Spearman, c.SpearmanLow, c.SpearmanHigh, c.SpearmanP)...))
		}
	}
	return rows
}

func (s *summarizer) textRows() [][]string {
	rows := [][]string{{"group", "column", "value", "count"}}
	for _, level := range s.levels {
		for k, w := range s.cells[level].words {
			list := w.frequent()
			for _, t := range list[:min(len(list), csvTexts)] {
				rows = append(rows, []string{level, s.data.Columns[s.texts[k]].Name, t.Value, strconv.FormatInt(t.Count, 10)})
			}
		}
	}
	return rows
}
