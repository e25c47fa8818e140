package main

import (
	"context"
	"log/slog"
	"path/filepath"

	"atelier/internal/contract"
	"atelier/internal/llm"
	"atelier/internal/tools/web/fetch"
	"atelier/internal/tools/web/search"
	"atelier/internal/tools/web/search/local"
)

// searchFlags say by which service search.web finds pages.
type searchFlags struct {
	SearchBackend string   `help:"Service that search.web asks: litellm, searxng, tavily, brave, or local, the pages that web.fetch has read and --search-folder." enum:"litellm,searxng,tavily,brave,local" default:"local" env:"ATELIER_SEARCH_BACKEND"`
	SearchURL     string   `help:"Base URL of the service. Default: the public one of tavily and brave." env:"ATELIER_SEARCH_URL"`
	SearchKey     string   `help:"Key of the service." env:"ATELIER_SEARCH_KEY"`
	SearchTool    string   `help:"The search_tool_name in the configuration of the LiteLLM proxy." env:"ATELIER_SEARCH_TOOL"`
	SearchDomain  []string `help:"Domain, with its subdomains, that results may come from. Default: all." env:"ATELIER_SEARCH_DOMAIN"`
	SearchBlock   []string `help:"Domain that results may not come from." env:"ATELIER_SEARCH_BLOCK"`
	SearchFolder  []string `help:"Folder whose texts (md, txt, html, ipynb …) the local backend finds." env:"ATELIER_SEARCH_FOLDER" type:"path" sep:":"`
}

// transcriptFlags name the model that goes over transcripts after the rules.
type transcriptFlags struct {
	TranscriptModel    string `help:"Model that transcript.clean uses to correct what its rules have cleaned. Default: none." env:"ATELIER_TRANSCRIPT_MODEL"`
	TranscriptModelURL string `help:"Base URL of that model's endpoint. Default: --model-url." env:"ATELIER_TRANSCRIPT_MODEL_URL"`
	TranscriptModelKey string `help:"Bearer key of that endpoint. Default: --model-key." env:"ATELIER_TRANSCRIPT_MODEL_KEY"`
}

const (
	tavilyURL = "https://api.tavily.com"
	braveURL  = "https://api.search.brave.com"
)

// searcher makes the backend; index is the local one, else nil.
func (f searchFlags) searcher(data string, log *slog.Logger) (s *search.Searcher, index *local.Index, err error) {
	s = &search.Searcher{Allow: f.SearchDomain, Block: f.SearchBlock}
	url := func(public string) string {
		if f.SearchURL != "" {
			return f.SearchURL
		}
		return public
	}
	switch f.SearchBackend {
	case "litellm":
		s.Backend, err = search.NewLiteLLM(f.SearchURL, f.SearchKey, f.SearchTool)
	case "searxng":
		s.Backend, err = search.NewSearXNG(f.SearchURL)
	case "tavily":
		s.Backend, err = search.NewTavily(url(tavilyURL), f.SearchKey)
	case "brave":
		s.Backend, err = search.NewBrave(url(braveURL), f.SearchKey)
	default:
		index = local.New(local.Options{Dir: filepath.Join(data, "web", "index"), Folders: f.SearchFolder, Log: log})
		s.Backend = index
	}
	return s, index, err
}

// remembered puts the pages that were read into the local index.
func remembered(index *local.Index) func(context.Context, *fetch.Page) {
	if index == nil {
		return nil
	}
	return func(ctx context.Context, p *fetch.Page) {
		if text := p.Indexable(); text != "" {
			index.Remember(ctx, local.Document{URL: p.FinalURL, Title: p.Title, Text: text, Lang: p.Lang, Date: p.PublishedAt})
		}
	}
}

// editor is the model of transcript.clean; nil for none.
func (f transcriptFlags) editor(thinking modelFlags, find finder) (*llm.Client, error) {
	if f.TranscriptModel == "" {
		return nil, nil
	}
	own := modelFlags{ModelURL: f.TranscriptModelURL, Model: f.TranscriptModel, ModelKey: f.TranscriptModelKey}
	if own.ModelURL == "" {
		own.ModelURL = thinking.ModelURL
	}
	if own.ModelKey == "" && own.ModelURL == thinking.ModelURL {
		own.ModelKey = thinking.ModelKey
	}
	if own.ModelURL == "" {
		return nil, contract.Errorf(contract.CodeInvalidConfig, "--transcript-model names a model, and no endpoint is given").
			WithHint("Set --transcript-model-url, or --model-url.")
	}
	return own.client(find)
}
