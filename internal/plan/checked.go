package plan

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// Checked are kernels that have been verified, for many predictions of one schedule: to verify one takes many times as long as to predict it.
type Checked map[*kernel.Kernel]*verify.Safe

// remembering are the options for several predictions, one after the other.
func (o Options) remembering() Options {
	if o.Checked == nil {
		o.Checked = Checked{}
	}
	return o
}

func (o *Options) check(k *kernel.Kernel) (*verify.Safe, error) {
	if safe := o.Checked[k]; safe != nil {
		return safe, nil
	}
	safe, err := verify.Check(k)
	if err == nil && o.Checked != nil {
		o.Checked[k] = safe
	}
	return safe, err
}
