package local

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/internal/tools/web/search"
)

func find(t *testing.T, x *Index, query string) *search.Answer {
	t.Helper()
	a, err := (&search.Searcher{Backend: x}).Search(context.Background(), query, 10)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func addresses(a *search.Answer) []string {
	list := []string{}
	for _, r := range a.Results {
		list = append(list, r.URL)
	}
	return list
}

func TestPagesAreFoundInOtherFormsOfTheirWords(t *testing.T) {
	x := New(Options{Dir: filepath.Join(t.TempDir(), "index")})
	t.Cleanup(func() { _ = x.Close() })
	if a := find(t, x, "anything"); len(a.Results) != 0 || len(a.Warnings) != 1 || a.Warnings[0].Code != "nothing_indexed" {
		t.Fatalf("an empty list says why: %+v", a)
	}
	for _, d := range []Document{
		{URL: "https://en.example.org/queues", Title: "Durable queues", Text: strings.Repeat("Nothing of note here. ", 100) + "A queue keeps its messages on disk. " + strings.Repeat("More of it. ", 80), Lang: "en", Date: "2026-01-02"},
		{URL: "https://de.example.org/haus", Title: "Häuser", Text: "In den Häusern am Fluss wohnten drei Familien.", Lang: "de-AT"},
		{URL: "https://fr.example.org/h", Title: "Horloges", Text: "Les horloges anciennes sonnaient à midi.", Lang: "fr"},
		{URL: "https://zh.example.org/", Title: "搜索引擎", Text: "这是一个关于全文搜索的页面。", Lang: "zh-CN"},
		{URL: "https://example.org/tags", Title: "a <b> & c", Text: "The operator x<y compares.", Lang: ""},
	} {
		if err := x.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	for query, want := range map[string]string{
		"queued message":    "https://en.example.org/queues", // queue, messages
		"Haus":              "https://de.example.org/haus",   // Häusern, Häuser
		"horloge ancienne":  "https://fr.example.org/h",
		"全文搜索":              "https://zh.example.org/",
		"operator compares": "https://example.org/tags",
	} {
		if a := find(t, x, query); len(a.Results) == 0 || a.Results[0].URL != want {
			t.Errorf("%s: %v", query, addresses(a))
		}
	}
	first := find(t, x, "messages disk").Results[0]
	if !strings.Contains(first.Snippet, "messages on disk") || len(first.Snippet) > snippetSize+20 || first.Date == nil || *first.Date != "2026-01-02" {
		t.Errorf("%+v", first)
	}
	if r := find(t, x, "operator").Results[0]; r.Title != "a <b> & c" || r.Snippet != "The operator x<y compares." {
		t.Errorf("%+v", r)
	}
	if a := find(t, x, "zyzzyva"); len(a.Results) != 0 || a.Warnings[0].Code != "local_index_only" {
		t.Errorf("%+v", a)
	}
	// A page that was read again stands in the place of the first.
	if err := x.Add(Document{URL: "https://en.example.org/queues", Title: "Gone", Text: "Nothing."}); err != nil {
		t.Fatal(err)
	}
	if a := find(t, x, "messages disk"); len(a.Results) != 0 {
		t.Errorf("%v", addresses(a))
	}
}

func TestFoldersAreFollowed(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a note.md", "# Bearings\nThe lubricant of the bearing is Klüber.")
	write("sub/page.html", "<html lang=en><title>Gears</title><script>var hidden='lubricant'</script><p>Helical gears are quiet.</p>")
	write("book.ipynb", `{"cells":[{"cell_type":"markdown","source":["# Springs\n","A spring of music wire."]},{"cell_type":"code","source":"rate = 3"}]}`)
	write("latin1.txt", "Die Gr\xf6\xdfe der Welle.")
	write(".hidden/secret.md", "lubricant of the hidden folder")
	write("image.png", "lubricant")
	write("broken.ipynb", `{"cells":`)
	x := New(Options{Dir: filepath.Join(t.TempDir(), "index"), Folders: []string{folder}, Every: time.Nanosecond})
	t.Cleanup(func() { _ = x.Close() })
	address := func(name string) string {
		return (&fileURL{folder, name}).String()
	}
	for query, want := range map[string][]string{
		"lubricant": {address("a note.md")}, "helical": {address("sub/page.html")}, "spring": {address("book.ipynb")}, "Größe": {address("latin1.txt")},
	} {
		if a := find(t, x, query); !slices.Equal(addresses(a), want) {
			t.Errorf("%s: %v, want %v", query, addresses(a), want)
		}
	}
	if a := find(t, x, "springs"); a.Results[0].Title != "Springs" || a.Results[0].Date == nil {
		t.Errorf("%+v", a.Results)
	}
	// A file that changes, one that goes, one that comes.
	write("a note.md", "# Bearings\nNow it runs dry on graphite.")
	if err := os.Remove(filepath.Join(folder, "sub", "page.html")); err != nil {
		t.Fatal(err)
	}
	write("new.txt", "A lubricant that is new.")
	for query, want := range map[string][]string{"lubricant": {address("new.txt")}, "graphite": {address("a note.md")}, "helical": {}} {
		if a := find(t, x, query); !slices.Equal(addresses(a), want) {
			t.Errorf("after the change, %s: %v, want %v", query, addresses(a), want)
		}
	}
	gone := New(Options{Dir: filepath.Join(t.TempDir(), "index"), Folders: []string{filepath.Join(folder, "nowhere")}})
	t.Cleanup(func() { _ = gone.Close() })
	if a := find(t, gone, "x"); len(a.Warnings) != 2 || a.Warnings[0].Code != "folder_unreadable" {
		t.Errorf("%+v", a.Warnings)
	}
}

// fileURL spells an address as RFC 8089 does.
type fileURL struct{ folder, name string }

func (f *fileURL) String() string {
	return "file://" + strings.ReplaceAll(filepath.ToSlash(filepath.Join(f.folder, f.name)), " ", "%20")
}

func TestTheIndexStaysAndBelongsToOneProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "web", "index")
	x := New(Options{Dir: dir})
	if err := x.Add(Document{URL: "https://example.org/", Title: "Kept", Text: "kept text"}); err != nil {
		t.Fatal(err)
	}
	second := New(Options{Dir: dir}) // bolt's lock holds between handles as between processes
	a := find(t, second, "kept")
	if len(a.Results) != 0 || len(a.Warnings) != 1 || a.Warnings[0].Code != "index_busy" {
		t.Errorf("%+v", a)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if a := find(t, second, "kept"); len(a.Results) != 1 {
		t.Errorf("once the first has let go: %+v", a)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	third := New(Options{Dir: dir})
	t.Cleanup(func() { _ = third.Close() })
	if a := find(t, third, "kept"); len(a.Results) != 1 {
		t.Errorf("after a restart: %+v", a)
	}
}
