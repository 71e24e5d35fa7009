package main
import ("context";"fmt";"os"; "github.com/godwit-run/godwit"; "strings";"time")
func main(){
 p,err:=godwit.CompileFile(os.Args[1]); if err!=nil { fmt.Println(err); os.Exit(1)}
 t:=time.Now()
 f,err:=p.Func(""); if err!=nil { fmt.Println(err); os.Exit(1)}
 fmt.Println("func", time.Since(t))
 a:=godwit.Args{}
 for _,s:=range os.Args[3:] { n,v,_:=strings.Cut(s,"="); a[n]=godwit.Text(v) }
 r,err:=f.Call(context.Background(),a,godwit.WithEngine(os.Args[2])); if err!=nil { fmt.Println(err); os.Exit(1)}
 fmt.Println(r, r.Type()); fmt.Printf("%+v\n", r.Stats)
}
