package ipynb

import (
	"math"
	"regexp"
	"strings"
)

// Metrics are the figures of ALAIN's quality validator, version 0.2.0, rounding
// and all. MarkdownRatio is nil for a notebook without markdown and code, and the
// tokens are nil where a cell's source is a number.
type Metrics struct {
	QualityScore         int      `json:"qualityScore"`
	StepCount            int      `json:"stepCount"`
	MarkdownRatio        *float64 `json:"markdownRatio"`
	EstimatedTokens      *float64 `json:"estimatedTokens"`
	EstimatedReadingTime *float64 `json:"estimatedReadingTime"`
	HasRequiredSections  bool     `json:"hasRequiredSections"`
	MeetsStandards       bool     `json:"meetsStandards"`
}

// The original is JavaScript. Its \s is wider than Go's, its dot stops at four
// line ends, and its i flag folds ASCII letters only where no u flag is given.
const (
	jsSpace = `[\t\n\v\f\r \x{00a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]`
	jsAny   = `[^\n\r\x{2028}\x{2029}]`
)

var (
	titleStart     = regexp.MustCompile(`\A#` + jsSpace + `+`)
	stepStart      = regexp.MustCompile(`\A##` + jsSpace + `+([sS][tT][eE][pP]|[sS][eE][cC][tT][iI][oO][nN])` + jsSpace + `+[0-9]+`)
	knowledgeCheck = regexp.MustCompile(`[kK][nN][oO][wW][lL][eE][dD][gG][eE]` + jsSpace + `*[cC][hH][eE][cC][kK]`)
	renderQuiz     = regexp.MustCompile(`render_mcq` + jsSpace + `*\(`)
	importWidgets  = regexp.MustCompile(`import` + jsSpace + `+ipywidgets` + jsSpace + `+as` + jsSpace + `+widgets`)
)

// jsLower is JavaScript's toLowerCase, which makes two characters of İ.
func jsLower(s string) string { return strings.ToLower(strings.ReplaceAll(s, "İ", "i̇")) }

// required are the four sections that the original asks for.
type required struct{ title, objectives, setup, assessments bool }

func (r required) all() bool { return r.title && r.objectives && r.setup && r.assessments }

// inspect notes what one cell contributes.
func (r *required) inspect(c *ExistingCell) (step bool) {
	switch c.Type {
	case "markdown":
		lower := jsLower(c.Source)
		r.title = r.title || titleStart.MatchString(c.Source)
		r.objectives = r.objectives || strings.Contains(lower, "objective")
		r.setup = r.setup || strings.Contains(lower, "setup")
		r.assessments = r.assessments || strings.Contains(lower, "question") || knowledgeCheck.MatchString(c.Source)
		return stepStart.MatchString(c.Source)
	case "code":
		r.assessments = r.assessments || renderQuiz.MatchString(c.Source) || importWidgets.MatchString(c.Source)
	}
	return false
}

// Quality computes the figures.
func Quality(nb *Existing) Metrics {
	var m Metrics
	var r required
	total, markdown, code, number := 0, 0, 0, true
	for i := range nb.Cells {
		c := &nb.Cells[i]
		total += tokens(c.Source)
		number = number && !c.Odd
		if r.inspect(c) {
			m.StepCount++
		}
		switch c.Type {
		case "markdown":
			markdown++
		case "code":
			code++
		}
	}
	m.HasRequiredSections = r.all()
	ratio, count := math.NaN(), math.NaN()
	if markdown+code > 0 {
		ratio = float64(markdown) / float64(markdown+code)
		m.MarkdownRatio = &ratio
	}
	if number {
		count = float64(total)
		minutes := math.Floor(count/tokensPerMinute*10+0.5) / 10
		m.EstimatedTokens, m.EstimatedReadingTime = &count, &minutes
	}
	m.QualityScore = score(r, m.StepCount, ratio, count)
	m.MeetsStandards = m.QualityScore >= 90
	return m
}

// score is the original's sum of points; of undefined figures it gives none.
func score(r required, steps int, ratio, count float64) int {
	points := 0
	for _, there := range []bool{r.title, r.objectives, r.setup, r.assessments} {
		if there {
			points += 10
		}
	}
	points += graded(float64(steps), 6, 15, 3, math.Inf(1))
	points += graded(ratio, 0.4, 0.7, 0.3, 0.8)
	points += graded(count, 2000, 4000, 1000, 6000)
	return min(points, 100)
}

// graded gives 20 points inside the inner band, 10 inside the outer one.
func graded(x, low, high, lowest, highest float64) int {
	switch {
	case x >= low && x <= high:
		return 20
	case x >= lowest && x <= highest:
		return 10
	}
	return 0
}
