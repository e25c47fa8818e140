package workbench

import (
	"net/http"

	"atelier/internal/protocol/httpapi"
)

const tag = "Workbench"

func docPage(id, summary string) *httpapi.Operation {
	return &httpapi.Operation{ID: id, Tag: tag, Summary: summary, Parameters: conditional(),
		Responses: responses("The page.", "text/html")}
}

func docLicences() *httpapi.Operation {
	return &httpapi.Operation{ID: "getWorkbenchLicenses", Tag: tag, Summary: "Licences of the libraries in the page", Parameters: conditional(),
		Responses: responses("The licences.", "text/plain")}
}

func docAsset() *httpapi.Operation {
	return &httpapi.Operation{ID: "getWorkbenchAsset", Tag: tag, Summary: "A script or style of the page",
		Parameters: append(conditional(), httpapi.Parameter{Name: "name", In: "path", Description: "The file; its name has a hash of its content.",
			Schema: httpapi.Schema(`{"type":"string","minLength":1}`)}),
		Responses: responses("The file.", "*/*"), Errors: []int{http.StatusNotFound}}
}

func conditional() []httpapi.Parameter {
	return []httpapi.Parameter{{Name: "If-None-Match", In: "header", Description: "An ETag; where it is still right, the answer is 304.", Schema: httpapi.Schema(`{"type":"string"}`)}}
}

func responses(description, mediaType string) map[int]httpapi.Body {
	headers := map[string]string{"ETag": "The content's SHA-256."}
	return map[int]httpapi.Body{
		http.StatusOK:          {Description: description, Headers: headers, Content: map[string]httpapi.Media{mediaType: {Schema: httpapi.Schema(`{"type":"string"}`)}}},
		http.StatusNotModified: {Description: "It has not changed.", Headers: headers},
	}
}
