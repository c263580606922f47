// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

func TestConcurrencyDetector(t *testing.T) {
	cases := map[string]struct {
		parameters       string
		requests, tokens []int64
		want             []int
		wantSaturation   float64
	}{
		"requests":           {"{maxConcurrency: 10}", []int64{9, 10, 11}, []int64{1e9, 0, 0}, []int{0}, 1},
		"headroom":           {"{maxConcurrency: 10, headroom: 0.19}", []int64{10, 11, 3}, []int64{0, 0, 0}, []int{0, 2}, 0.8},
		"tokens":             {"{concurrencyMode: tokens, maxTokenConcurrency: 100}", []int64{1e9, 0, 0}, []int64{99, 100, 101}, []int{0}, 1},
		"both":               {"{concurrencyMode: hybrid, maxConcurrency: 10, maxTokenConcurrency: 100}", []int64{5, 10, 0}, []int64{90, 0, 110}, []int{0}, 1},
		"defaults":           {"{}", []int64{99, 100, 50}, []int64{0, 0, 0}, []int{0, 2}, 0.83},
		"it may leave none":  {"{maxConcurrency: 1}", []int64{1, 2, 3}, []int64{0, 0, 0}, []int{}, 2},
		"default of a token": {"{concurrencyMode: tokens}", []int64{0, 0, 0}, []int64{999999, 1000000, 1000001}, []int{0}, 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := plant(t, "plugins: [{type: concurrency-detector, parameters: "+tc.parameters+"}]\nflowControl: {saturationDetector: {pluginRef: concurrency-detector}}", unlabelled(3)...)
			load := s.Load(config.InFlightLoadProducerType)
			copy(load.Requests, tc.requests)
			copy(load.Tokens, tc.tokens)
			if diff := cmp.Diff(tc.want, s.Decide(idle(3), request(0, 1)).Candidates); diff != "" {
				t.Errorf("candidates (-want +got):\n%s", diff)
			}
			if got := s.Detector.Saturation(&s.Cycle); got != tc.wantSaturation {
				t.Errorf("saturation %v, want %v", got, tc.wantSaturation)
			}
		})
	}
}

func TestParametersOfConcurrencyDetector(t *testing.T) {
	checkParameterFaults(t, "concurrency-detector", "{maxConcurrency: 0, headroom: -1, maxTokenConcurrency: -1, concurrencyMode: both}",
		`maxConcurrency: Invalid value: 0: must be greater than 0`,
		`headroom: Invalid value: -1: must not be negative`,
		`maxTokenConcurrency: Invalid value: -1: must be greater than 0`,
		`concurrencyMode: Unsupported value: "both": supported values: "hybrid", "requests", "tokens"`)
	checkParameterFaults(t, "concurrency-detector", "{maxConcurrency: '100'}", `maxConcurrency: Invalid value: "100": must be a whole number`)
}

// Before router-v0.9 the filter knows what is in flight, and the saturation detector
// does not: who is shed of two requests of negative priority.
func TestOldConcurrencyDetector(t *testing.T) {
	const body = `plugins: [{type: concurrency-detector, parameters: {maxConcurrency: 1}}%s]
%s`
	const producer, detecting = ", {type: inflight-load-producer}", "saturationDetector: {pluginRef: concurrency-detector}"
	for name, tc := range map[string]struct {
		version, producer, section string
		want                       error
	}{
		"as a filter":        {"gie-v1.5.0", producer, "", policy.ErrNoEndpoint},
		"which asks nobody":  {"gie-v1.5.0", "", "", nil},
		"unless it is asked": {"scheduler-520af478", "", "", policy.ErrNoEndpoint},
		"as the detector":    {"scheduler-520af478", producer, detecting + "\nschedulingProfiles: [{name: default}]", nil},
		"as it is told now":  {"router-v0.9.0", producer, detecting + "\nschedulingProfiles: [{name: default}]", policy.ErrShed},
	} {
		s := inVersion(t, tc.version, fmt.Sprintf(body, tc.producer, tc.section), config.Cluster{Endpoints: 1})
		var err error
		for n := range 2 {
			r := request(n, 100)
			r.Priority = -1
			_, err = s.Route(idle(1), r)
		}
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
}
