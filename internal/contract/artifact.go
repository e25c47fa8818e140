package contract

import (
	"net/url"
	"strings"
)

// ArtifactURL is the path under which an artifact can be fetched:
// /v1/jobs/<job_id>/artifacts/<name>, every segment of the name encoded. It is
// the same for the same job and name, and every file argument accepts it.
func ArtifactURL(jobID, name string) string {
	segments := strings.Split(name, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return "/v1/jobs/" + url.PathEscape(jobID) + "/artifacts/" + strings.Join(segments, "/")
}

// ParseArtifactURL is the inverse of ArtifactURL; it also accepts an absolute
// URL. ok is false when the reference is not of that form.
func ParseArtifactURL(ref string) (jobID, name string, ok bool) {
	if u, err := url.Parse(ref); err == nil && u.Host != "" {
		ref = u.EscapedPath()
	}
	rest, found := strings.CutPrefix(ref, "/v1/jobs/")
	if !found {
		return "", "", false
	}
	job, tail, found := strings.Cut(rest, "/artifacts/")
	if !found || job == "" || tail == "" || strings.Contains(job, "/") {
		return "", "", false
	}
	segments := strings.Split(tail, "/")
	for i, s := range segments {
		plain, err := url.PathUnescape(s)
		if err != nil || plain == "" || plain == "." || plain == ".." || strings.ContainsAny(plain, "/\\") {
			return "", "", false
		}
		segments[i] = plain
	}
	job, err := url.PathUnescape(job)
	return job, strings.Join(segments, "/"), err == nil
}
