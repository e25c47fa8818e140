package store

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/store/storetest"
)

// One insert is one finished quick job, durable (fsync) before it returns.
func BenchmarkInsertDurable(b *testing.B) {
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("sqlite/callers=%d", callers), func(b *testing.B) {
			benchmarkInsert(b, filepath.Join(b.TempDir(), "x.db"), callers)
		})
		b.Run(fmt.Sprintf("postgres/callers=%d", callers), func(b *testing.B) {
			benchmarkInsert(b, storetest.Postgres(b, "store", 10), callers)
		})
	}
}

func benchmarkInsert(b *testing.B, url string, callers int) {
	db, ctx := openDB(b, url), context.Background()
	work := make(chan struct{}, callers)
	var wg sync.WaitGroup
	b.ReportAllocs()
	b.ResetTimer()
	for range callers {
		wg.Go(func() {
			for range work {
				j := &Job{ID: NewID("job_"), Tool: "echo_json", State: Succeeded, Input: []byte(`{"message":"hello"}`),
					Created: Now(), Started: Now(), Finished: Now(), Attempt: 1, Summary: "Echoed.",
					Result: &contract.Result{Status: contract.StatusOK, Solver: "atelier", Summary: "Echoed."}}
				err := db.Write(ctx, func(tx Tx) error { _, err := db.InsertJob(ctx, tx, j, 0); return err })
				if err != nil {
					b.Error(err)
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
	b.ReportMetric(float64(b.N)/time.Since(begun).Seconds(), "inserts/s")
}
