package godwit_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/godwit-run/godwit"
)

func Example() {
	prog, err := godwit.Compile(`
fn sum_vector(v: &[f32; N]) -> f32 { v.iter().sum() }`)
	if err != nil {
		log.Fatal(err)
	}
	f, err := prog.Func("sum_vector")
	if err != nil {
		log.Fatal(err)
	}
	res, err := f.Call(context.Background(), godwit.Args{"v": []float32{1, 2, 3.5}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res)
	// Output: 6.5
}

// A table binds to an array of records by the names of its columns.
func ExampleFunc_Call_file() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "flights.csv")
	if err := os.WriteFile(path, []byte("delay,distance,origin\n20,150,SFO\n5,120,JFK\n40,180,SFO\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	prog, err := godwit.Compile(`
record Flight { delay: i16, distance: i16 }
fn mean_delay(f: &[Flight; N] @ Disk) -> [f64; 3] @ RAM {
    f.filter(|r| r.delay > 15).group_by::<3>(|r| r.distance / 100).mean(|r| r.delay as f64)
}`)
	if err != nil {
		log.Fatal(err)
	}
	f, err := prog.Func("")
	if err != nil {
		log.Fatal(err)
	}
	res, err := f.Call(context.Background(), godwit.Args{"f": godwit.File(path)})
	if err != nil {
		log.Fatal(err)
	}
	means, err := godwit.As[[]float64](res)
	fmt.Println(means, err)
	// Output: [NaN 30 NaN] <nil>
}

// Records are structs and Option is a pointer, on the way in and out.
func ExampleAs() {
	prog, err := godwit.Compile(`
record Reading { station: u32, value: Option<f32> }
fn filled(r: &[Reading; N], d: f32) -> [Reading; N] {
    r.map(|e| Reading { station: e.station, value: Some(e.value.or(d)) })
}`)
	if err != nil {
		log.Fatal(err)
	}
	f, err := prog.Func("filled")
	if err != nil {
		log.Fatal(err)
	}
	type Reading struct {
		Station uint32
		Value   *float32
	}
	value := float32(2.5)
	res, err := f.Call(context.Background(), godwit.Args{"r": []Reading{{1, &value}, {2, nil}}, "d": -1})
	if err != nil {
		log.Fatal(err)
	}
	list, err := godwit.As[[]Reading](res)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range list {
		fmt.Println(r.Station, *r.Value)
	}
	// Output:
	// 1 2.5
	// 2 -1
}

// A fault names the line and the first element.
func ExampleFault() {
	prog, err := godwit.Compile(`fn add(v: &[i32; N]) -> [i32; N] { v.map(|e| e + 1) }`)
	if err != nil {
		log.Fatal(err)
	}
	f, err := prog.Func("add")
	if err != nil {
		log.Fatal(err)
	}
	_, err = f.Call(context.Background(), godwit.Args{"v": []int32{1, 2147483647}})
	var fault *godwit.Fault
	if errors.As(err, &fault) {
		fmt.Println(fault.Code, fault.Line, fault.Index, fault.Text)
	}
	// Output: R01 1 1 i32 addition overflows
}
