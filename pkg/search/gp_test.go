// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/search"
)

func TestGPBeatsRandom(t *testing.T) { checkBeatsRandom(t, search.GP, 40, manyTasks) }

func BenchmarkGP(b *testing.B) { benchmarkFresh(b, search.GP) }
