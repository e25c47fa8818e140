// Package mcp serves the tools over the Model Context Protocol: streamable HTTP
// at /mcp and stdio, every revision from 2024-11-05 to 2026-07-28. The protocol
// is the official Go SDK's; this package projects contracts, jobs and artifacts
// to it, adds the extension io.modelcontextprotocol/tasks, which the SDK lacks,
// and spares plain calls the SDK's connection (quick.go). It knows no tool.
package mcp

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/protocol/httpapi"
	"atelier/internal/store"
)

const (
	defaultMaxBody = 32 << 20
	idleTimeout    = 30 * time.Minute // of a session that sends nothing
	maxSessions    = 10_000
	maxViews       = 128 // kept selections; a client that invents more makes us build them anew
)

// Server is the protocol. Tools, Jobs and Blobs are required.
type Server struct {
	Tools   *contract.Registry
	Jobs    job.API
	Blobs   *store.Blobs
	Version string
	// Canonical shows ids (circuits.simulate) instead of aliases where a request
	// does not say which; calls accept both.
	Canonical bool
	// Standard is what tools/list shows a client that selects nothing; the zero value
	// shows all. Other tools can be called all the same.
	Standard contract.Selection
	// Guide says what a client should begin with, after the instructions of the protocol.
	Guide        string
	MaxBodyBytes int64         // of a message; 0 for 32 MiB
	KeepJobs     time.Duration // how long a finished job can be asked for; 0 for ever
	// Extend adds further features to each SDK server that the protocol makes, such as
	// the fixtures of the conformance suite. nil for none.
	Extend func(*sdk.Server)
	// NeedsTask tells the tools that are only run as tasks; nil for none.
	NeedsTask func(*contract.Contract) bool

	once     sync.Once
	modern   http.Handler // 2026-07-28 and later: no sessions
	legacy   http.Handler // before: sessions
	sessions sessions

	mu    sync.Mutex
	views map[string]*view

	watchEvery time.Duration // 0: lookAgain
}

// view is the protocol as one selection of tools shows it.
type view struct {
	server    *Server
	tools     contract.Offer // what is listed, and what can be called
	terse     bool           // without the output schemas
	canonical bool
	sdk       *sdk.Server
	listed    []string // the names in tools/list; guarded by Server.mu
}

func (s *Server) maxBody() int64 {
	if s.MaxBodyBytes > 0 {
		return s.MaxBodyBytes
	}
	return defaultMaxBody
}

// requested is the view that a request's query asks for.
func (s *Server) requested(r *http.Request) (*view, error) {
	if r.URL.RawQuery == "" {
		return s.view(contract.Selection{}, s.Canonical)
	}
	canonical, err := httpapi.CanonicalNames(r)
	if err != nil {
		return nil, err
	}
	if !r.URL.Query().Has("names") {
		canonical = s.Canonical
	}
	return s.view(httpapi.Selection(r), canonical)
}

// view makes the view of a selection, or finds it.
func (s *Server) view(selection contract.Selection, canonical bool) (*view, error) {
	names := "alias"
	if canonical {
		names = "canonical"
	}
	key := names + "\x00" + strings.Join(selection.Families, "\x01") + "\x00" + strings.Join(selection.Tools, "\x01")
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.views[key]; v != nil {
		return v, nil
	}
	tools, err := s.Tools.Offer(selection, s.Standard)
	if err != nil {
		return nil, err
	}
	v := &view{server: s, tools: tools, terse: selection.Empty() && !s.Standard.Empty(), canonical: canonical}
	v.build()
	if s.views == nil || len(s.views) >= maxViews {
		s.views = map[string]*view{} // sessions keep the views that they have
	}
	s.views[key] = v
	return v, nil
}

const instructions = "Engineering tools: CAD import, mesh repair and meshing, finite elements, heat and flow, circuits, statistics, rendering and more. " +
	"Each call is a job; its files are linked as resources, and a link's URI is accepted by every file argument. " +
	"A failed call reports all errors at once, each with its place (a JSON pointer), what was expected, and a hint: mend them all, then call again. " +
	"Read evidence.trust before you state a number."

func (v *view) info() *sdk.Implementation {
	return &sdk.Implementation{Name: "atelier", Title: "Atelier", Version: v.server.Version}
}

func (v *view) build() {
	capabilities := &sdk.ServerCapabilities{
		//lint:ignore SA1019 sessions before 2026-07-28 set levels
		Logging: &sdk.LoggingCapabilities{},
	}
	capabilities.AddExtension(TasksExtension, nil)
	options := &sdk.ServerOptions{
		Instructions: strings.TrimSpace(instructions + " " + v.server.Guide), Capabilities: capabilities, CompletionHandler: v.complete,
	}
	capabilities.Tools = &sdk.ToolCapabilities{ListChanged: true}
	if v.server.Extend == nil { // the other lists never change
		capabilities.Resources, capabilities.Prompts = &sdk.ResourceCapabilities{}, &sdk.PromptCapabilities{}
	} else {
		options.SubscribeHandler, options.UnsubscribeHandler = acceptSubscription, acceptUnsubscription
	}
	v.sdk = sdk.NewServer(v.info(), options)
	v.listAvailable()
	v.addArtifacts()
	v.addPrompts()
	v.addTaskMethods()
	v.sdk.AddReceivingMiddleware(v.receive)
	if v.server.Extend != nil {
		v.server.Extend(v.sdk)
	}
}

// ListTools is how tools/list shows the tools of a registry, by name, under
// their aliases or canonical ids.
func ListTools(tools *contract.Registry, canonical bool) []*sdk.Tool {
	var list []*sdk.Tool
	for _, t := range tools.All() {
		list = append(list, describe(t.Contract, canonical))
	}
	slices.SortFunc(list, func(a, b *sdk.Tool) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func shownName(c *contract.Contract, canonical bool) string {
	if canonical {
		return c.Name
	}
	return c.Alias()
}

// describe projects a contract; its schemas go out untouched.
func describe(c *contract.Contract, canonical bool) *sdk.Tool {
	description := c.Description
	if d := c.Deprecation; d != nil {
		description = "Deprecated since " + d.Since + ": use " + d.Replacement + ". " + description
	}
	e := c.Effects
	return &sdk.Tool{
		Name: shownName(c, canonical), Title: c.Title, Description: description,
		InputSchema: c.InputSchema, OutputSchema: c.OutputSchema,
		Annotations: &sdk.ToolAnnotations{
			Title: c.Title, ReadOnlyHint: e.ReadOnly, DestructiveHint: &e.Destructive,
			IdempotentHint: e.Idempotent, OpenWorldHint: &e.OpenWorld,
		},
		Meta: sdk.Meta{"version": c.Version, "stability": c.Stability, "family": c.Family},
	}
}
