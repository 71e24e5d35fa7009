package main

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data/digest"
	"github.com/godwit-run/godwit/internal/packages/cc"
	"github.com/godwit-run/godwit/internal/packages/pack"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

// building is one godwit cc.
type building struct {
	out, name, form, key    string
	targets, features, deps []string
	json                    bool
}

func newCC() *cobra.Command {
	b := &building{}
	cmd := &cobra.Command{
		Use:   "cc FILE.c... -o NAME.gwp [-- FLAG...]",
		Short: "Make a package of C functions that can be sent to nodes",
		Long: `Compile C with clang 19 to a package. A package counter, in counter.gwp, defines
  void counter_main(void *payload, size_t size, void *target_args)
and may call what godwit.h declares, which is found by #include "godwit.h". What
follows -- goes to clang. Nodes run a package only if it is signed by a key that
their operator trusts.`,
		Example: `  godwit cc counter.c -o counter.gwp --key ci.key
  godwit cc norm.c -o norm.gwp --targets x86_64,x86_64+avx2+fma,aarch64 --form object --dep libm.so.6 -- -O3`,
		Args: atLeastOne("the C file"),
		RunE: action(b.run),
	}
	f := cmd.Flags()
	f.StringVarP(&b.out, "out", "o", "", "the package to write, NAME.gwp")
	f.StringVar(&b.name, "name", "", "name of the package; without it, that of the file")
	f.StringSliceVar(&b.targets, "targets", []string{"x86_64", "aarch64"}, "processors: x86_64, aarch64, riscv64, each also with features, as x86_64+avx2")
	f.StringSliceVar(&b.features, "features", nil, "features that the processors must have, for all targets")
	f.StringVar(&b.form, "form", pack.Bitcode.String(), "bitcode (optimised where it runs), optimised (bitcode that is optimised already), object, or source")
	f.StringArrayVar(&b.deps, "dep", nil, "shared library that nodes load for it, as often as there are some")
	f.StringVar(&b.key, "key", "", "private key to sign with, of godwit keygen")
	f.BoolVar(&b.json, "json", false, "print what was made as JSON")
	_ = cmd.MarkFlagRequired("out")
	return cmd
}

func (b *building) run(cmd *cobra.Command, args []string) error {
	opt, err := b.options(cmd, args)
	if err != nil {
		return ccError(err)
	}
	var key ed25519.PrivateKey
	if b.key != "" {
		if key, err = trust.ReadPrivate(b.key); err != nil {
			return err
		}
	}
	built, err := cc.Build(cmd.Context(), *opt)
	if err != nil {
		return ccError(err)
	}
	if _, err := io.WriteString(cmd.ErrOrStderr(), built.Warnings); err != nil {
		return err
	}
	if key != nil {
		if err := built.Package.Sign(key); err != nil {
			return err
		}
	}
	bytes, err := pack.Encode(built.Package)
	if err != nil {
		return err
	}
	if err := os.WriteFile(b.out, bytes, 0o666); err != nil {
		return err
	}
	return b.report(cmd, built.Package, len(bytes))
}

func (b *building) options(cmd *cobra.Command, args []string) (*cc.Options, error) {
	opt := &cc.Options{Name: b.name, Sources: args, Deps: b.deps}
	if n := cmd.ArgsLenAtDash(); n >= 0 {
		opt.Sources, opt.Flags = args[:n], args[n:]
	}
	if opt.Name == "" {
		opt.Name = strings.TrimSuffix(filepath.Base(b.out), filepath.Ext(b.out))
	}
	if filepath.Ext(b.out) != ".gwp" {
		return nil, &cc.Error{Text: fmt.Sprintf("the package %s has no name that ends in .gwp", b.out), Help: "-o " + opt.Name + ".gwp"}
	}
	var err error
	if opt.Form, err = pack.ParseForm(b.form); err != nil {
		return nil, err
	}
	for _, text := range b.targets {
		t, err := cc.ParseTarget(text)
		if err != nil {
			return nil, err
		}
		opt.Targets = append(opt.Targets, t.With(b.features))
	}
	return opt, nil
}

// ccError lays a message of package cc out like those about arguments.
func ccError(err error) error {
	var e *cc.Error
	if errors.As(err, &e) {
		return &godwit.InputError{Text: e.Text, Help: e.Help}
	}
	return err
}

// packaged is what godwit cc --json prints.
type packaged struct {
	File     string         `json:"file"`
	Name     string         `json:"name"`
	ID       string         `json:"id"`
	Bytes    int            `json:"bytes"`
	Signer   string         `json:"signer"` // "" if it is not signed
	Deps     []string       `json:"deps"`
	Sections []packagedPart `json:"sections"`
}

type packagedPart struct {
	Arch     string   `json:"arch"`
	Features []string `json:"features"`
	Form     string   `json:"form"`
	Bytes    int      `json:"bytes"`
}

func (b *building) report(cmd *cobra.Command, p *pack.Package, size int) error {
	id, err := p.ID()
	if err != nil {
		return err
	}
	out := &packaged{File: b.out, Name: p.Name, ID: id.String(), Bytes: size, Deps: append([]string{}, p.Deps...)}
	if p.Signer != nil {
		out.Signer = trust.Text(p.Signer)
	}
	for _, s := range p.Sections {
		out.Sections = append(out.Sections, packagedPart{s.Arch, append([]string{}, s.Features...), s.Form.String(), len(s.Bytes)})
	}
	if b.json {
		return printJSON(cmd.OutOrStdout(), out)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s: package %s, %d bytes, hash %s\n", out.File, out.Name, out.Bytes, digest.Cut(out.ID))
	for i, s := range p.Sections {
		fmt.Fprintf(&text, "  %s, %d bytes\n", p.Sections[i].Title(), len(s.Bytes))
	}
	if p.Signer != nil {
		fmt.Fprintf(&text, "  signed by %s\n", trust.Fingerprint(p.Signer))
	} else {
		text.WriteString("  not signed, so no node runs it; sign it with --key FILE\n")
	}
	_, err = io.WriteString(cmd.OutOrStdout(), text.String())
	return err
}
