package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"atelier/internal/doctor"
	"atelier/internal/tools"
)

type doctorCmd struct {
	storage
	JSON     bool `help:"Print the report as JSON."`
	Selftest bool `help:"Run a golden case on every engine, and keep the outcome: it becomes part of the evidence of every result."`
}

func (c *doctorCmd) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := c.complete(); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "atelier-doctor-") // the data folder may be what is broken
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	host, err := newHost(c.storage, work, cold)
	if err != nil {
		return err
	}
	defer host.Close()
	backends, err := newBackends(c.storage)
	if err != nil {
		return err
	}
	if _, err := c.allTools(tools.Parts{Host: host, Models: backends}); err != nil {
		return err // a tool from outside that no other command would take
	}
	report := doctor.Examine(ctx, doctor.Options{Host: host, Data: c.Data, Backends: programs(backends), Selftest: c.Selftest, Version: version})
	if c.Selftest && report.Data.Writable {
		if err := report.Record(c.Data); err != nil {
			return fmt.Errorf("the outcome of the golden cases could not be kept: %w", err)
		}
	}
	if c.JSON {
		enc := json.NewEncoder(os.Stdout)
		enc.SetIndent("", "  ")
		err = enc.Encode(report)
	} else {
		err = report.WriteText(os.Stdout)
	}
	if err == nil && !report.OK {
		err = fmt.Errorf("something on this machine is broken: see above")
	}
	return err
}
