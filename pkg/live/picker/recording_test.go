// SPDX-License-Identifier: Apache-2.0

package picker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net"
	"path/filepath"
	"sync"
	"testing"

	extproc "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

var update = flag.Bool("update", false, "record the sessions of testdata anew, with the real EPP")

// A recording is one session of the protocol, as lines of JSON: each message, and who sent it.
type recording struct {
	mu    sync.Mutex
	lines []line
}

type line struct {
	From    sender          `json:"from"`
	Message json.RawMessage `json:"message"`
}

type sender string

const (
	fromClient sender = "client"
	fromEPP    sender = "epp"
)

func (r *recording) add(from sender, m proto.Message) error {
	raw, err := protojson.Marshal(m)
	if err != nil {
		return err
	}
	compact := &bytes.Buffer{} // protojson puts blanks at random
	if err := json.Compact(compact, raw); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line{from, compact.Bytes()})
	return nil
}

func (r *recording) write(t *testing.T, file string) {
	t.Helper()
	out := &bytes.Buffer{}
	for _, l := range r.lines {
		if err := json.NewEncoder(out).Encode(l); err != nil {
			t.Fatal(err)
		}
	}
	testfile.Write(t, file, out.Bytes())
}

func readRecording(t *testing.T, file string) *recording {
	t.Helper()
	raw := testfile.Read(t, file)
	r := &recording{}
	for in := json.NewDecoder(bytes.NewReader(raw)); ; {
		var l line
		err := in.Decode(&l)
		if errors.Is(err, io.EOF) {
			return r
		}
		if err != nil {
			t.Fatal(err)
		}
		r.lines = append(r.lines, l)
	}
}

// recorder is an EPP that passes everything on to another one, and records it.
type recorder struct {
	extproc.UnimplementedExternalProcessorServer
	to extproc.ExternalProcessorClient
	recording
}

func (r *recorder) Process(client extproc.ExternalProcessor_ProcessServer) error {
	epp, err := r.to.Process(client.Context())
	if err != nil {
		return err
	}
	go func() {
		for {
			m, err := client.Recv()
			if err != nil {
				_ = epp.CloseSend()
				return
			}
			if r.add(fromClient, m) != nil || epp.Send(m) != nil {
				return
			}
		}
	}()
	for {
		m, err := epp.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := errors.Join(r.add(fromEPP, m), client.Send(m)); err != nil {
			return err
		}
	}
}

// player is an EPP that says what is recorded, and wants to hear what is recorded.
type player struct {
	extproc.UnimplementedExternalProcessorServer
	t *testing.T
	*recording
}

func (p *player) Process(client extproc.ExternalProcessor_ProcessServer) error {
	for _, l := range p.lines {
		if l.From == fromEPP {
			m := &extproc.ProcessingResponse{}
			if err := errors.Join(protojson.Unmarshal(l.Message, m), client.Send(m)); err != nil {
				return err
			}
			continue
		}
		want := &extproc.ProcessingRequest{}
		if err := protojson.Unmarshal(l.Message, want); err != nil {
			return err
		}
		got, err := client.Recv()
		if err != nil {
			return err
		}
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
			p.t.Errorf("the client says (−recorded +got):\n%s", diff)
		}
	}
	if _, err := client.Recv(); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// serve serves an EPP until the test ends, and returns a client of it.
func serve(t *testing.T, epp extproc.ExternalProcessorServer) *Client {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	extproc.RegisterExternalProcessorServer(server, epp)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return newClient(t, listener.Addr().String())
}

func newClient(t *testing.T, address string) *Client {
	t.Helper()
	c, err := NewClient(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// session returns a client of the recorded session of a name. With -update it is a client of the
// real EPP, and the session is recorded.
func session(t *testing.T, name string, start func(*testing.T) *Client) *Client {
	t.Helper()
	file := filepath.Join("testdata", name+".jsonl")
	if !*update {
		return serve(t, &player{t: t, recording: readRecording(t, file)})
	}
	r := &recorder{to: start(t).rpc}
	t.Cleanup(func() { r.write(t, file) })
	return serve(t, r)
}
