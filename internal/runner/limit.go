package runner

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/internal/contract"
)

// limited gives the call its time limit, and cuts what it wrote to the limits
// of text. Cuts are counted in metrics and named in the summary's limits note.
func limited(next Runner) Runner {
	return func(ctx context.Context, req *Request) *contract.Result {
		ctx, cancel := context.WithTimeout(ctx, req.Limits.Timeout())
		defer cancel()
		result := next(ctx, req)
		if result.Metrics == nil {
			result.Metrics = map[string]any{}
		}
		var notes []string
		cut := func(text *string, already, limit int64, metric, what string) {
			if lost := already + truncate(text, limit); lost > 0 {
				result.Metrics[metric] = lost
				notes = append(notes, fmt.Sprintf("%d bytes of %s cut off", lost, what))
			}
		}
		cut(&result.Log.Stdout, result.Log.StdoutLost, req.Limits.MaxStdoutBytes, "stdout_truncated_bytes", "stdout")
		cut(&result.Log.Stderr, result.Log.StderrLost, req.Limits.MaxStderrBytes, "stderr_truncated_bytes", "stderr")
		for _, removed := range []struct{ metric, what string }{
			{metricOversize, "oversize artifacts removed"}, {metricCount, "artifacts removed by the count limit"},
		} {
			if n, ok := result.Metrics[removed.metric].(int); ok {
				notes = append(notes, fmt.Sprintf("%d %s", n, removed.what))
			}
		}
		result.Summary = summarize(result, notes, int(req.Limits.MaxSummaryCharacters))
		return result
	}
}

// truncate cuts text to at most limit bytes on a UTF-8 boundary and returns how
// many bytes were lost.
func truncate(text *string, limit int64) int64 {
	s := *text
	if int64(len(s)) <= limit {
		return 0
	}
	end := int(limit)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	*text = s[:end]
	return int64(len(s) - end)
}

// summarize bounds the summary, in characters, and keeps room for what stands behind it
// and for the note.
func summarize(result *contract.Result, notes []string, limit int) string {
	summary := strings.ToValidUTF8(strings.TrimSpace(result.Summary), "\uFFFD")
	note := ""
	if len(notes) > 0 {
		note = " [limits: " + strings.Join(notes, ", ") + "]"
	}
	if utf8.RuneCountInString(summary)+utf8.RuneCountInString(result.Behind)+utf8.RuneCountInString(note) <= limit {
		return summary + result.Behind + note
	}
	if utf8.RuneCountInString(summary)+utf8.RuneCountInString(result.Behind) > limit-utf8.RuneCountInString(note) {
		result.Metrics["summary_truncated"] = true
		if note == "" {
			note = " [limits: summary]"
		}
	}
	room := limit - utf8.RuneCountInString(note) - len("...")
	if room < 0 { // a limit too small to say what was cut; metrics do
		note = "[limits: cut]"
		return cutWords(summary, limit-len("...")-len(note)) + "..." + note
	}
	if behind := utf8.RuneCountInString(result.Behind); behind <= room {
		return cutWords(summary, room-behind) + "..." + result.Behind + note
	}
	return cutWords(summary+result.Behind, room) + "..." + note
}

// cutWords cuts a text behind a word that is no part of a figure: 25 of 25400.5 mm, or
// 25400.5 without its unit, would be another one.
func cutWords(s string, n int) string {
	runes := []rune(s)
	if n >= len(runes) {
		return s
	}
	text := string(runes[:max(0, n)])
	if !strings.ContainsFunc(text, unicode.IsNumber) {
		return text
	}
	if n <= 0 || !unicode.IsSpace(runes[n]) {
		text = text[:strings.LastIndexFunc(text, unicode.IsSpace)+1]
	}
	words := strings.TrimRightFunc(text, unicode.IsSpace)
	for words != "" {
		begin := strings.LastIndexFunc(words, unicode.IsSpace) + 1
		if last := words[begin:]; !strings.ContainsFunc(last, unicode.IsNumber) && strings.ContainsFunc(last, unicode.IsLetter) {
			break
		}
		words = strings.TrimRightFunc(words[:begin], unicode.IsSpace)
	}
	return words
}
