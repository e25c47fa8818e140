package harmony

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Header is what stands before a message's text: who speaks to whom, where, and
// in which form.
type Header struct {
	Role        string `json:"role"`
	Name        string `json:"name,omitempty"`         // of a tool
	Recipient   string `json:"recipient,omitempty"`    // the tool that is called
	Channel     string `json:"channel,omitempty"`      // analysis, commentary, final
	ContentType string `json:"content_type,omitempty"` // as written: "<|constrain|>json" or "json"
}

// HeaderError is a message whose header cannot be understood.
type HeaderError struct {
	Seen   string // the header, or the text that stands where one was expected
	Reason string
}

func (e *HeaderError) Error() string { return fmt.Sprintf("%s: %q", e.Reason, e.Seen) }

var (
	roles        = []string{RoleSystem, RoleDeveloper, RoleUser, RoleAssistant, RoleTool}
	contentTypes = []string{"json", "code", "text"}
)

// parseHeader reads the text between <|start|> and <|message|>. role is "" or the
// role that is known already, because the prompt ended with it. The recipient
// stands before or after the channel. Content types are known by <|constrain|>
// or stand after the recipient.
func parseHeader(header, role string) (Header, *HeaderError) {
	fail := func(reason string) (Header, *HeaderError) { return Header{}, &HeaderError{header, reason} }
	h := Header{Role: role}
	rest := header
	if before, after, found := strings.Cut(header, channelToken); found {
		stop := strings.IndexFunc(after, func(r rune) bool { return unicode.IsSpace(r) || r == '<' })
		if stop < 0 {
			stop = len(after)
		}
		if h.Channel = after[:stop]; h.Channel == "" {
			return fail("the header names no channel after <|channel|>")
		}
		rest = before + after[stop:]
		if strings.Contains(rest, channelToken) {
			return fail("the header names two channels")
		}
	}
	parts := strings.Fields(strings.ReplaceAll(rest, constrainToken, " "+constrainToken))
	parts, reason := h.takeRole(parts)
	if reason == "" {
		parts, reason = h.takeRecipient(parts)
	}
	switch {
	case reason != "":
		return fail(reason)
	case len(parts) > 0:
		return fail("the header has words that are no role, recipient, channel or content type")
	case strings.Contains(h.Recipient+h.Name+h.ContentType[strings.LastIndex(h.ContentType, ">")+1:], "<|"):
		return fail("the header has a token out of place")
	}
	return h, nil
}

func (h *Header) takeRole(parts []string) ([]string, string) {
	if h.Role != "" {
		if len(parts) > 0 && parts[0] == h.Role {
			parts = parts[1:]
		}
		return parts, ""
	}
	if len(parts) == 0 {
		return nil, "the header names no role"
	}
	role, name, _ := strings.Cut(parts[0], ":")
	switch {
	case slices.Contains(roles, role):
		h.Role, h.Name = role, name
	case len(parts) > 1 && strings.HasPrefix(parts[1], "to="):
		h.Role, h.Name = RoleTool, parts[0] // a tool signs with its own name
	default:
		return nil, "the header begins with an unknown role"
	}
	return parts[1:], ""
}

// takeRecipient: to=name anywhere, then a content type; a single word that is no
// content type is a recipient without to=.
func (h *Header) takeRecipient(parts []string) ([]string, string) {
	var others []string
	for _, part := range parts {
		name, addressed := strings.CutPrefix(part, "to=")
		switch {
		case addressed && (h.Recipient != "" || name == ""):
			return nil, "the header has more than one recipient, or an empty one"
		case addressed:
			h.Recipient = name
		case strings.HasPrefix(part, constrainToken) && h.ContentType == "":
			h.ContentType = part
		default:
			others = append(others, part)
		}
	}
	if h.ContentType == constrainToken && len(others) > 0 { // "<|constrain|> json"
		h.ContentType += others[0]
		others = others[1:]
	}
	if h.Recipient == "" && len(others) > 0 && !slices.Contains(contentTypes, others[0]) {
		h.Recipient, others = others[0], others[1:]
	}
	if h.ContentType == "" && len(others) > 0 {
		h.ContentType, others = others[0], others[1:]
	}
	return others, ""
}
