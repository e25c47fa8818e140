package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"atelier/internal/contract"
	"atelier/internal/doctor"
	"atelier/internal/protocol/admin"
	"atelier/internal/protocol/agentconfig"
	"atelier/internal/protocol/capture"
	"atelier/internal/protocol/direct"
	"atelier/internal/protocol/harmony"
	"atelier/internal/protocol/httpapi"
	"atelier/internal/protocol/invocation"
	"atelier/internal/protocol/openai"
	"atelier/internal/protocol/openapi"
	"atelier/internal/protocol/rest"
	sessions "atelier/internal/protocol/session"
	workbenchpage "atelier/internal/protocol/workbench"
	"atelier/workbench"
)

type serveCmd struct {
	storage
	narrowing
	keeping
	modelFlags
	Addr           string         `help:"Address to listen on." env:"ATELIER_ADDR" default:"127.0.0.1:8080"`
	Token          string         `help:"Bearer token that every request must carry. Required unless the server listens on loopback only." env:"ATELIER_TOKEN"`
	HostName       []string       `help:"Further host name that the server answers to." env:"ATELIER_HOST_NAME"`
	MaxBodyBytes   int64          `help:"Largest JSON body." env:"ATELIER_MAX_BODY_BYTES" default:"33554432"`
	MaxUploadBytes int64          `help:"Largest upload." env:"ATELIER_MAX_UPLOAD_BYTES" default:"4294967296"`
	Queues         map[string]int `help:"Engines whose queues this server works on, with jobs at once (mfem=1;vtk=2). On SQLite all." env:"ATELIER_QUEUES"`
	StopTimeout    time.Duration  `help:"How long running jobs may continue after a stop was requested." env:"ATELIER_STOP_TIMEOUT" default:"20s"`
}

func (c *serveCmd) Run() error {
	if err := checkAddress(c.Addr, c.Token); err != nil {
		return err
	}
	if _, err := c.client(nil); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a, err := open(ctx, setup{storage: c.storage, narrowing: c.narrowing, modelFlags: c.modelFlags, quota: c.QuotaBytes, queues: c.Queues})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		_ = a.close(context.Background())
		return fmt.Errorf("cannot listen on --addr %s: %w; choose another port, or 0 for any that is free", c.Addr, err)
	}
	go a.sweep(ctx, c.keeping)
	a.backends.Start() // models that were loaded
	a.host.Prepare()   // engines with a slow start wait ahead of their first job
	server := &http.Server{
		Handler: c.handler(a), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	go a.watchTools(ctx)
	fmt.Printf("atelier %s at http://%s\n", version, listener.Addr())
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err = <-failed:
	case <-ctx.Done():
		stop() // a second signal ends the program at once
		a.log.Info("stopping", "timeout", c.StopTimeout)
		err = c.stop(server, a)
	}
	return err
}

// stop first takes no more requests, then lets running jobs end, then closes.
func (c *serveCmd) stop(server *http.Server, a *app) error {
	ctx, cancel := context.WithTimeout(context.Background(), c.StopTimeout)
	defer cancel()
	shut := make(chan struct{})
	go func() {
		_ = server.Shutdown(ctx)
		close(shut)
	}()
	err := a.close(ctx)
	_ = server.Close() // event streams never end by themselves
	<-shut
	return err
}

func (c *serveCmd) handler(a *app) http.Handler {
	gate := &httpapi.Gate{Token: c.Token, Hosts: c.HostName, MaxBodyBytes: c.MaxBodyBytes, Log: a.log}
	if host, _, err := net.SplitHostPort(c.Addr); err == nil && host != "" {
		gate.Hosts = append(gate.Hosts, host)
	}
	var routes []httpapi.Route
	for _, protocol := range c.protocols(a) {
		routes = append(routes, protocol.Routes()...)
	}
	return httpapi.Mux(gate, routes...)
}

// protocols lists the protocols that the server speaks.
func (c *serveCmd) protocols(a *app) []httpapi.Protocol {
	jobs := a.sessions.Jobs()              // calls that name a session are its steps
	chosen, _ := c.client(a.backends.Find) // Run has checked it
	answers := &openai.Server{Tools: a.tools, Standard: c.standard(c.outsideFlags), Jobs: jobs, DB: a.db, Model: chosen, Loaded: loadedModels{a.backends}, Budget: c.budget(), Window: c.ModelWindow, Blobs: a.blobs, Session: a.sessions.Get, Log: a.log}
	a.closers = append(a.closers, answers.Close)
	page, err := workbenchpage.New(workbench.Dist)
	if err != nil {
		panic(fmt.Errorf("the workbench inside the program is broken: %w", err))
	}
	modelContext := c.mcpServer(a, c.KeepJobs, c.outsideFlags)
	modelContext.MaxBodyBytes = c.MaxBodyBytes
	a.watchTools = modelContext.Watch
	protocols := []httpapi.Protocol{
		&rest.Server{Tools: a.tools, Jobs: jobs, DB: a.db, Blobs: a.blobs, Version: version, MaxUploadBytes: c.MaxUploadBytes},
		&capture.Server{DB: a.db, Blobs: a.blobs, MaxUploadBytes: c.MaxUploadBytes, WorkDir: c.workDir(),
			Files: func(dir string) contract.Files { return a.files.For(dir, "") }},
		&sessions.Server{Sessions: a.sessions, MaxUploadBytes: c.MaxUploadBytes},
		&agentconfig.Server{Tools: a.tools},
		&direct.Server{Tools: a.tools, Jobs: jobs},
		&harmony.Server{Tools: a.tools, Jobs: jobs},
		&invocation.Server{Tools: a.tools, Jobs: jobs, MaxBodyBytes: c.MaxBodyBytes},
		answers,
		&admin.Server{Tools: a.tools, Jobs: a.jobs, Blobs: a.blobs, Log: &logTail, Version: version, Models: loadedModels{a.backends}.Status, Examine: func(ctx context.Context) doctor.Report {
			return doctor.Examine(ctx, doctor.Options{Host: a.host, Data: c.Data, Backends: programs(a.backends), Version: version})
		}},
		page,
		modelContext,
	}
	return append(protocols, openapi.New(version, c.Token != "", protocols...)) // which describes them all
}
