package workbench

import (
	"net/http"

	"atelier/internal/protocol/web"
)

const tag = "Workbench"

func docPage(id, summary string) *web.Operation {
	return &web.Operation{ID: id, Tag: tag, Summary: summary, Parameters: conditional(),
		Responses: responses("The page.", "text/html")}
}

func docLicences() *web.Operation {
	return &web.Operation{ID: "getWorkbenchLicenses", Tag: tag, Summary: "Licences of the libraries in the page", Parameters: conditional(),
		Responses: responses("The licences.", "text/plain")}
}

func docAsset() *web.Operation {
	return &web.Operation{ID: "getWorkbenchAsset", Tag: tag, Summary: "A script or style of the page",
		Parameters: append(conditional(), web.Parameter{Name: "name", In: "path", Description: "The file; its name has a hash of its content.",
			Schema: web.Schema(`{"type":"string","minLength":1}`)}),
		Responses: responses("The file.", "*/*"), Errors: []int{http.StatusNotFound}}
}

func conditional() []web.Parameter {
	return []web.Parameter{{Name: "If-None-Match", In: "header", Description: "An ETag; where it is still right, the answer is 304.", Schema: web.Schema(`{"type":"string"}`)}}
}

func responses(description, mediaType string) map[int]web.Body {
	headers := map[string]string{"ETag": "The content's SHA-256."}
	return map[int]web.Body{
		http.StatusOK:          {Description: description, Headers: headers, Content: map[string]web.Media{mediaType: {Schema: web.Schema(`{"type":"string"}`)}}},
		http.StatusNotModified: {Description: "It has not changed.", Headers: headers},
	}
}
