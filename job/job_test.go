package job_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"atelier/job/jobtest"
)

func TestMain(m *testing.M) { jobtest.Main(m) }

func TestSQLiteLocal(t *testing.T) {
	jobtest.Run(t, jobtest.Backend{Name: "sqlite", Fresh: func(t testing.TB) string {
		return filepath.Join(t.TempDir(), "atelier.db")
	}})
}

func TestPostgresRiver(t *testing.T) {
	base := os.Getenv("ATELIER_TEST_POSTGRES")
	if base == "" {
		t.Skip("ATELIER_TEST_POSTGRES is not set; `make test-postgres` starts a server and sets it")
	}
	jobtest.Run(t, jobtest.Backend{Name: "postgres", Shared: true, Fresh: func(t testing.TB) string {
		return freshDatabase(t, base)
	}})
}

var databases atomic.Int64

// freshDatabase makes an empty database on the server of the base URL.
func freshDatabase(t testing.TB, base string) string {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, base)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	name := fmt.Sprintf("job_%d_%d", os.Getpid(), databases.Add(1))
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	config := conn.Config()
	return fmt.Sprintf("postgres://%s@%s:%d/%s?sslmode=disable&pool_max_conns=10", config.User, config.Host, config.Port, name)
}
