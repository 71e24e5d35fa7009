package pack

import (
	"crypto/ed25519"
	"slices"

	"pgregory.net/rapid"
)

// section draws a section that is right by itself.
func section(t *rapid.T) Section {
	features := rapid.SliceOfNDistinct(rapid.StringMatching(featureRule.re().String()), 0, 4, rapid.ID[string]).Draw(t, "features")
	slices.Sort(features)
	if len(features) == 0 {
		features = nil
	}
	return Section{
		Arch:     rapid.SampledFrom([]string{"amd64", "arm64", "riscv64", "x"}).Draw(t, "arch"),
		Features: features,
		Form:     Form(rapid.IntRange(1, int(forms)-1).Draw(t, "form")),
		Bytes:    rapid.SliceOfN(rapid.Byte(), 1, 50).Draw(t, "bytes"),
	}
}

// key draws a private key.
func key(t *rapid.T) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(rapid.SliceOfN(rapid.Byte(), ed25519.SeedSize, ed25519.SeedSize).Draw(t, "seed"))
}

// drawn draws a package, signed or not.
func drawn(t *rapid.T) *Package {
	p := &Package{
		Name:     rapid.StringMatching(nameRule.re().String()).Draw(t, "name"),
		Deps:     rapid.SliceOfNDistinct(rapid.StringMatching(depRule.re().String()), 0, 3, rapid.ID[string]).Draw(t, "libraries"),
		Sections: rapid.SliceOfN(rapid.Custom(section), 1, 5).Draw(t, "sections"),
	}
	if len(p.Deps) == 0 {
		p.Deps = nil
	}
	slices.SortFunc(p.Sections, Compare)
	p.Sections = slices.CompactFunc(p.Sections, func(a, b Section) bool { return Compare(a, b) == 0 })
	if rapid.Bool().Draw(t, "signed") {
		if err := p.Sign(key(t)); err != nil {
			t.Fatal(err)
		}
	}
	return p
}
