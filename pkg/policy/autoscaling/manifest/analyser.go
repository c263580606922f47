// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"regexp"
	"sync"
)

// analyserField tells a ConfigMap of a workload-variant-autoscaler. Other programs have lists of analyzers too, of names.
var analyserField = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(kvCacheThreshold|queueLengthThreshold|kvSpareTrigger|queueSpareTrigger|analyzerName|scaleUpThreshold|scaleDownBoundary|enableLimiter)\b` +
		`|\banalyzers["']?[ \t]*:[\s\[{-]*["']?(type|name|enabled|score)["']?[ \t]*:`)
})

// MentionsAnalyser reports whether a text has a field of a workload-variant-autoscaler.
func MentionsAnalyser(text []byte) bool { return analyserField().Match(text) }
