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

func numbersOf(lines []keptLine) []int {
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
func aDecision(request int, rejected bool, random *rand.Rand, bytes int) *Decision {
	d := &Decision{Explanation: &scheduler.Explanation{Request: scheduler.ExplainedRequest{ID: request}}}
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
	told := 0
	k := decisionRecorder{first: 3, next: func(*Decision) { told++ }}
	for request := range 10 {
		k.decided(aDecision(request, request == 1 || request > 7, nil, 0))
	}
	packed := k.pack(5, 0)
	if diff := cmp.Diff([]int{0, 1, 2, 8, 9}, numbersOf(unpack(t, packed))); diff != "" || told != 10 {
		t.Errorf("%d told; kept (−want +got):\n%s", told, diff)
	}
}

func TestKeepersSayWhatTheyLeaveOut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	k := decisionRecorder{first: 1000}
	for request := range 1000 {
		k.decided(aDecision(request, false, random, 2000))
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

	k = decisionRecorder{first: 1}
	for request := range maxKeptRejections + 12 {
		k.decided(aDecision(request, true, nil, 0))
	}
	if lines = unpack(t, k.pack(5, 0)); lines[len(lines)-1].LeftOut != 11 {
		t.Errorf("of too many rejected the last line says %+v", lines[len(lines)-1])
	}

	k = decisionRecorder{first: 100}
	for request := range 20 {
		k.decided(aDecision(request, false, random, 1<<20))
	}
	if k.leftOut == 0 || k.bytes > maxLineBytes+2<<20 {
		t.Errorf("%d MiB in memory", k.bytes>>20)
	}
}

// keptLine is what tests look at.
type keptLine struct {
	Seed    int64
	Request struct{ ID int }
	LeftOut int
}

func unpack(t *testing.T, packed []byte) []keptLine {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var lines []keptLine
	for d := json.NewDecoder(z); d.More(); {
		var l keptLine
		if err := d.Decode(&l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	return lines
}
