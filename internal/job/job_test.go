package job_test

import (
	"path/filepath"
	"testing"

	"atelier/internal/job/jobtest"
	"atelier/internal/store/storetest"
)

func TestMain(m *testing.M) { jobtest.Main(m) }

func TestSQLiteLocal(t *testing.T) {
	jobtest.Run(t, jobtest.Backend{Name: "sqlite", Fresh: func(t testing.TB) string {
		return filepath.Join(t.TempDir(), "atelier.db")
	}})
}

func TestPostgresRiver(t *testing.T) {
	storetest.Server(t)
	jobtest.Run(t, jobtest.Backend{Name: "postgres", Shared: true, Fresh: func(t testing.TB) string {
		return storetest.Postgres(t, "job", 10)
	}})
}
