// SPDX-License-Identifier: Apache-2.0

package dataframe

import (
	"bytes"
	"io"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"windtunnel.dev/windtunnel/pkg/result"
)

func TestRequestsAreReadAsTheyWereWritten(t *testing.T) {
	want := []result.RequestRow{
		{
			Object: "a", Point: 1, Seed: 42, Request: 7, ArrivalSeconds: 1.5, Measured: true, Class: "chat", Tenant: "acme",
			Pool: new("llama"), Replica: new("llama/0"), Outcome: "completed",
			TTFTSeconds: new(0.25), TPOTSeconds: new(0.0), E2ESeconds: new(0.5), PromptTokens: 100, OutputTokens: new(int64(2)),
			GPUTokens: new(int64(16)), CPUTokens: new(int64(0)), StorageTokens: new(int64(0)), ComputedTokens: new(int64(84)), RemoteTokens: new(int64(0)),
		},
		{Object: "a", Outcome: "rejected", Reason: new("shed")},
	}
	var part, whole bytes.Buffer
	w := NewRequestWriter(&part)
	for i := range want {
		if err := w.Write(&want[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w = NewRequestWriter(&whole)
	if err := w.Append(bytes.NewReader(part.Bytes())); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{"written": part.Bytes(), "appended": whole.Bytes()} {
		got, err := parquet.Read[result.RequestRow](bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, −want +got:\n%s", name, diff)
		}
	}
	if !bytes.Equal(part.Bytes(), whole.Bytes()) {
		t.Error("a part and what it was appended to have other bytes")
	}
}

// Ten times the requests take no more memory: what is held is a row group.
func TestRequestsAreStreamed(t *testing.T) {
	held := func(requests int) uint64 {
		w := NewRequestWriter(io.Discard)
		row := result.RequestRow{Object: "a", Outcome: "completed", Pool: new("llama"), Replica: new("llama/0")}
		for i := range requests {
			row.Request, row.ArrivalSeconds = int64(i), float64(i)*0.37
			if err := w.Write(&row); err != nil {
				t.Fatal(err)
			}
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		runtime.KeepAlive(w)
		return m.HeapAlloc
	}
	// Both end in the middle of a row group.
	few, many := held(rowGroupRequests*3/2), held(rowGroupRequests*31/2)
	if many > few+few/2 {
		t.Errorf("%d bytes are held after ten times the requests, and %d before", many, few)
	}
}
