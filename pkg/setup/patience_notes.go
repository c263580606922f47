// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// patienceNotes name the fields of time-outs and retries that change nothing.
func patienceNotes(in *v1alpha1.Workload, path *field.Path) []string {
	var notes []string
	for i := range in.Clients {
		c, at := &in.Clients[i], path.Child("clients").Index(i)
		notes = append(append(notes, timeoutNotes(c.Timeout, at.Child("timeout"))...), retryNotes(c.Retry, at.Child("retry"))...)
	}
	for _, t := range Traces(in, path) {
		notes = append(append(notes, timeoutNotes(t.Timeout, t.Path.Child("timeout"))...), retryNotes(t.Retry, t.Path.Child("retry"))...)
	}
	return notes
}

func timeoutNotes(in *v1alpha1.Timeout, path *field.Path) []string {
	if in == nil || in.FirstToken == "" || in.Total == "" || in.FirstToken.Duration() < in.Total.Duration() {
		return nil
	}
	return []string{fmt.Sprintf("%s: has no effect, since %s is not shorter than total, %s", path.Child("firstToken"), in.FirstToken, in.Total)}
}

// defaultMultiplier is that of the schema.
const defaultMultiplier = 2

func retryNotes(in *v1alpha1.Retry, path *field.Path) []string {
	if in == nil || in.Backoff.Duration() > 0 {
		return nil
	}
	var notes []string
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"multiplier", in.Multiplier.Float() != defaultMultiplier}, {"maxBackoff", in.MaxBackoff != ""}, {"jitter", in.Jitter.Float() != 0},
	} {
		if f.set {
			notes = append(notes, fmt.Sprintf("%s: has no effect, since backoff is 0s: retries come at once", path.Child(f.name)))
		}
	}
	return notes
}
