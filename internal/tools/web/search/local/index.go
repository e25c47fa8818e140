// Package local is the search backend that needs no service: an index (Bleve)
// over the pages that this program has read and the folders that the operator
// names. It is opened with the first use. One process at a time holds it.
package local

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/standard"
	"github.com/blevesearch/bleve/v2/analysis/lang/cjk"
	"github.com/blevesearch/bleve/v2/analysis/lang/de"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/lang/es"
	"github.com/blevesearch/bleve/v2/analysis/lang/fr"
	"github.com/blevesearch/bleve/v2/analysis/lang/it"
	"github.com/blevesearch/bleve/v2/analysis/lang/nl"
	"github.com/blevesearch/bleve/v2/analysis/lang/pt"
	"github.com/blevesearch/bleve/v2/mapping"
	bolt "go.etcd.io/bbolt/errors"

	"atelier/internal/contract"
)

// Options of an Index.
type Options struct {
	Dir     string   // where the index lies; made with the first use
	Folders []string // whose texts are found beside the pages
	Log     *slog.Logger
	Every   time.Duration // how often folders are looked through, at most; 0 is 10 s
}

// Index holds texts for search. It is safe for concurrent use.
type Index struct {
	options Options

	mu      sync.Mutex // opening, closing
	index   bleve.Index
	closed  bool
	scanMu  sync.Mutex // one look through the folders at a time
	scanned time.Time
}

// Document is a text to be found: a page that was read, or a file.
type Document struct {
	URL   string // its address, and its identity
	Title string
	Text  string
	Lang  string // BCP 47, or ""
	Date  string // ISO 8601, or ""
}

const (
	lockWait   = "300ms" // for another process to let go of the index
	scanEvery  = 10 * time.Second
	longestDoc = 4 << 20 // bytes of a text that are indexed
	mostPages  = 50_000  // that are remembered; folders have a bound of their own
)

// New makes an index that is opened with its first use.
func New(o Options) *Index {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Every == 0 {
		o.Every = scanEvery
	}
	return &Index{options: o}
}

// errBusy says that another process holds the index.
var errBusy = errors.New("another process holds the search index")

func (x *Index) open() (bleve.Index, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.closed:
		return nil, errors.New("the search index is closed")
	case x.index != nil:
		return x.index, nil
	}
	settings := map[string]any{"bolt_timeout": lockWait}
	index, err := bleve.OpenUsing(x.options.Dir, settings)
	if errors.Is(err, bleve.ErrorIndexPathDoesNotExist) {
		if err = os.MkdirAll(filepath.Dir(x.options.Dir), 0o700); err != nil {
			return nil, err
		}
		index, err = bleve.NewUsing(x.options.Dir, newMapping(), bleve.Config.DefaultIndexType, bleve.Config.DefaultKVStore, settings)
	}
	if errors.Is(err, bolt.ErrTimeout) {
		return nil, errBusy
	}
	if err != nil {
		return nil, err
	}
	x.index = index
	return index, nil
}

// Close lets go of the index.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	if x.index == nil {
		return nil
	}
	err := x.index.Close()
	x.index = nil
	return err
}

// stems are the languages whose words are found in other forms too; the field
// of each holds the texts in it.
var stems = map[string]string{
	"en": en.AnalyzerName, "de": de.AnalyzerName, "fr": fr.AnalyzerName, "es": es.AnalyzerName,
	"it": it.AnalyzerName, "pt": pt.AnalyzerName, "nl": nl.AnalyzerName,
	"zh": cjk.AnalyzerName, "ja": cjk.AnalyzerName, "ko": cjk.AnalyzerName,
}

const stemField = "stem_" // and the language

func newMapping() mapping.IndexMapping {
	text := func(analyzer string, stored bool) *mapping.FieldMapping {
		f := bleve.NewTextFieldMapping()
		f.Analyzer, f.Store, f.IncludeTermVectors, f.IncludeInAll, f.DocValues = analyzer, stored, false, false, false
		return f
	}
	doc := bleve.NewDocumentStaticMapping()
	doc.AddFieldMappingsAt("title", text(standard.Name, true))
	doc.AddFieldMappingsAt("body", text(standard.Name, true))
	doc.AddFieldMappingsAt("date", text(keyword.Name, true))
	for lang, analyzer := range stems {
		doc.AddFieldMappingsAt(stemField+lang, text(analyzer, false))
	}
	m := bleve.NewIndexMapping()
	m.DefaultMapping = doc
	m.DefaultAnalyzer = standard.Name
	return m
}

// Add indexes a document, in the place of an earlier one with its address.
func (x *Index) Add(d Document) error {
	index, err := x.open()
	if err != nil {
		return err
	}
	return index.Index(d.URL, fields(d))
}

func fields(d Document) map[string]any {
	body := d.Text
	if len(body) > longestDoc {
		body = body[:longestDoc]
	}
	f := map[string]any{"title": d.Title, "body": body, "date": d.Date}
	lang := d.Lang
	if len(lang) >= 2 {
		lang = lang[:2]
	}
	if _, known := stems[lang]; known {
		f[stemField+lang] = d.Title + "\n" + body
	} else { // of unknown language: most are English, and names do no harm
		f[stemField+"en"] = d.Title + "\n" + body
	}
	return f
}

// Remember is Add for a hook that has nobody to tell an error to. A full index
// takes no further pages.
func (x *Index) Remember(_ context.Context, d Document) {
	index, err := x.open()
	if err == nil {
		var n uint64
		if n, err = index.DocCount(); err == nil && n >= mostPages+mostFiles {
			err = errors.New("it is full; without the folder web/index of the data folder it begins anew")
		}
	}
	if err == nil {
		err = x.Add(d)
	}
	if err != nil && !errors.Is(err, errBusy) {
		x.options.Log.Warn("a page could not be put into the search index", "error", err)
	}
}

func (x *Index) fault(err error) error {
	return contract.Errorf(contract.CodeUpstreamFailure, "the local search index cannot be read: %w", err).
		WithHint("The operator may remove the folder %s; the index is made again.", filepath.Base(x.options.Dir))
}
