// SPDX-License-Identifier: Apache-2.0

package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/live/kvevents"
	"windtunnel.dev/windtunnel/pkg/live/vllm"
)

// mapEvents is the first release of vLLM whose KV events are maps (#42892).
const mapEvents vllm.Version = 24

// publisher is that of the KV events of all replicas, or nil if no flag asks for them.
func (o *engineOptions) publisher(ctx context.Context, pools pools, servers []vllm.Options, open []net.Listener) (*kvevents.Publisher, error) {
	if o.kvEvents == "" {
		return nil, nil
	}
	var hosts []string
	for _, l := range open {
		host, _, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			return nil, err
		}
		hosts = append(hosts, host)
	}
	addresses, err := kvevents.Addresses(o.kvEvents, hosts)
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("--kv-events: %w", err))
	}
	replays := make([]kvevents.Address, len(hosts))
	if o.kvReplay != "" {
		if replays, err = kvevents.Addresses(o.kvReplay, hosts); err != nil || !replays[0].Binds {
			return nil, cli.BadInput(fmt.Errorf("--kv-events-replay: %w", cmp.Or(err, errors.New("replicas listen there: use tcp://*:PORT"))))
		}
	}
	var all []kvevents.Options
	for i, pool := range pools.config.Pools {
		format := kvevents.Arrays
		if servers[i].Version >= mapEvents {
			format = kvevents.Maps
		}
		for range pool.Replicas {
			n := len(all)
			all = append(all, kvevents.Options{
				Address: addresses[n], Replay: replays[n].Endpoint, Pod: open[n].Addr().String(), Model: servers[i].Names[0],
				BlockTokens: pool.BlockTokens, Format: format, Now: time.Now,
			})
		}
	}
	p, err := kvevents.Open(ctx, all)
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("publish KV events: %w", err))
	}
	return p, nil
}
