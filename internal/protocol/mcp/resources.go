package mcp

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/contract"
)

// uriBase and an artifact's path make its URI; contract.ParseArtifactURL reads
// it, so that file arguments accept what a result links to.
const (
	uriBase          = "atelier://local"
	artifactTemplate = uriBase + "/v1/jobs/{job_id}/artifacts/{+name}"
	maxTextBytes     = 1 << 20 // of a resource that is read as text
	maxBlobBytes     = 8 << 20 // and as base64
)

func artifactURI(jobID, name string) string { return uriBase + contract.ArtifactURL(jobID, name) }

func (v *view) addArtifacts() {
	v.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "artifact", Title: "Artifact of a job", URITemplate: artifactTemplate,
		Description: "A file that a call made. Text up to 1 MiB and other contents up to 8 MiB can be read here; larger ones over HTTP.",
	}, v.server.readArtifact)
}

func (s *Server) readArtifact(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	uri := req.Params.URI
	jobID, name, ok := contract.ParseArtifactURL(uri)
	if !ok || !strings.HasPrefix(uri, uriBase+"/") {
		return nil, sdk.ResourceNotFoundError(uri)
	}
	a, err := s.Jobs.Artifact(ctx, jobID, name)
	if err != nil {
		if contract.AsError(err).Code == contract.CodeNotFound {
			return nil, sdk.ResourceNotFoundError(uri)
		}
		return nil, err
	}
	text := textual(a.MIME)
	limit := int64(maxBlobBytes)
	if text {
		limit = maxTextBytes
	}
	if a.Bytes > limit {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(
			"%s has %d bytes; resources/read gives at most %d of this kind. Fetch it with GET %s, or give its URI to a tool's file argument.",
			name, a.Bytes, limit, contract.ArtifactURL(jobID, name))}
	}
	content, err := s.Blobs.Open(ctx, a.SHA256)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	raw, err := io.ReadAll(content)
	if err != nil {
		return nil, contract.Errorf(contract.CodeStorageUnavailable, "read the artifact %s: %w", name, err)
	}
	found := &sdk.ResourceContents{URI: uri, MIMEType: a.MIME}
	if text && len(raw) > 0 && utf8.Valid(raw) {
		found.Text = string(raw)
	} else {
		found.Blob = raw // never nil: one of the two must be there
	}
	return &sdk.ReadResourceResult{
		Contents: []*sdk.ResourceContents{found},
		// What a job has made never changes, and belongs to who knows its id.
		Cacheable: sdk.Cacheable{TTLMs: int(time.Hour.Milliseconds()), CacheScope: "private"},
	}, nil
}

func textual(mimeType string) bool {
	kind, _, _ := strings.Cut(mimeType, ";")
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "json") || strings.HasSuffix(kind, "xml")
}

// acceptSubscription and its opposite: the SDK keeps the list itself.
func acceptSubscription(context.Context, *sdk.SubscribeRequest) error { return nil }

func acceptUnsubscription(context.Context, *sdk.UnsubscribeRequest) error { return nil }
