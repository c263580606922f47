// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// minClampNote is the share of its mean by which clamping must move the mean of lengths,
// for a note to say so.
const minClampNote = 0.05

// clampNotes name the lengths of clients whose mean is another after rounding and clamping
// to min and max. Equal lengths are looked at once.
func clampNotes(in *v1alpha1.Workload, path *field.Path) []string {
	var notes []string
	known := map[string]string{}
	note := func(l *v1alpha1.Lengths, at *field.Path) {
		bounded := *l
		bounded.Max = nil
		key := fmt.Sprintf("%+v, at most %d", bounded, ptr.Deref(l.Max, 0))
		if _, ok := known[key]; !ok {
			known[key] = clampNote(l)
		}
		if text := known[key]; text != "" {
			notes = append(notes, fmt.Sprintf("%s: %s", at, text))
		}
	}
	for i := range in.Clients {
		c, at := &in.Clients[i], path.Child("clients").Index(i)
		note(&c.InputTokens, at.Child("inputTokens"))
		note(&c.OutputTokens, at.Child("outputTokens"))
	}
	return notes
}

// clampNote says what the mean is after clamping, or nothing where it is about the same.
func clampNote(in *v1alpha1.Lengths) string {
	switch in.Distribution {
	case v1alpha1.ConstantLengths, v1alpha1.UniformLengths, v1alpha1.ZipfLengths, v1alpha1.HistogramLengths:
		return "" // min and max are where they end, if anywhere
	}
	lengths := buildLengths(*in)
	before := lengths.Distribution.Expectation()
	after, standardError := lengths.ClampedMean()
	if moved := math.Abs(after - before); moved < minClampNote*before || moved < 4*standardError {
		return ""
	}
	return fmt.Sprintf("the mean is %.0f tokens before min and max clamp lengths, and about %s after", before, twoDigits(after))
}

// twoDigits writes a number of tokens with two digits that count.
func twoDigits(tokens float64) string {
	unit := 1.0
	for tokens/unit >= 100 {
		unit *= 10
	}
	return fmt.Sprintf("%.0f", math.Round(tokens/unit)*unit)
}
