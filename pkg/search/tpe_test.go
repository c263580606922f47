// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/search"
)

func TestTPEBeatsRandom(t *testing.T) { checkBeatsRandom(t, search.TPE, 100, manyTasks) }

func BenchmarkTPE(b *testing.B) { benchmarkFresh(b, search.TPE) }
