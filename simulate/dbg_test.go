package simulate
import ("testing";"flag";"fmt";"time";"os")
var one=flag.Int("one",-1,"")
func TestDbg(t *testing.T){
 if *one>=0 {
 _,c,err:=run(uint64(*one),hooks{})
 t.Logf("%+v",c)
 if err!=nil {t.Fatal(err)}
 return
 }
 for s:=range 300 { t0:=time.Now(); _,c,err:=run(uint64(s),hooks{}); if d:=time.Since(t0); d>200*time.Millisecond|| err!=nil {fmt.Fprintln(os.Stderr,s,d,c.Net.Sent,c.ByProgram, err!=nil)}}
}
