package main

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/data/regular"
	"github.com/godwit-run/godwit/internal/packages/pack"
)

// sending is one godwit send.
type sending struct {
	dir, to, payload, as  string
	regions, data         []string
	deadline              time.Duration
	hops                  int
	args, json, unconfine bool
}

func newSend() *cobra.Command {
	s := &sending{}
	cmd := &cobra.Command{
		Use:   "send PACKAGE.gwp --to NODE",
		Short: "Run a package of C functions on a node",
		Long: `Run the function X_main of a package on a node, and print its reply. The
package travels there if the node does not have it. Nodes run it only if they
were started with --native and the key that signed it is trusted.

--region NAME:BYTES:rw asks for memory of the node, which is made when it is first
asked for and stays; NAME:BYTES:ro may only be read. --data NAME=@SET#COLUMN asks for
the rows of a column that the node holds: gw_region("NAME") has their values,
"NAME.range" the first row and the one behind the last, and "NAME.owners" for
each shard the row behind its last and the number of a node that has it, all int64.`,
		Example: `  godwit send counter.gwp --to n1 --payload 0x0100000000000000 --region counter:8:rw --as u64
  godwit send chase.gwp --to any --args --payload '17 1000' --data next=@table#next`,
		Args: one("the package"),
		RunE: action(s.run),
	}
	clusterFlag(cmd, &s.dir)
	f := cmd.Flags()
	f.StringVar(&s.to, "to", "any", "name or number of a node, or any")
	f.StringVar(&s.payload, "payload", "", "what X_main gets: text, @FILE, or 0x and hexadecimal digits")
	f.BoolVar(&s.args, "args", false, "have the package make its payload of --payload, by its X_payload_init, here")
	f.StringArrayVar(&s.regions, "region", nil, "NAME:BYTES:rw or NAME:BYTES:ro, as often as there are some")
	f.StringArrayVar(&s.data, "data", nil, "NAME=@SET#COLUMN, as often as there are some")
	f.StringVar(&s.as, "as", "", "print the reply as u64, i64 (integers of eight bytes), text or hex (default text if it is one)")
	f.DurationVar(&s.deadline, "deadline", cluster.SendDeadline, "give up this long after the start of the command")
	f.IntVar(&s.hops, "hops", 0, "how often it may move on (default 4096)")
	f.BoolVar(&s.json, "json", false, "print the reply, and what the way took, as JSON")
	f.BoolVar(&s.unconfine, "unconfined", false, "with --args: make the payload without the sandbox's filter of system calls, where there is none")
	complete(cmd, "as", "u64", "i64", "text", "hex")
	return cmd
}

func (s *sending) run(cmd *cobra.Command, args []string) error {
	if err := deadlineGiven(cmd, s.deadline, fmt.Sprintf("without it %v is meant", cluster.SendDeadline)); err != nil {
		return err
	}
	pkg, _, err := regular.ReadGiven(args[0], pack.MaxBytes)
	if err != nil {
		return err
	}
	p, err := pack.Decode(pkg)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	opt := cluster.SendOptions{Hops: s.hops, Args: s.args}
	if opt.Grants, err = s.grants(); err != nil {
		return err
	}
	payload, err := payloadOf(s.payload)
	if err != nil {
		return err
	}
	reply, err := s.send(cmd.Context(), pkg, payload, opt)
	if err != nil {
		return err
	}
	if s.json {
		return s.report(cmd, p, reply)
	}
	if !reply.Replied {
		_, err = fmt.Fprintln(cmd.ErrOrStderr(), "no reply: the package has ended without one")
		return err
	}
	text, err := shown(reply.Bytes, s.as)
	if err == nil {
		_, err = fmt.Fprintln(cmd.OutOrStdout(), text)
	}
	return err
}

// send keeps the deadline, which counts from here.
func (s *sending) send(ctx context.Context, pkg, payload []byte, opt cluster.SendOptions) (*cluster.Reply, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.deadline, &deadlineError{limit: s.deadline})
	defer cancel()
	r, err := s.sendBefore(ctx, pkg, payload, opt)
	var mine *deadlineError
	switch err = late(ctx, s.deadline, err); {
	case err == nil:
		return r, nil
	case errors.As(err, &mine) && mine.err == nil:
		return nil, &deadlineError{s.deadline, errors.New("no reply; the package may have run or not")}
	case errors.As(err, &mine):
		return nil, err
	}
	return nil, &godwit.InputError{Text: err.Error(), Err: err}
}

func (s *sending) sendBefore(ctx context.Context, pkg, payload []byte, opt cluster.SendOptions) (*cluster.Reply, error) {
	c, err := site.Connect(ctx, s.dir, site.Options{OnDemand: true, Children: children(), Unconfined: s.unconfine})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.Send(ctx, pkg, s.to, payload, opt)
}

func (s *sending) grants() (list []cluster.Grant, err error) {
	for _, text := range s.regions {
		parts := strings.Split(text, ":")
		n := int64(0)
		if len(parts) == 3 {
			n, err = strconv.ParseInt(parts[1], 10, 64)
		}
		if err != nil || n <= 0 || parts[2] != "rw" && parts[2] != "ro" {
			return nil, &godwit.InputError{Text: fmt.Sprintf("--region %s: expected NAME:BYTES:rw or NAME:BYTES:ro", text), Help: "for instance --region counter:8:rw"}
		}
		list = append(list, cluster.Grant{Name: parts[0], Bytes: n, Write: parts[2] == "rw"})
	}
	for _, text := range s.data {
		name, data, ok := strings.Cut(text, "=")
		if !ok {
			return nil, &godwit.InputError{Text: fmt.Sprintf("--data %s: expected NAME=@SET#COLUMN", text), Help: "for instance --data table=@flights#delay"}
		}
		list = append(list, cluster.Grant{Name: name, Data: data})
	}
	return list, nil
}

// payloadOf reads text, @FILE or 0xHEX.
func payloadOf(text string) ([]byte, error) {
	if path, ok := strings.CutPrefix(text, "@"); ok {
		b, _, err := regular.ReadGiven(path, parcel.MaxBytes)
		return b, err
	}
	digits, ok := strings.CutPrefix(text, "0x")
	if !ok {
		return []byte(text), nil
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		return nil, &godwit.InputError{Text: fmt.Sprintf("--payload %.40s: %v", text, err), Help: "after 0x, two hexadecimal digits for each byte"}
	}
	return b, nil
}

// shown is a reply as text.
func shown(b []byte, as string) (string, error) {
	switch as {
	case "text":
		return string(b), nil
	case "hex":
		return hex.EncodeToString(b), nil
	case "u64", "i64":
		return integers(b, as)
	case "":
		if printable(b) {
			return string(b), nil
		}
		return "0x" + hex.EncodeToString(b), nil
	}
	return "", &godwit.InputError{Text: fmt.Sprintf("--as %s: expected u64, i64, text or hex", as)}
}

func integers(b []byte, as string) (string, error) {
	if len(b)%8 != 0 {
		return "", &godwit.InputError{Text: fmt.Sprintf("the reply has %d bytes, which is no number of integers of eight", len(b)), Help: "print it with --as hex"}
	}
	var words []string
	for ; len(b) > 0; b = b[8:] {
		v := binary.LittleEndian.Uint64(b)
		if as == "i64" {
			words = append(words, strconv.FormatInt(int64(v), 10))
		} else {
			words = append(words, strconv.FormatUint(v, 10))
		}
	}
	return strings.Join(words, " "), nil
}

func printable(b []byte) bool {
	return utf8.Valid(b) && !strings.ContainsFunc(string(b), func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' })
}

// sent is what godwit send --json prints. Times are in microseconds; those of the
// node are of the one that replied.
type sent struct {
	Package   string `json:"package"`
	Hash      string `json:"hash"`
	Node      string `json:"node"`
	Replied   bool   `json:"replied"`
	Reply     string `json:"reply"` // in hexadecimal, or as --as says
	Hops      int64  `json:"hops"`
	CodeBytes int64  `json:"code_bytes"`
	Bytes     int64  `json:"bytes"`   // of all parcels sent
	Parcels   int64  `json:"parcels"` // sent and received
	Total     int64  `json:"total_us"`
	Queue     uint32 `json:"queue_us"`
	Link      uint32 `json:"link_us"` // checking the signature, starting the worker, linking
	Compile   uint32 `json:"compile_us"`
	Run       uint32 `json:"run_us"`
	// Transmit is what is left of the total: connecting to the node, and the way of
	// parcels and code.
	Transmit int64 `json:"transmit_us"`
}

func (s *sending) report(cmd *cobra.Command, p *pack.Package, r *cluster.Reply) error {
	id, err := p.ID()
	if err != nil {
		return err
	}
	as := s.as
	if as == "" {
		as = "hex"
	}
	text, err := shown(r.Bytes, as)
	if err != nil {
		return err
	}
	t, total := r.Timing, r.Took.Microseconds()
	return printJSON(cmd.OutOrStdout(), &sent{
		Package: p.Name, Hash: id.String(), Node: r.Node, Replied: r.Replied, Reply: text, Hops: r.Hops,
		CodeBytes: r.CodeBytes, Bytes: r.Sent, Parcels: r.Parcels, Total: total,
		Queue: t.Queue, Link: t.Verify, Compile: t.Compile, Run: t.Run,
		Transmit: total - int64(t.Queue) - int64(t.Verify) - int64(t.Compile) - int64(t.Run),
	})
}
