// SPDX-License-Identifier: Apache-2.0

package live

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/live/rehearse"
	"windtunnel.dev/windtunnel/pkg/result"
)

// recording is what was live of a rehearsal. A file has it as JSON, compressed by gzip.
type recording struct {
	EPP rehearse.Recording `json:"epp"`
	// Metrics are those of the engines, and of the client.
	Metrics []result.Metrics `json:"metrics"`
	Client  client           `json:"client"`
}

func (r *recording) write(w io.Writer) error {
	z := gzip.NewWriter(w)
	return errors.Join(json.NewEncoder(z).Encode(r), z.Close())
}

// readRecording reads the rehearsal of a workload with a number of replicas.
func readRecording(name string, of *measurement, replicas int) (*recording, error) {
	refuse := func(err error) error { return cli.BadInput(fmt.Errorf("--recorded %s: %w", name, err)) }
	file, err := os.Open(name)
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("--recorded: %w", err))
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		return nil, refuse(err)
	}
	r := &recording{}
	if err := json.NewDecoder(z).Decode(r); err != nil {
		return nil, refuse(err)
	}
	if r.EPP.Scrapes == nil {
		return nil, refuse(errors.New("it has no field epp: --record writes it"))
	}
	if n := len(r.EPP.Scrapes); n != replicas {
		return nil, refuse(fmt.Errorf("it is of %d replicas, and the run has %d", n, replicas))
	}
	requests, err := of.requests()
	if err != nil {
		return nil, err
	}
	if requests >= 0 && r.Client.Sent != requests {
		return nil, refuse(fmt.Errorf("it is of %d requests, and the run has %d", r.Client.Sent, requests))
	}
	return r, nil
}
