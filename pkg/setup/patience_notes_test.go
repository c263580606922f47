// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

func TestPatienceNotes(t *testing.T) {
	for name, tc := range map[string]struct {
		timeout *v1alpha1.Timeout
		retry   *v1alpha1.Retry
		want    []string // below the client and the trace
	}{
		"none":          {},
		"two time-outs": {timeout: &v1alpha1.Timeout{FirstToken: "5s", Total: "30s"}},
		"one time-out":  {timeout: &v1alpha1.Timeout{FirstToken: "5s"}},
		"a first token that may come late": {timeout: &v1alpha1.Timeout{FirstToken: "1m", Total: "30s"},
			want: []string{"timeout.firstToken: has no effect, since 1m is not shorter than total, 30s"}},
		"a backoff": {retry: &v1alpha1.Retry{Backoff: "1s", Multiplier: "3", Jitter: "0.5", MaxBackoff: "1m"}},
		"at once":   {retry: &v1alpha1.Retry{Backoff: "0s", Multiplier: "2", Jitter: "0"}},
		"no backoff": {retry: &v1alpha1.Retry{Backoff: "0s", Multiplier: "3", Jitter: "0.5", MaxBackoff: "1m"}, want: []string{
			"retry.multiplier: has no effect, since backoff is 0s: retries come at once",
			"retry.maxBackoff: has no effect, since backoff is 0s: retries come at once",
			"retry.jitter: has no effect, since backoff is 0s: retries come at once",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			in := &v1alpha1.Workload{
				Clients: []v1alpha1.Client{{Timeout: tc.timeout, Retry: tc.retry}},
				Trace:   &v1alpha1.Trace{Timeout: tc.timeout, Retry: tc.retry},
			}
			var want []string
			for _, source := range []string{"w.clients[0].", "w.trace."} {
				for _, text := range tc.want {
					want = append(want, source+text)
				}
			}
			if diff := cmp.Diff(want, patienceNotes(in, field.NewPath("w"))); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}
