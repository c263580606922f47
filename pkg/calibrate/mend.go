// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"slices"
	"strings"
)

// Measurements that tell coefficients apart.
const (
	measureCollectives = "Measure the all-reduce between these GPUs (nccl-tests, all_reduce_perf) and give it as allReduce, or add a run on one GPU"
	measureLongPrompts = "Add a run with prompts of thousands of tokens and short answers"
	measureOneAtATime  = "Add a run with one request at a time and long answers"
	measureFullBatch   = "Add a run with maxNumSeqs requests at once"
	measureContexts    = "Add a run with many long contexts at once, or with a second model"
)

// mend is the measurement that would determine a coefficient which others make up for.
func (f *fit) mend(k int) string {
	for _, a := range f.axes {
		if a.coefficient == allReduceLatency && (f.axes[k].coefficient == layerOverhead || f.axes[k].coefficient == allReduceLatency) {
			return measureCollectives
		}
	}
	return measurementOf(f.axes[k].coefficient)
}

// measurementOf is the measurement that a coefficient has the most of.
func measurementOf(coefficient int) string {
	switch coefficient {
	case flopsShare, expertShare, tokenOverhead:
		return measureLongPrompts
	case allReduceLatency, linkShare:
		return measureCollectives
	case sequenceOverhead:
		return measureFullBatch
	default: // memoryShare, layerOverhead
		return measureContexts
	}
}

// mendAll are the measurements that have the most of several coefficients.
func (f *fit) mendAll(several []int) string {
	var all []string
	for _, k := range several {
		if m := measurementOf(f.axes[k].coefficient); !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return strings.Join(all, ". ")
}
