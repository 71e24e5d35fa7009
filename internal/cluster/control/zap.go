package control

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"go.uber.org/zap/zapcore"
)

// slogCore passes what etcd says to slog, from warnings upwards.
type slogCore struct {
	to   *slog.Logger
	died func(what string, why error) // is told with what etcd ends its process; may be nil
}

func (c slogCore) Enabled(l zapcore.Level) bool { return l >= zapcore.WarnLevel }

func (c slogCore) With(fields []zapcore.Field) zapcore.Core {
	return slogCore{slog.New(c.to.Handler().WithAttrs(attributes(fields))), c.died}
}

func (c slogCore) Check(e zapcore.Entry, to *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return to.AddCore(e, c)
	}
	return to
}

func (c slogCore) Write(e zapcore.Entry, fields []zapcore.Field) error {
	level := slog.LevelWarn
	switch {
	case ending(e, fields):
		level = slog.LevelDebug
	case e.Level > zapcore.WarnLevel:
		level = slog.LevelError
	}
	c.to.LogAttrs(context.Background(), level, "etcd: "+e.Message, attributes(fields)...)
	if e.Level >= zapcore.DPanicLevel && c.died != nil {
		var why error
		for _, f := range fields {
			if err, ok := f.Interface.(error); ok {
				why = err
			}
		}
		c.died(e.Message, why)
	}
	return nil
}

// ending reports what etcd takes for an error and is how each of its servers ends when it is told to.
func ending(e zapcore.Entry, fields []zapcore.Field) bool {
	return strings.HasPrefix(e.Message, "setting up serving from embedded etcd failed") && slices.ContainsFunc(fields, func(f zapcore.Field) bool {
		err, ok := f.Interface.(error)
		return ok && (strings.Contains(err.Error(), "closed") || strings.Contains(err.Error(), "has been stopped"))
	})
}

func (slogCore) Sync() error { return nil }

func attributes(fields []zapcore.Field) []slog.Attr {
	m := zapcore.NewMapObjectEncoder()
	for _, f := range fields {
		f.AddTo(m)
	}
	var out []slog.Attr
	for _, f := range fields {
		if v, ok := m.Fields[f.Key]; ok {
			out = append(out, slog.Any(f.Key, v))
		}
	}
	return out
}
