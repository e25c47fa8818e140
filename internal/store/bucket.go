package store

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"

	"atelier/internal/contract"
)

// bucket is where contents lie: a local folder or S3. A content is named by its
// SHA-256; what lies under a name is always complete.
type bucket interface {
	// put stores the contents of a spooled, complete file under its hash, durably.
	// It may move the file; the caller removes it if it is still there. A content
	// that is there already is replaced where it is damaged.
	put(ctx context.Context, spooled, sha string) error
	exists(ctx context.Context, sha string) (bool, error)
	// remove is idempotent.
	remove(ctx context.Context, sha string) error
	// localPath is an absolute path; a copy stays for at least an hour.
	localPath(ctx context.Context, sha string) (string, error)
	// dropCopy removes a damaged copy that localPath can bring anew; false where the
	// file is the content itself.
	dropCopy(ctx context.Context, sha string) bool
	// spoolDir is where files that will be put are best written.
	spoolDir() string
	close() error
}

// openBucket opens `file:///folder`, a plain folder path, or `s3://bucket?…`.
func openBucket(ctx context.Context, location, cacheDir string) (bucket, error) {
	if !strings.Contains(location, "://") {
		return openLocal(location)
	}
	u, err := url.Parse(location)
	if err != nil {
		return nil, contract.Errorf(contract.CodeInvalidConfig, "the artifact store %q is not a URL: %w", location, err)
	}
	switch u.Scheme {
	case "file":
		return openLocal(filepath.FromSlash(u.Host + u.Path))
	case "s3":
		return openS3(ctx, location, cacheDir)
	}
	return nil, contract.Errorf(contract.CodeInvalidConfig, "the artifact store %q is of an unknown kind", location).
		WithHint("Use a folder, file:///folder or s3://bucket?endpoint=…&region=….")
}

// key is where a content lies below the root.
func key(sha string) string { return "blobs/" + sha[:2] + "/" + sha[2:4] + "/" + sha }

func checkSHA(sha string) error {
	if len(sha) != 64 || strings.Trim(sha, "0123456789abcdef") != "" {
		return contract.Errorf(contract.CodeNotFound, "%q is not a SHA-256 in 64 lower-case hex digits", sha)
	}
	return nil
}
