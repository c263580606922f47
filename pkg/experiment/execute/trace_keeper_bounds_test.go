// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

func numbersOf(lines []unpacked) []int {
	var ids []int
	for _, l := range lines {
		if l.LeftOut == 0 {
			ids = append(ids, l.Request.ID)
		}
	}
	return ids
}

// aDecision is of a request that is turned away, or not. Its text does not
// compress where it is random.
func aDecision(request int, rejected bool, random *rand.Rand, bytes int) *RoutingRecord {
	d := &RoutingRecord{Explanation: &scheduler.Explanation{Request: scheduler.ExplainedRequest{ID: request}}}
	if rejected {
		d.Rejected = "shed"
	}
	var text strings.Builder
	for text.Len() < bytes {
		text.WriteString(strconv.FormatUint(random.Uint64(), 36))
	}
	d.Tenant = text.String()
	return d
}

func TestKeepersKeepTheFirstAndTheRejected(t *testing.T) {
	k := traceKeeper{requests: 3}
	for request := range 10 {
		_ = k.Decision(aDecision(request, request == 1 || request > 7, nil, 0))
	}
	packed := k.pack(5, 0)
	if diff := cmp.Diff([]int{0, 1, 2, 8, 9}, numbersOf(unpack(t, packed))); diff != "" {
		t.Errorf("kept (−want +got):\n%s", diff)
	}
}

func TestKeepersSayWhatTheyLeaveOut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	k := traceKeeper{requests: 1000}
	for request := range 1000 {
		_ = k.Decision(aDecision(request, false, random, 2000))
	}
	packed := k.pack(5, store.MaxChunkBytes-100<<10)
	if len(packed) > 100<<10 {
		t.Fatalf("%d bytes do not fit beside the results", len(packed))
	}
	lines := unpack(t, packed)
	last := lines[len(lines)-1]
	if kept := len(lines) - 1; kept == 0 || last.Seed != 5 || last.LeftOut != 1000-kept {
		t.Errorf("%d kept, the last line is %+v", kept, last)
	}

	k = traceKeeper{requests: 1}
	for request := range maxKeptRejections + 12 {
		_ = k.Decision(aDecision(request, true, nil, 0))
	}
	if lines = unpack(t, k.pack(5, 0)); lines[len(lines)-1].LeftOut != 11 {
		t.Errorf("of too many rejected the last line says %+v", lines[len(lines)-1])
	}

	k = traceKeeper{requests: 100}
	for request := range 20 {
		_ = k.Decision(aDecision(request, false, random, 1<<20))
	}
	if k.leftOut == 0 || k.bytes > maxLineBytes+2<<20 {
		t.Errorf("%d MiB in memory", k.bytes>>20)
	}
}

// unpacked is what tests look at.
type unpacked struct {
	Seed    int64
	Request struct{ ID int }
	LeftOut int
}

func unpack(t *testing.T, packed []byte) []unpacked {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var lines []unpacked
	for d := json.NewDecoder(z); d.More(); {
		var l unpacked
		if err := d.Decode(&l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	return lines
}
