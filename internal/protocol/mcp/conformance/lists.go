package conformance

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func addResources(server *sdk.Server) {
	resource := func(uri, name, mimeType string, contents sdk.ResourceContents) {
		contents.URI, contents.MIMEType = uri, mimeType
		server.AddResource(&sdk.Resource{URI: uri, Name: name, MIMEType: mimeType}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			read := contents
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{&read}}, nil
		})
	}
	resource("test://static-text", "static text", "text/plain", sdk.ResourceContents{Text: "This is the content of the static text resource."})
	resource("test://static-binary", "static binary", "image/png", sdk.ResourceContents{Blob: redDot()})
	resource("test://watched-resource", "watched", "text/plain", sdk.ResourceContents{Text: "nothing new"})
	server.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", MIMEType: "application/json"},
		func(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
			text := fmt.Sprintf(`{"id":%q,"templateTest":true,"data":%q}`, id, "Data for ID: "+id)
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: text}}}, nil
		})
}

func addPrompt(server *sdk.Server, p *sdk.Prompt, content func(map[string]string) []sdk.Content) {
	server.AddPrompt(p, func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		result := &sdk.GetPromptResult{}
		for _, c := range content(req.Params.Arguments) {
			result.Messages = append(result.Messages, &sdk.PromptMessage{Role: "user", Content: c})
		}
		return result, nil
	})
}

func addPrompts(server *sdk.Server) {
	addPrompt(server, &sdk.Prompt{Name: "test_simple_prompt", Description: "A text."}, func(map[string]string) []sdk.Content {
		return []sdk.Content{&sdk.TextContent{Text: "This is a simple prompt for testing."}}
	})
	addPrompt(server, &sdk.Prompt{Name: "test_prompt_with_arguments", Description: "A text with two arguments.", Arguments: []*sdk.PromptArgument{
		{Name: "arg1", Description: "The first.", Required: true}, {Name: "arg2", Description: "The second.", Required: true},
	}}, func(given map[string]string) []sdk.Content {
		return []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", given["arg1"], given["arg2"])}}
	})
	addPrompt(server, &sdk.Prompt{Name: "test_prompt_with_embedded_resource", Description: "A resource.", Arguments: []*sdk.PromptArgument{
		{Name: "resourceUri", Description: "Its URI.", Required: true},
	}}, func(given map[string]string) []sdk.Content {
		return []sdk.Content{
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: given["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."}},
			&sdk.TextContent{Text: "Please process the embedded resource above."},
		}
	})
	addPrompt(server, &sdk.Prompt{Name: "test_prompt_with_image", Description: "A picture."}, func(map[string]string) []sdk.Content {
		return []sdk.Content{&sdk.ImageContent{Data: redDot(), MIMEType: "image/png"}, &sdk.TextContent{Text: "Please analyze the image above."}}
	})
}
