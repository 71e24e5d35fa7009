package machine

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"sync"

	"github.com/BurntSushi/toml"
)

// In: the text of a machine.toml, from calibration or from a person who asks what if. Out: a
// Machine in which every time is a positive number, every curve ascends, and nothing is left out
// that the costs need.

//go:embed default.toml
var standard []byte

// Default describes a machine of which nothing was measured.
var Default = sync.OnceValue(func() *Machine {
	m, err := Parse(standard)
	if err != nil {
		panic(err) // a test reads it
	}
	m.Measured = ""
	return m
})

// file is a Machine as TOML has it: a curve is a table of amounts and times.
type file struct {
	Name       string                `toml:"name"`
	Measured   string                `toml:"measured"`
	Processors int                   `toml:"processors"`
	Cycle      float64               `toml:"cycle_ns"`
	Wake       float64               `toml:"wake_ns"`
	Hand       float64               `toml:"hand_ns,omitempty"`
	Together   float64               `toml:"together,omitempty"`
	Interpret  float64               `toml:"interpret_ns,omitempty"`
	Touch      [2]float64            `toml:"touch_ns"`
	Ways       [3]float64            `toml:"file_ns"`
	Decode     map[string][2]float64 `toml:"decode_ns,omitempty"`
	Memory     []fileMemory          `toml:"memory"`
	Link       fileLink              `toml:"link"`
	Far        *fileLink             `toml:"far,omitempty"`
	Engines    map[string]fileEngine `toml:"engine"`
}

type fileMemory struct {
	Threads int          `toml:"threads"`
	Read    [][4]float64 `toml:"read"`
	Write   [][4]float64 `toml:"write"`
	Fresh   [][4]float64 `toml:"fresh"`
	Random  [][4]float64 `toml:"random"`
	Chase   [][4]float64 `toml:"chase"`
	File    [][4]float64 `toml:"file"`
	Copy    [][4]float64 `toml:"copy,omitempty"`
	Whole   [][4]float64 `toml:"whole,omitempty"`
}

type fileLink struct {
	RoundTrip [3]float64 `toml:"round_trip_ns"`
	Byte      [3]float64 `toml:"byte_ns"`
	Parcel    [3]float64 `toml:"parcel_ns"`
}

type fileEngine struct {
	VectorBytes int                   `toml:"vector_bytes"`
	Call        float64               `toml:"call_ns"`
	Launch      float64               `toml:"launch_ns"`
	Compile     float64               `toml:"compile_ns"`
	Kept        float64               `toml:"kept_ns,omitzero"`
	Random      float64               `toml:"random,omitzero"`
	Error       float64               `toml:"error"`
	Off         map[string][2]float64 `toml:"off,omitempty"`
	Classes     map[string][2]float64 `toml:"class_ns"`
	Steps       map[string]float64    `toml:"step_ns,omitempty"`
}

// usual is Machine.Interpret where it was not measured.
const usual = 13

// keptPart is which part of Engine.Compile Engine.Kept is where it was not measured.
const keptPart = 1.0 / 64

func (f fileLink) link() Link {
	return Link{RoundTrip: interval(f.RoundTrip), Byte: interval(f.Byte), Parcel: interval(f.Parcel)}
}

func (l Link) file() fileLink { return fileLink{l.RoundTrip.row(), l.Byte.row(), l.Parcel.row()} }

// Parse reads a description. Errors say what is wrong and where.
func Parse(text []byte) (*Machine, error) {
	var f file
	meta, err := toml.Decode(string(text), &f)
	if err != nil {
		return nil, err
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("nothing is called %q in a description of a machine", unknown[0].String())
	}
	m := &Machine{Name: f.Name, Measured: f.Measured, Processors: f.Processors, Cycle: f.Cycle, Wake: f.Wake, Hand: cmp.Or(f.Hand, f.Wake), Together: f.Together, Interpret: cmp.Or(f.Interpret, usual), Touch: f.Touch, Ways: f.Ways, Memory: map[int]Memory{}, Engines: map[string]*Engine{}}
	for form, t := range f.Decode {
		if m.Decode == nil {
			m.Decode = map[string]Decode{}
		}
		m.Decode[form] = Decode{t[0], t[1]}
	}
	m.Link = f.Link.link()
	if f.Far != nil {
		far := f.Far.link()
		m.Far = &far
	}
	for i := range f.Memory {
		f := &f.Memory[i]
		m.Memory[f.Threads] = Memory{curve(f.Read), curve(f.Write), curve(f.Fresh), curve(f.Random), curve(f.Chase), curve(f.File), curve(f.Copy), curve(f.Whole)}.filled()
	}
	for name, e := range f.Engines {
		own := &Engine{VectorBytes: e.VectorBytes, Call: e.Call, Launch: e.Launch, Compile: e.Compile, Random: cmp.Or(e.Random, 1), Error: e.Error, Off: e.Off, Classes: map[string]Class{}}
		if own.Kept = e.Kept; own.Kept == 0 && name == "native" {
			own.Kept = short(keptPart * own.Compile)
		}
		for class, t := range e.Classes {
			own.Classes[class] = Class{t[0], t[1], 0}
		}
		for class, t := range e.Steps {
			c, ok := own.Classes[class]
			if !ok {
				return nil, fmt.Errorf("step_ns.%s of the engine %s: expected a class of class_ns", class, name)
			}
			c.Step = t
			own.Classes[class] = c
		}
		m.Engines[name] = own
	}
	return m, m.check()
}

// filled takes for what was not measured what is most like it.
func (x Memory) filled() Memory {
	if len(x.Copy) == 0 {
		x.Copy = x.File
	}
	if len(x.Whole) == 0 {
		x.Whole = x.Copy
	}
	return x
}

func interval(t [3]float64) Spread { return Spread{t[0], t[1], t[2]} }

func (s Spread) row() [3]float64 { return [3]float64{short(s.P10), short(s.P50), short(s.P90)} }

func curve(list [][4]float64) (c Curve) {
	for _, p := range list {
		c = append(c, Point{p[0], Spread{p[1], p[2], p[3]}})
	}
	return c
}

func (c Curve) rows() (list [][4]float64) {
	for _, p := range c {
		list = append(list, [4]float64{p.At, short(p.Time.P10), short(p.Time.P50), short(p.Time.P90)})
	}
	return list
}

// short keeps four digits, more than any time is worth.
func short(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	unit := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*unit) / unit
}

// head explains the file to whoever edits it.
const head = `# What this machine can do, measured by "godwit calibrate". Times are in nanoseconds. A row of a
# curve is an amount in bytes, then the time that a tenth, half and nine tenths of the measurements were below:
# read, write, fresh (first write to a page) and file for a byte, random and chase for an access; copy and whole for a byte
# of a caller's memory that is copied for WebAssembly, in windows and as a whole.
# link is the way to the nodes of a cluster, until a client has measured it: a round trip, a byte of many, a parcel of many.
# far, if there is one, is likewise the way to far memory, godwit far; without it that is taken to be as far as other nodes.
# touch_ns is the first write to a page, for a byte: page by page, and in huge pages; new results take the quicker; zeros if that was not measured.
# file_ns is the time for a byte of a file in the page cache: read, mapped, and mapped and brought in by faults; a short file takes the quickest, a long one tries all.
# decode_ns is what it takes to decode files of a form: the time for a byte of the file, and for a value; what is not there is taken from what is like it.
# wake_ns is how long it takes until a second thread helps; class_ns has for each class of operation the time for one value and for a vector of them,
# step_ns the time until another operation can use its result; interpret_ns an operation of a kernel that is interpreted.
# compile_ns is what it takes to make code of a kernel, kept_ns to bring native code from disk that was made before.
# random of an engine is how many times as long as that of memory an access waits, where the engine has fewer of them under way.
# off has the factors of the expected time that a tenth and nine tenths of measured times were below: for code that no data steers, that
# reads memory at random, of which data decides how often it runs, and of which runs with the same arguments, half the size and an eighth were seen.
# Edit a copy to ask what if: godwit run --stats --machine copy.toml PROGRAM ARGUMENTS

`

// Text writes a description that Parse reads, with an explanation for people.
func (m *Machine) Text() ([]byte, error) {
	text, err := m.Short()
	return append([]byte(head), text...), err
}

// Short writes it without the explanation.
func (m *Machine) Short() ([]byte, error) {
	f := file{Name: m.Name, Measured: m.Measured, Processors: m.Processors, Cycle: short(m.Cycle), Wake: short(m.Wake), Hand: short(m.Hand), Together: short(m.Together), Interpret: short(m.Interpret), Touch: [2]float64{short(m.Touch[0]), short(m.Touch[1])}, Ways: [3]float64{short(m.Ways[0]), short(m.Ways[1]), short(m.Ways[2])}, Engines: map[string]fileEngine{}}
	for form, d := range m.Decode {
		if f.Decode == nil {
			f.Decode = map[string][2]float64{}
		}
		f.Decode[form] = [2]float64{short(d.Byte), short(d.Value)}
	}
	f.Link = m.Link.file()
	if m.Far != nil {
		far := m.Far.file()
		f.Far = &far
	}
	for _, threads := range m.threads() {
		x := m.Memory[threads]
		f.Memory = append(f.Memory, fileMemory{threads, x.Read.rows(), x.Write.rows(), x.Fresh.rows(), x.Random.rows(), x.Chase.rows(), x.File.rows(), x.Copy.rows(), x.Whole.rows()})
	}
	for name, e := range m.Engines {
		own := fileEngine{VectorBytes: e.VectorBytes, Call: short(e.Call), Launch: short(e.Launch), Compile: short(e.Compile), Kept: short(e.Kept), Random: short(e.Random), Error: short(e.Error), Off: map[string][2]float64{}, Classes: map[string][2]float64{}, Steps: map[string]float64{}}
		for kind, off := range e.Off {
			own.Off[kind] = [2]float64{short(off[0]), short(off[1])}
		}
		for class, t := range e.Classes {
			own.Classes[class] = [2]float64{short(t.One), short(t.Vector)}
			if t.Step > 0 {
				own.Steps[class] = short(t.Step)
			}
		}
		f.Engines[name] = own
	}
	var b bytes.Buffer
	enc := toml.NewEncoder(&b)
	enc.Indent = ""
	err := enc.Encode(f)
	return b.Bytes(), err
}
