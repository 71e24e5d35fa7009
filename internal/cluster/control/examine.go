package control

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"

	"github.com/godwit-run/godwit/internal/data/regular"
)

// The examination of a member's files before etcd opens them. In: a folder that no process
// has open. Out: nil, a *LostError if there is no log, a *DamageError if the files can be read and
// what they say cannot be, or another error if they cannot be read now. Only the first two
// errors mean that the records of this member are gone; disks that fail, lack of rights or of
// descriptors never do. Nothing but a regular file is opened: a pipe would be waited for.

// LostError says that a member of a cluster that was formed has no records.
type LostError struct{ Dir string }

func (e *LostError) Error() string {
	return fmt.Sprintf("the records of the control's member were in %s and are not there any more", e.Dir)
}

// DamageError says that a member's records are not what was written.
type DamageError struct{ Dir, What string }

func (e *DamageError) Error() string {
	return fmt.Sprintf("the records of the control's member in %s are damaged: %s", e.Dir, e.What)
}

func logDir(dir string) string   { return filepath.Join(dir, "member", "wal") }
func database(dir string) string { return filepath.Join(dir, "member", "snap", "db") }

// examine reads all files of a member, and calls step as it gets on. formed is whether the member
// had records already.
func examine(dir string, formed bool, step func()) error {
	if err := regularFiles(dir); err != nil {
		return err
	}
	logs, err := segments(logDir(dir))
	if err != nil {
		return err
	}
	if len(logs) == 0 {
		if formed {
			return &LostError{dir}
		}
		return nil
	}
	if err := readable(append(logs, database(dir)), step); err != nil {
		return err
	}
	var applied uint64
	err = damage(dir, "the database snap/db: ", func() (err error) {
		applied, err = examineDatabase(database(dir), step)
		return err
	})
	if err != nil {
		return err
	}
	return damage(dir, "the log wal: ", func() error { return examineLog(logDir(dir), applied) })
}

// regularFiles is a *DamageError if something else is in the place of one of a member's files or
// folders. etcd puts nothing else there. A folder may be a link: to another disk.
func regularFiles(dir string) error {
	for _, d := range []string{dir, filepath.Join(dir, "member"), logDir(dir), filepath.Dir(database(dir))} {
		info, err := os.Stat(d)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return &DamageError{dir, d + " is no directory"}
		}
	}
	for _, d := range []string{logDir(dir), filepath.Dir(database(dir))} {
		list, err := os.ReadDir(d)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range list {
			if !e.Type().IsRegular() {
				return &DamageError{dir, (&regular.Error{Path: filepath.Join(d, e.Name()), Mode: e.Type()}).Error()}
			}
		}
	}
	return nil
}

// segments are the files of a log.
func segments(dir string) ([]string, error) {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range list {
		if strings.HasSuffix(e.Name(), ".wal") {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out, err
}

// readable reads files from end to end, before any is mapped: a disk that fails is told from
// wrong contents in this way. Files that are not there are no error here.
func readable(files []string, step func()) error {
	for _, name := range files {
		f, err := regular.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for err == nil {
			_, err = io.CopyN(io.Discard, f, readStep)
			step()
		}
		f.Close()
		if err != io.EOF {
			return err
		}
	}
	return nil
}

const readStep = 1 << 20

// damage runs a part of the examination. Errors of the system stay as they are; all others,
// panics and accesses beyond the end of a file say that something is damaged.
func damage(dir, where string, part func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = &DamageError{dir, fmt.Sprintf("%s%v", where, r)}
		}
	}()
	err = part()
	if err == nil || errors.As(err, new(syscall.Errno)) {
		return err
	}
	return &DamageError{dir, where + err.Error()}
}

// leastRecord is how many bytes a record takes in a database at least: its header.
const leastRecord = 16

// examineDatabase walks over all pages in use, and gives the index of the last entry that was
// applied; 0 where there is no database, which etcd makes anew from a log that has everything.
func examineDatabase(path string, step func()) (applied uint64, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true, Timeout: time.Second})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	err = db.View(func(tx *bolt.Tx) error {
		if size := tx.Size(); size > info.Size() {
			return fmt.Errorf("it has %d bytes, expected %d", info.Size(), size)
		}
		if meta := tx.Bucket([]byte("meta")); meta != nil {
			if v := meta.Get([]byte("consistent_index")); len(v) == 8 {
				applied = binary.BigEndian.Uint64(v)
			}
		}
		left := info.Size() / leastRecord
		return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
			return b.ForEach(func(k, v []byte) error {
				step()
				if left--; left < 0 {
					return errors.New("its pages refer to each other in a circle")
				}
				return examineRecord(string(name), k, v)
			})
		})
	})
	return applied, err
}

func examineRecord(bucket string, key, value []byte) error {
	if bucket != "key" {
		return nil
	}
	if err := proto.Unmarshal(value, &mvccpb.KeyValue{}); err != nil {
		return fmt.Errorf("the record at revision %x cannot be read: %w", key, err)
	}
	return nil
}

// examineLog reads the log from the last snapshot on. Its end may be torn, as after a power
// failure: etcd mends that. But it must reach as far as what was applied or agreed on.
func examineLog(dir string, applied uint64) error {
	w, from, err := openLog(dir)
	if err != nil {
		return err
	}
	defer w.Close()
	_, state, entries, err := w.ReadAll()
	if err != nil {
		return err
	}
	last := from.GetIndex()
	if len(entries) > 0 {
		last = entries[len(entries)-1].GetIndex()
	}
	if needs := max(state.GetCommit(), applied); last < needs {
		return fmt.Errorf("it ends at entry %d, expected %d at least", last, needs)
	}
	if applied < from.GetIndex() {
		return fmt.Errorf("it begins at entry %d, but the database has what was before %d only", from.GetIndex()+1, applied+1)
	}
	return nil
}

// openLog opens a log for reading from its last snapshot on.
func openLog(dir string) (*wal.WAL, *walpb.Snapshot, error) {
	snaps, err := wal.ValidSnapshotEntries(zap.NewNop(), dir)
	if err != nil {
		return nil, nil, err
	}
	from := &walpb.Snapshot{}
	if len(snaps) > 0 {
		from = snaps[len(snaps)-1]
	}
	w, err := wal.OpenForRead(zap.NewNop(), dir, from)
	return w, from, err
}
