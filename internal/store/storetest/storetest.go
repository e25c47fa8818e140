// Package storetest gives tests empty databases.
package storetest

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"atelier/internal/testenv"
)

var databases atomic.Int64

// Server is the Postgres server that ATELIER_TEST_POSTGRES names; it skips the
// test where there is none.
func Server(t testing.TB) string {
	t.Helper()
	base := os.Getenv("ATELIER_TEST_POSTGRES")
	if base == "" {
		testenv.Skip(t, testenv.Postgres, "ATELIER_TEST_POSTGRES is not set; `make test-postgres` starts a server and sets it")
	}
	return base
}

// Postgres makes an empty database, which carries the prefix in its name, on the
// Server, and returns its URL with a pool of conns connections.
func Postgres(t testing.TB, prefix string, conns int) string {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, Server(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	name := fmt.Sprintf("%s_%d_%d", prefix, os.Getpid(), databases.Add(1))
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	c := conn.Config()
	return fmt.Sprintf("postgres://%s@%s:%d/%s?sslmode=disable&pool_max_conns=%d", c.User, c.Host, c.Port, name, conns)
}
