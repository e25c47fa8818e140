// Command web reads saved pages with the reader that web.fetch uses, inside this
// process, and tells for each the text and the processor time: the Go side of
// `make bench-web`, which asks for one page after the other, between those of
// its peer.
//
// A line on standard input is the path of an HTML file and the page's URL,
// separated by a tab; a line on standard output is JSON:
// {"text": …, "cpu_ms": …, "extractor": …, "title": …, "published_at": …, "lang": …}.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"atelier/internal/tools/web/fetch/extract"
)

type line struct {
	Text      string  `json:"text"`
	CPU       float64 `json:"cpu_ms"`
	Extractor string  `json:"extractor"`
	Title     string  `json:"title"`
	Published string  `json:"published_at"`
	Lang      string  `json:"lang"`
}

func main() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(400) // as the reader's processes do
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, "bench/web:", err)
		os.Exit(1)
	}
}

func serve() error {
	out := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		path, url, _ := strings.Cut(lines.Text(), "\t")
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		before := processorTime()
		d := extract.Read(extract.Request{Body: body, URL: url})
		spent := processorTime() - before
		if err := out.Encode(line{d.Text, float64(spent.Microseconds()) / 1000, d.Extractor, d.Title, d.Published, d.Lang}); err != nil {
			return err
		}
	}
	return lines.Err()
}

// processorTime is of all threads, the collector's included.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
