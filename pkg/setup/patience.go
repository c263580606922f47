// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// RetriesRequests reports whether some requests are sent again.
func RetriesRequests(in *v1alpha1.Workload) bool {
	return anyTrace(in, func(t Trace) bool { return t.Retry != nil }) ||
		slices.ContainsFunc(in.Clients, func(c v1alpha1.Client) bool { return c.Retry != nil })
}

// TimesOut reports whether some clients give requests up.
func TimesOut(in *v1alpha1.Workload) bool {
	return anyTrace(in, func(t Trace) bool { return t.Timeout != nil }) ||
		slices.ContainsFunc(in.Clients, func(c v1alpha1.Client) bool { return c.Timeout != nil })
}

// buildTimeout returns the times for the first token and for the last one; 0 is none.
func buildTimeout(in *v1alpha1.Timeout) (firstToken, total time.Duration) {
	if in == nil {
		return 0, 0
	}
	return in.FirstToken.Duration(), in.Total.Duration()
}

// buildRetry returns the retries of requests with a time-out.
func buildRetry(in *v1alpha1.Retry, timeout *v1alpha1.Timeout, path *field.Path) (*workload.Retry, field.ErrorList) {
	if in == nil {
		return nil, nil
	}
	if timeout == nil && slices.Equal(in.After, []v1alpha1.RetryReason{v1alpha1.RetryTimedOut}) {
		return nil, field.ErrorList{field.Invalid(path.Child("after"), in.After, "no request times out without a timeout: set timeout together with retry")}
	}
	r := &workload.Retry{
		Max: int(in.Max), Backoff: in.Backoff.Duration(), MaxBackoff: in.MaxBackoff.Duration(),
		Multiplier: in.Multiplier.Float(), Jitter: in.Jitter.Float(),
	}
	for _, reason := range in.After {
		r.After = append(r.After, map[v1alpha1.RetryReason]workload.Ending{
			v1alpha1.RetryRejected: workload.Rejected, v1alpha1.RetryTimedOut: workload.TimedOut, v1alpha1.RetryFailed: workload.Failed,
		}[reason])
	}
	return r, r.Validate(path)
}
