// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

// The report of a precise index says what of it is not as it is, and what keeps it
// from working.
func TestReportOfAPreciseIndex(t *testing.T) {
	const wired = "kvEventsConfig: {zmqEndpoint: tcp}"
	for name, tc := range map[string]struct {
		tokens, parameters string
		want, without      string
	}{
		"This is correct":    {realTokens, wired, "all events arrive 20ms late", "no engine's events"},
		"nobody wires it":    {realTokens, "", "no engine's events reach it", ""},
		"estimated tokens":   {"{type: token-producer}", wired, "estimated tokens never match", ""},
		"an index that ends": {realTokens, wired + ", indexerConfig: {kvBlockIndexConfig: {inMemoryConfig: {size: 1000, podCacheSize: 10}}}", "never runs full, as it does at 1000 blocks", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := mustLoad(t, "plugins: ["+tc.tokens+", {type: precise-prefix-cache-producer, parameters: {"+tc.parameters+"}}]")
			for _, r := range c.Report(&config.Cluster{Endpoints: 1, EventLag: 20 * time.Millisecond}) {
				if r.Type != precisePrefixCacheProducerType {
					continue
				}
				if r.Treatment != config.Approximated || !strings.Contains(r.Note, tc.want) || tc.without != "" && strings.Contains(r.Note, tc.without) {
					t.Errorf("%s: %q, want %q in it and not %q", r.Treatment, r.Note, tc.want, tc.without)
				}
			}
		})
	}
}
