package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/study"
)

type rerunCmd struct {
	storage
	Bundle string `arg:"" help:"bundle.zip of study_report." type:"existingfile"`
}

// Run repeats the run of a bundle in a data folder of its own and holds the figures against
// those of the bundle. It exits with 0 when all are equal within their error bars.
func (c *rerunCmd) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	folder, err := os.MkdirTemp("", "atelier-rerun-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	b, err := study.Unpack(c.Bundle, folder)
	if err != nil {
		return err
	}
	c.Data, c.Database, c.Root = folder, "", []string{folder}
	a, err := open(ctx, setup{storage: c.storage, warm: cold})
	if err != nil {
		return err
	}
	err = c.repeat(ctx, a, b)
	return errors.Join(err, a.close(context.Background()))
}

func (c *rerunCmd) repeat(ctx context.Context, a *app, b *study.Bundle) error {
	if b.Build != version {
		fmt.Printf("The bundle was made by atelier %s, this is %s.\n", b.Build, version)
	}
	input, err := json.Marshal(map[string]any{"document": b.Document})
	if err != nil {
		return err
	}
	j, err := a.jobs.Submit(ctx, job.Request{Tool: "study_run", Input: input})
	if err != nil {
		return err
	}
	if j.Result == nil || j.Result.Status == contract.StatusError {
		return fmt.Errorf("the study cannot be run here: %w", j.Error)
	}
	var out struct {
		Run string `json:"run"`
	}
	if err := json.Unmarshal(j.Result.OutputJSON(), &out); err != nil {
		return err
	}
	r, err := a.studies.LoadRun(ctx, out.Run)
	if err != nil {
		return err
	}
	figures, other := b.Repeats(r), 0
	for _, f := range figures {
		mark := "equal "
		if !f.Equal {
			mark, other = "OTHER ", other+1
		}
		fmt.Printf("%s %s, %s\n", mark, f.Analysis, f.Text)
	}
	fmt.Printf("%d of %d figures of %s are repeated within their error bars.\n", len(figures)-other, len(figures), b.Run)
	switch {
	case other > 0:
		return fmt.Errorf("%d of %d figures differ", other, len(figures))
	case len(figures) == 0:
		return errors.New("the bundle has no figure to repeat")
	}
	return nil
}
