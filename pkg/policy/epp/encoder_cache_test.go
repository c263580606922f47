// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

func TestPromptsOfTextAreNotInAnyEncoderCache(t *testing.T) {
	c := mustLoad(t, "plugins: [{type: mm-embeddings-cache-scorer}]")
	want := "mm-embeddings-cache-scorer [single-profile-handler] [max-score-picker] " + madeRest + " [mm-embeddings-cache-producer] [token-producer]"
	if diff := cmp.Diff(want, pluginNames(c)); diff != "" {
		t.Errorf("plugins (-want +got):\n%s", diff)
	}
	s := New(c, config.Cluster{Endpoints: 2}, 1)
	view := &policy.View{Scrapes: make([]policy.Scrape, 2), Changed: []int32{}}
	for n := range 2 {
		route(t, s, view, request(n, 1))
		if diff := cmp.Diff([]float64{0, 0}, s.LastResult().Scores); diff != "" {
			t.Errorf("scores (-want +got):\n%s", diff)
		}
	}
	checkParameterFaults(t, "mm-embeddings-cache-producer", "{cacheSizeInMB: 5}", `cacheSizeInMB: Forbidden: unknown field; there are cacheSizeInMBPerServer`)
	checkParameterFaults(t, "mm-embeddings-cache-scorer", "{producer: x}", `producer: Forbidden: unknown field; there are producerName`)
}
