package job_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/store"
)

// trivial is an executor that costs nothing, so that what is measured is the
// engine: folder, run, durable record.
type trivial struct{}

func (trivial) Route(_ context.Context, req *job.Request) (job.Route, error) {
	return job.Route{Tool: req.Tool, Idempotent: true}, nil
}

func (trivial) Execute(_ context.Context, run *job.Run) *contract.Result {
	return &contract.Result{Status: contract.StatusOK, Solver: "atelier", Summary: "Echoed.", Output: json.RawMessage(`{"ok":true}`)}
}

func BenchmarkInlineJob(b *testing.B) {
	for _, callers := range []int{1, 32} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			ctx, dir := context.Background(), b.TempDir()
			db, err := store.Open(ctx, filepath.Join(dir, "atelier.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			blobs, err := store.OpenBlobs(ctx, db, filepath.Join(dir, "artifacts"), store.BlobOptions{})
			if err != nil {
				b.Fatal(err)
			}
			s, err := job.New(ctx, db, blobs, trivial{}, job.Options{WorkDir: filepath.Join(dir, "work")})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Drain(ctx)
			request := job.Request{Tool: "echo_json", Input: json.RawMessage(`{"message":"hello"}`)}
			work := make(chan struct{}, callers)
			var wg sync.WaitGroup
			b.ReportAllocs()
			b.ResetTimer()
			for range callers {
				wg.Go(func() {
					for range work {
						if j, err := s.Submit(ctx, request); err != nil || j.State != job.Succeeded {
							b.Errorf("%v %v", j, err)
						}
					}
				})
			}
			begun := time.Now()
			for range b.N {
				work <- struct{}{}
			}
			close(work)
			wg.Wait()
			b.ReportMetric(float64(b.N)/time.Since(begun).Seconds(), "jobs/s")
			b.StopTimer()
		})
	}
}
