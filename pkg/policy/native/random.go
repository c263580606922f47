// SPDX-License-Identifier: Apache-2.0

package native

import "windtunnel.dev/windtunnel/pkg/stats"

// random draws an endpoint, each as likely.
type random struct{ stream *stats.Stream }

func readRandom(*reader) func(*builder) chooser {
	return func(b *builder) chooser { return &random{stats.NewStream(b.seed, "native/random")} }
}

func (c *random) choose(r *round) int { return c.stream.IntN(len(r.candidates)) }
