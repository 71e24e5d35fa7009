package main

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"

	_ "github.com/duckdb/duckdb-go/v2" // the driver "duckdb"

	"github.com/godwit-run/godwit/internal/measure"
)

// duck is a DuckDB in this process, with one connection.
type duck struct {
	db   *sql.DB
	name string // with version
}

func openDuck(ctx context.Context, threads int) (*duck, error) {
	db, err := sql.Open("duckdb", fmt.Sprintf("?threads=%d", threads))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	d := &duck{db: db}
	var version string
	if err := db.QueryRowContext(ctx, "SELECT version()").Scan(&version); err != nil {
		db.Close()
		return nil, err
	}
	d.name = "DuckDB " + version
	return d, nil
}

func (d *duck) close() { d.db.Close() }

// query runs a prepared statement; the second column of its rows is the
// answer, and NULL is NaN.
func (d *duck) query(text, path string) measure.Runner {
	var prepared *sql.Stmt
	return func(ctx context.Context) (time.Duration, []float64, error) {
		if prepared == nil {
			var err error
			if prepared, err = d.db.PrepareContext(ctx, text); err != nil {
				return 0, nil, err
			}
		}
		start := time.Now()
		rows, err := prepared.QueryContext(ctx, path)
		if err != nil {
			return 0, nil, err
		}
		defer rows.Close()
		var out []float64
		for rows.Next() {
			var key int64
			var x sql.NullFloat64
			if err := rows.Scan(&key, &x); err != nil {
				return 0, nil, err
			}
			if !x.Valid {
				x.Float64 = math.NaN()
			}
			out = append(out, x.Float64)
		}
		return time.Since(start), out, rows.Err()
	}
}
