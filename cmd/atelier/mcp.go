package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"atelier/internal/contract"
	"atelier/internal/protocol/mcp"
	"atelier/internal/protocol/mcp/conformance"
	"atelier/internal/tools"
)

type mcpCmd struct {
	storage
	narrowing
	Names       string        `help:"Names to show: alias (circuits_simulate) or canonical (circuits.simulate)." enum:"alias,canonical" default:"alias" env:"ATELIER_NAMES"`
	KeepJobs    time.Duration `help:"How long finished jobs with their artifacts are kept." env:"ATELIER_KEEP_JOBS" default:"720h"`
	StopTimeout time.Duration `help:"How long running jobs may go on after the client has left." env:"ATELIER_STOP_TIMEOUT" default:"20s"`
}

// Run serves one client on standard input and output, which carry nothing but
// the protocol. The program runs embedded; beside a server that holds the data
// folder it works in a folder of its own, which goes with it.
func (c *mcpCmd) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a, release, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer release()
	protocol := c.mcpServer(a, c.KeepJobs, c.outsideFlags)
	protocol.Canonical = c.Names == "canonical"
	go protocol.Watch(ctx)
	err = protocol.ServeStdio(ctx, contract.Selection{}, os.Stdin, os.Stdout)
	if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) {
		err = nil // an orderly stop
	}
	ending, cancel := context.WithTimeout(context.Background(), c.StopTimeout)
	defer cancel()
	return errors.Join(err, a.close(ending))
}

func (c *mcpCmd) open(ctx context.Context) (a *app, release func(), err error) {
	warm := cold
	a, err = open(ctx, setup{storage: c.storage, narrowing: c.narrowing, warm: warm})
	if err == nil || c.Database != "" || contract.AsError(err).Code != contract.CodeConflict {
		return a, func() {}, err
	}
	own := c.storage
	if own.Data, err = os.MkdirTemp("", "atelier-mcp-"); err != nil {
		return nil, nil, err
	}
	release = func() { _ = os.RemoveAll(own.Data) }
	if a, err = open(ctx, setup{storage: own, narrowing: c.narrowing, warm: warm}); err != nil {
		release()
		return nil, nil, err
	}
	fmt.Fprintln(os.Stderr, "atelier: another process uses the data folder; results are kept only until this client leaves")
	return a, release, nil
}

// fixtures says whether those of the MCP conformance suite are wanted.
func (n narrowing) fixtures() bool {
	return n.Conformance || slices.Contains(n.Family, "conformance")
}

// withFixtures adds them to the tools.
func (n narrowing) withFixtures(list []contract.Tool) []contract.Tool {
	if n.fixtures() {
		list = append(list, conformance.Tools()...)
	}
	return list
}

func (n narrowing) mcpServer(a *app, keep time.Duration, o outsideFlags) *mcp.Server {
	s := &mcp.Server{Tools: a.tools, Jobs: a.sessions.Jobs(), Blobs: a.blobs, Version: version, KeepJobs: keep, Standard: n.standard(o), Guide: tools.Guide}
	if n.fixtures() {
		s.Extend, s.NeedsTask = conformance.New().Install, conformance.NeedsTask
	}
	return s
}
