package search

import (
	"testing"
	"time"
)

// Saturday, 2026-11-21, 14:00 UTC.
var today = time.Date(2026, 11, 21, 14, 0, 0, 0, time.UTC)

func TestDatesAreISOOrNothing(t *testing.T) {
	for given, want := range map[string]string{
		// ISO 8601 as it is, at its own precision
		"2026-01-02": "2026-01-02", "2026-01-02T03:04:05": "2026-01-02T03:04:05", "2026-01-02T03:04:05Z": "2026-01-02T03:04:05Z",
		"2026-01-02 03:04": "2026-01-02T03:04:00", "2026-01-02T03:04:05.678+0200": "2026-01-02T03:04:05+02:00",
		// RFC 1123, RFC 822 and words
		"Fri, 02 Jan 2026 03:04:05 GMT": "2026-01-02T03:04:05Z", "Jan 2, 2026": "2026-01-02", "January 2, 2026": "2026-01-02", "2 January 2026": "2026-01-02",
		"2026/01/02": "2026-01-02", "20260102": "2026-01-02", "1767323045": "2026-01-02T03:04:05Z",
		// from now
		"3 days ago": "2026-11-18", "1 day ago": "2026-11-20", "an hour ago": "2026-11-21", "20 hours ago": "2026-11-20", "2 weeks ago": "2026-11-07", "Yesterday": "2026-11-20",
		// no day, or two days
		"": "", "2026": "", "January 2026": "", "2 months ago": "", "a year ago": "", "03/04/2026": "", "n/a": "", "null": "", "0": "", "soon": "",
		"2026-13-40": "", "2026-01-02T25:00:00": "", "9999-99-99": "", "0001-01-01T00:00:00Z": "0001-01-01T00:00:00Z",
	} {
		got := ""
		if d := isoDate(given, today); d != nil {
			got = *d
		}
		if got != want {
			t.Errorf("%q is %q, want %q", given, got, want)
		}
	}
}

func TestTextIsPlain(t *testing.T) {
	for given, want := range map[string]string{
		"<b>Go</b> &amp; queues":                 "Go & queues",
		"a &amp;lt;b&amp;gt; c":                  "a <b> c", // escaped twice
		"one<br>two<p>three":                     "one two three",
		"half<strong>word</strong>s":             "halfwords",
		"<script>alert('x')</script>seen":        "seen",
		"if x < y and y > z":                     "if x < y and y > z",
		"map<string, int> and x<y":               "map<string, int> and x<y",
		"  lines\n and\ttabs\u00a0 ":             "lines and tabs",
		"\ue000marked\ue001 and \x00\x1bcontrol": "marked and control",
		"日本語 <em>検索</em>":                        "日本語 検索",
	} {
		if got := plainText(given); got != want {
			t.Errorf("%q is %q, want %q", given, got, want)
		}
	}
}

func FuzzPlainAndDates(f *testing.F) {
	for _, s := range []string{"<b>x</b>", "&amp;&#0;", "3 days ago", "12/12/12", "<script", "\xff\xfe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_ = plainText(s)
		if d := isoDate(s, today); d != nil {
			if _, err := time.Parse(time.DateOnly, (*d)[:10]); err != nil {
				t.Errorf("%q is no ISO date: %v", *d, err)
			}
		}
	})
}
