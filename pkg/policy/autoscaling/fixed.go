// SPDX-License-Identifier: Apache-2.0

package autoscaling

import "fmt"

// fixed keeps a number of replicas of each pool.
type fixed []int

func readFixed(l *loader) func() Scaler {
	l.ignoresLoad = true
	const help = "the replicas, such as 4, or of prefill and decode, such as 2:6"
	text := l.Word("replicas", "", help)
	if !l.stated("replicas") {
		l.Require("replicas", "state "+help)
		return nil
	}
	all, wrong := l.counts(text)
	if wrong != "" {
		l.Invalid("replicas", wrong)
	}
	return func() Scaler { return fixed(all) }
}

func (f fixed) Scale(_ *View, wanted []int) Reason {
	copy(wanted, f)
	return Reason(fmt.Sprintf("always %s", listed(f)))
}
