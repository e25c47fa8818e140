package notebook

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"atelier/internal/contract"
	"atelier/internal/tools/web/fetch"
)

//go:embed fetch_model_card.json
var modelCardContract []byte

// Downloader reads an address of the web, guarded.
type Downloader interface {
	Get(ctx context.Context, address string) (*fetch.Response, error)
}

// Hub is where model cards are read from: a server with the paths of the Hugging
// Face Hub.
type Hub struct {
	Pages Downloader
	Base  string // "" is DefaultHub
}

// DefaultHub is the Hugging Face Hub.
const DefaultHub = "https://huggingface.co"

type modelCardInput struct {
	ModelID       string `json:"model_id"`
	MaxCharacters int    `json:"max_characters"`
	which
}

type modelCardOutput struct {
	ModelID      string   `json:"model_id"`
	URL          string   `json:"url"`
	License      string   `json:"license"`
	Tags         []string `json:"tags"`
	BaseModel    []string `json:"base_model"`
	Datasets     []string `json:"datasets"`
	Languages    []string `json:"languages"`
	Task         string   `json:"task"`
	Library      string   `json:"library"`
	LastModified string   `json:"last_modified"`
	Gated        bool     `json:"gated"`
	Summary      string   `json:"summary"`
	Card         string   `json:"card"`
	Characters   int      `json:"characters"`
	Truncated    bool     `json:"truncated"`
}

// words is a field of a card that is one text or a list of them.
type words []string

func (w *words) UnmarshalYAML(node *yaml.Node) error {
	list := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		list = node.Content
	}
	for _, item := range list {
		if item.Kind == yaml.ScalarNode && item.Tag != "!!null" {
			*w = append(*w, item.Value)
		}
	}
	return nil
}

// frontMatter is the head of a card, as the Hub documents it.
type frontMatter struct {
	License     words `yaml:"license"`
	LicenseName words `yaml:"license_name"`
	Tags        words `yaml:"tags"`
	BaseModel   words `yaml:"base_model"`
	Datasets    words `yaml:"datasets"`
	Language    words `yaml:"language"`
	Task        words `yaml:"pipeline_tag"`
	Library     words `yaml:"library_name"`
}

// modelInfo is what the Hub's API answers for a model.
type modelInfo struct {
	ID           string          `json:"id"`
	Tags         []string        `json:"tags"`
	Task         string          `json:"pipeline_tag"`
	Library      string          `json:"library_name"`
	LastModified string          `json:"lastModified"`
	Gated        json.RawMessage `json:"gated"` // false, "auto" or "manual"
}

func (f *family) modelCard(ctx context.Context, call *contract.Call, in modelCardInput) (*contract.Result, error) {
	base := strings.TrimRight(f.hub.Base, "/")
	if base == "" {
		base = DefaultHub
	}
	card, cardErr := f.hub.Pages.Get(ctx, base+"/"+in.ModelID+"/raw/main/README.md")
	raw, infoErr := f.hub.Pages.Get(ctx, base+"/api/models/"+in.ModelID)
	if cardErr != nil && infoErr != nil {
		return nil, noCard(in.ModelID, base, cardErr)
	}
	out := modelCardOutput{ModelID: in.ModelID, URL: base + "/" + in.ModelID}
	var warnings []contract.Warning
	missing := func(code, what string, err error) {
		warnings = append(warnings, contract.Warning{Code: code, Message: fmt.Sprintf("%s could not be read: %s.", what, contract.AsError(err).Message)})
	}
	var info modelInfo
	if infoErr == nil {
		infoErr = json.Unmarshal(raw.Body, &info)
	}
	if infoErr != nil {
		missing("model_info_missing", "The hub's record of the model", infoErr)
	}
	var head frontMatter
	text := ""
	if cardErr != nil {
		missing("model_card_missing", "The model's card", cardErr)
	} else {
		var err error
		if head, text, err = readCard(card.Body); err != nil {
			missing("front_matter_unreadable", "The head of the model's card", err)
		}
	}
	out.fill(&head, &info)
	out.Summary = clip(firstParagraph(text), 400)
	most := in.MaxCharacters
	out.Characters = len([]rune(text))
	out.Card, out.Truncated = clip(text, most), out.Characters > most
	if out.License == "" {
		warnings = append(warnings, contract.Warning{Code: "license_unknown", Message: "Neither the card nor the hub names a licence; do not assume one."})
	}
	return answer(out, warnings, nil, "%s: licence %s, %s.", in.ModelID, or(out.License, "unknown"), or(out.Task, "no task named"))
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// noCard says why there is neither card nor record, and what to do.
func noCard(id, base string, err error) error {
	e := contract.AsError(err)
	switch reason, _ := e.Details["reason"].(string); {
	case reason == "http_status":
		e.At("/model_id")
		if status, _ := e.Details["status"].(int); status == 404 || status == 401 {
			e.Hint = fmt.Sprintf("The hub answers so for a model that does not exist, and for one that needs an account. Check the spelling of %q: owner/name, as in the address of its page.", id)
		}
	case slices.Contains([]string{"dns", "connect", "tls"}, reason):
		e.Hint = fmt.Sprintf("This server does not reach %s: it may be offline. Go on with what you know of the model, and say that its card was not read; or set --web-model-hub to a mirror that is reached.", base)
	}
	return e
}

// readCard takes a card apart: the YAML head between two lines of hyphens, and
// the text.
func readCard(content []byte) (head frontMatter, text string, err error) {
	text = strings.ToValidUTF8(strings.ReplaceAll(strings.TrimPrefix(string(content), "\uFEFF"), "\r\n", "\n"), "\uFFFD")
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		if matter, body, closed := strings.Cut("\n"+rest, "\n---\n"); closed {
			text = body
			err = yaml.Unmarshal([]byte(matter), &head)
		}
	}
	return head, strings.TrimSpace(text), err
}

// fill joins what the card says with what the hub says; the card comes first.
func (o *modelCardOutput) fill(head *frontMatter, info *modelInfo) {
	first := func(list ...string) string {
		for _, s := range list {
			if s != "" {
				return s
			}
		}
		return ""
	}
	named := func(prefix string) []string {
		var found []string
		for _, tag := range info.Tags {
			if value, ok := strings.CutPrefix(tag, prefix); ok && !strings.Contains(value, ":") {
				found = append(found, value)
			}
		}
		return found
	}
	joined := func(lists ...[]string) []string {
		all := []string{}
		for _, s := range slices.Concat(lists...) {
			if s != "" && !slices.Contains(all, s) && len(all) < 40 {
				all = append(all, clip(s, 120))
			}
		}
		return all
	}
	license := strings.Join(head.License, ", ")
	if license == "other" {
		license = first(strings.Join(head.LicenseName, ", "), license)
	}
	o.License = clip(first(license, strings.Join(named("license:"), ", ")), 120)
	o.Tags = joined(head.Tags, info.Tags)
	o.BaseModel = joined(head.BaseModel, named("base_model:"))
	o.Datasets = joined(head.Datasets, named("dataset:"))
	o.Languages = joined(head.Language)
	o.Task = clip(first(strings.Join(head.Task, ", "), info.Task), 120)
	o.Library = clip(first(strings.Join(head.Library, ", "), info.Library), 120)
	if _, err := time.Parse(time.RFC3339, info.LastModified); err == nil {
		o.LastModified = info.LastModified
	}
	o.Gated = len(info.Gated) > 0 && string(info.Gated) != "false" && string(info.Gated) != "null"
}

// firstParagraph is the first one that is prose: no heading, picture, table,
// list, code or HTML.
func firstParagraph(text string) string {
	for _, p := range strings.Split(text, "\n\n") {
		p = strings.Join(strings.Fields(p), " ")
		if p != "" && !strings.ContainsAny(p[:1], "#<|!>`-*[") && len(p) >= 40 {
			return p
		}
	}
	return ""
}
