package simulate
import ("testing";"flag")
var one=flag.Int("one",107,"")
func TestDbg(t *testing.T){
 _,c,err:=run(uint64(*one),hooks{})
 t.Logf("%+v",c)
 if err!=nil {t.Fatal(err)}
}
