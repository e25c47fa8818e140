package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"sort"
	"strconv"
	"strings"

	"atelier/internal/contract"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrate brings the schema to the newest version, each step in its own
// transaction with its version. A database that is newer than the program is
// refused, since an older program could spoil it.
func (db *DB) migrate(ctx context.Context) error {
	steps, err := migrations()
	if err != nil {
		return err
	}
	return db.Exclusive(ctx, "migrate", func() error {
		err := db.backend.write(ctx, func(tx Tx) error {
			_, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS atelier_schema (version BIGINT PRIMARY KEY)`)
			return err
		})
		if err != nil {
			return err
		}
		have, _, err := one(ctx, db.Reader(), scanInt, `SELECT COALESCE(MAX(version), 0) FROM atelier_schema`)
		if err != nil {
			return err
		}
		if newest := int64(len(steps)); have > newest {
			return contract.Errorf(contract.CodeConflict, "the database has schema version %d, this program knows %d", have, newest).
				WithHint("Use the newer program that has migrated it, or another database.")
		}
		for i, step := range steps[have:] {
			if err := db.apply(ctx, have+int64(i)+1, step); err != nil {
				return err
			}
		}
		return nil
	})
}

// filled are the versions that brought what lies inside of the results of older jobs.
var filled = map[int64]func(*DB, context.Context, Tx) error{4: (*DB).fillMakers, 5: (*DB).fillLineage}

func (db *DB) apply(ctx context.Context, version int64, step string) error {
	return db.backend.write(ctx, func(tx Tx) error {
		for _, statement := range strings.Split(step, ";\n") {
			if strings.TrimSpace(statement) == "" {
				continue
			}
			if _, err := tx.Exec(ctx, statement); err != nil {
				return fmt.Errorf("schema version %d: %w", version, err)
			}
		}
		if fill := filled[version]; fill != nil {
			if err := fill(db, ctx, tx); err != nil {
				return fmt.Errorf("schema version %d: %w", version, err)
			}
		}
		_, err := tx.Exec(ctx, `INSERT INTO atelier_schema (version) VALUES ($1)`, version)
		return err
	})
}

// migrations returns the steps in order; the files must be numbered from 0001
// without a gap.
func migrations() ([]string, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	steps := make([]string, len(names))
	for i, name := range names {
		number, _, _ := strings.Cut(strings.TrimPrefix(name, "migrations/"), "_")
		if n, err := strconv.Atoi(number); err != nil || n != i+1 {
			return nil, fmt.Errorf("%s is not number %d", name, i+1)
		}
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		steps[i] = string(text)
	}
	return steps, nil
}

// Exclusive runs fn while no other process runs one of the same name on this
// database. On SQLite, which has one process, it just runs it.
func (db *DB) Exclusive(ctx context.Context, name string, fn func() error) error {
	pool := db.Pool()
	if pool == nil {
		return fn()
	}
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock(hashtext($1))`, "atelier "+name); err != nil {
		return err
	}
	defer conn.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(hashtext($1))`, "atelier "+name)
	return fn()
}
