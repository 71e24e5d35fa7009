package control

import (
	"context"
	"errors"
	"time"
)

// records is the little of etcd that membership and catalogue need: records with
// revisions, conditional transactions, leases, and a log of changes. One logic
// (type registry) works over etcd and over memory.
type records interface {
	// read gives records at one revision that includes everything written
	// before: for a key its record, for a prefix, which ends in a slash as no key
	// does, all records under it, in order of their keys.
	read(ctx context.Context, keys ...string) ([]record, int64, error)
	// commit makes all changes, in one revision, if all conditions hold.
	commit(ctx context.Context, when []condition, then []change) (done bool, revision int64, err error)
	// grant makes a lease; records under it vanish, in one revision, when it
	// is not kept for ttl.
	grant(ctx context.Context, ttl time.Duration) (lease int64, err error)
	// revoke ends a lease; no error if it has ended already.
	revoke(ctx context.Context, lease int64) error
	// keep renews a lease until ctx ends. The channel is closed when the lease
	// has ended; not because nobody answers. The function tells when it was renewed last.
	keep(ctx context.Context, lease int64, ttl time.Duration) (<-chan struct{}, func() time.Time, error)
	// watch follows the changes of keys with the prefix after a revision.
	watch(ctx context.Context, prefix string, after int64) log
	// size is how many bytes of the quota the records take, with their history. The quota is
	// 0 where there is none.
	size(ctx context.Context) (used, quota int64, err error)
	// where says what is connected to, for messages.
	where() string
	close() error
}

// log gives changes in order; those of one revision come together.
type log interface {
	// next waits for changes, and gives the revision up to which all have come. There may be
	// none: the log is only further on. errBehind if those that follow are not kept any
	// more, another error if the connection broke: then everything is to be read again.
	next(ctx context.Context) (changes []record, revision int64, err error)
	// progress asks how far the log is; next gives the answer, if there is one.
	progress(ctx context.Context)
}

var errBehind = errors.New("the changes asked for are not kept any more")

// record is a key with its value; in a log, one with a nil value was deleted.
type record struct {
	key      string
	value    []byte
	created  int64 // revision at which the key came to be
	modified int64
}

// condition holds if the key's revision is as given; 0 for a key that is not
// there.
type condition struct {
	key      string
	created  bool // compare the revision of creation, else that of the last change
	revision int64
}

// change puts a value, under a lease if it is not 0, or deletes the key if the
// value is nil.
type change struct {
	key   string
	value []byte
	lease int64
}

// The keys. Everything that a view shows lies under one prefix, so that one
// log has all of it in order.
const (
	root       = "/godwit/1/"
	viewPrefix = root + "view/"
	nodePrefix = viewPrefix + "nodes/" // + number: nodeRecord, under a lease
	setPrefix  = viewPrefix + "sets/"  // + number: setRecord
	// + number of a set / number of a node, or that / number of a piece: heldRecord, under the node's lease
	heldPrefix = viewPrefix + "held/"
	// A mark is there or not; + number of a node: drainRecord.
	drainPrefix = viewPrefix + "drain/"
	knownPrefix = viewPrefix + "known/" // + number: knownRecord of a node that has joined once
	birthKey    = viewPrefix + "birth"  // a random text, made by the first node that joins
	trustKey    = viewPrefix + "trust"  // trustRecord
	namePrefix  = root + "names/"       // + escaped name of a node: nameRecord
	titles      = root + "titles/"      // + escaped name of a set: its number
	nextPeer    = root + "next/peer"    // the number that the next new node gets
	nextSet     = root + "next/set"
	// + number: reservationRecord. Views do not show them.
	reservedPrefix = root + "reserved/"
	ownedPrefix    = root + "owned/" // + number of a set: ownedRecord
	turnPrefix     = root + "turns/" // + escaped owner; changes with each set that is added
)
