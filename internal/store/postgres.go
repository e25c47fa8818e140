package store

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const channel = "atelier"

type postgres struct {
	pool *pgxpool.Pool
}

func openPostgres(ctx context.Context, url string) (*postgres, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(url, "pool_max_conns") {
		// River takes a few, the listener one, and concurrent commits the rest.
		config.MaxConns = 24
	}
	config.ConnConfig.RuntimeParams["application_name"] = "atelier"
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return &postgres{pool}, nil
}

// write repeats a transaction that Postgres broke off in favour of another.
func (p *postgres) write(ctx context.Context, fn func(Tx) error) error {
	for attempt := 0; ; attempt++ {
		err := pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error { return fn(pgTx{tx}) })
		var broken *pgconn.PgError
		again := errors.As(err, &broken) && (broken.Code == "40001" || broken.Code == "40P01")
		if !again || attempt == 4 {
			return err
		}
	}
}

func (p *postgres) writeThen(fn func(Tx) error, done func(error)) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	done(p.write(ctx, fn))
}

func (p *postgres) reader() Tx { return pgTx{p.pool} }

func (p *postgres) now() string { return `(extract(epoch FROM clock_timestamp()) * 1000)::bigint` }

func (p *postgres) notify(ctx context.Context, tx Tx, payload string) error {
	_, err := tx.Exec(ctx, `SELECT pg_notify($1, $2)`, channel, payload)
	return err
}

func (p *postgres) listen(ctx context.Context, ready func(), got func(string)) error {
	for ctx.Err() == nil {
		p.listenOnce(ctx, ready, got) // an error means a lost connection: take another
		select {
		case <-ctx.Done():
		case <-time.After(500 * time.Millisecond):
		}
	}
	return ctx.Err()
}

func (p *postgres) listenOnce(ctx context.Context, ready func(), got func(string)) error {
	pooled, err := p.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	// Taken out of the pool: a connection that listens must not be lent again.
	conn := pooled.Hijack()
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, `LISTEN `+channel); err != nil {
		return err
	}
	ready()
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		got(n.Payload)
	}
}

func (p *postgres) size(ctx context.Context) (int64, error) {
	n, _, err := one(ctx, p.reader(), scanInt, `SELECT pg_database_size(current_database())`)
	return n, err
}

func (p *postgres) close() error { p.pool.Close(); return nil }
