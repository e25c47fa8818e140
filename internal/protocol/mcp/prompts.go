package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/job"
)

const maxCompletions = 100 // the protocol's own limit

// addPrompts offers the workflows whose tools the view has.
func (v *view) addPrompts() {
	available := v.tools.Reach.Available()
	for _, w := range workflows {
		usable := !slices.ContainsFunc(w.needs, func(tool string) bool {
			_, err := available.Find(tool)
			return err != nil
		})
		if usable {
			v.sdk.AddPrompt(w.prompt(), func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
				return w.get(v, req.Params.Arguments)
			})
		}
	}
}

func (w workflow) prompt() *sdk.Prompt {
	p := &sdk.Prompt{Name: w.name, Title: w.title, Description: w.description}
	for _, a := range w.arguments {
		description := a.description
		if a.otherwise != "" {
			description += " Default: " + a.otherwise + "."
		}
		p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: a.name, Description: description, Required: a.otherwise == ""})
	}
	return p
}

func (w workflow) get(v *view, given map[string]string) (*sdk.GetPromptResult, error) {
	var missing, pairs []string
	for _, a := range w.arguments {
		value := given[a.name]
		if value == "" {
			value = a.otherwise
		}
		if value == "" {
			missing = append(missing, a.name)
		}
		properties := "look its properties up"
		if known, ok := materials[value]; ok {
			properties = known
		}
		pairs = append(pairs, "{{"+a.name+"}}", value, "{{"+a.name+":properties}}", properties)
	}
	if len(missing) > 0 {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("the prompt %s lacks %s", w.name, strings.Join(missing, ", "))}
	}
	for _, name := range w.needs {
		if tool, err := v.tools.Reach.Find(name); err == nil {
			pairs = append(pairs, "{{tool:"+name+"}}", shownName(tool.Contract, v.canonical))
		}
	}
	return &sdk.GetPromptResult{Description: w.description, Messages: []*sdk.PromptMessage{
		{Role: "user", Content: &sdk.TextContent{Text: strings.NewReplacer(pairs...).Replace(w.text)}},
	}}, nil
}

// complete proposes values: of a prompt's arguments that have a list, and the
// ids of jobs and names of their artifacts for the resource template.
func (v *view) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	ref, argument := req.Params.Ref, req.Params.Argument
	var candidates []string
	switch {
	case ref.Type == "ref/prompt":
		for _, w := range workflows {
			for _, a := range w.arguments {
				if w.name == ref.Name && a.name == argument.Name {
					candidates = a.values
				}
			}
		}
	case ref.URI == artifactTemplate && argument.Name == "job_id":
		page, err := v.server.Jobs.List(ctx, job.Filter{State: job.Succeeded, Limit: maxCompletions})
		if err != nil {
			return nil, err
		}
		for _, j := range page.Jobs {
			candidates = append(candidates, j.ID)
		}
	case ref.URI == artifactTemplate && argument.Name == "name" && req.Params.Context != nil:
		artifacts, err := v.server.Jobs.Artifacts(ctx, req.Params.Context.Arguments["job_id"])
		if err == nil { // an unknown job has nothing to propose
			for _, a := range artifacts {
				candidates = append(candidates, a.Name)
			}
		}
	}
	return completions(candidates, argument.Value), nil
}

// completions are the candidates that begin as typed, or else contain it.
func completions(candidates []string, typed string) *sdk.CompleteResult {
	typed = strings.ToLower(typed)
	var first, second []string
	for _, c := range candidates {
		switch low := strings.ToLower(c); {
		case strings.HasPrefix(low, typed):
			first = append(first, c)
		case strings.Contains(low, typed):
			second = append(second, c)
		}
	}
	all := append(first, second...)
	shown := append([]string{}, all[:min(len(all), maxCompletions)]...) // never null
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{
		Values: shown, Total: len(all), HasMore: len(all) > len(shown),
	}}
}
