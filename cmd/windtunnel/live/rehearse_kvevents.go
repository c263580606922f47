// SPDX-License-Identifier: Apache-2.0

package live

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/live/kvevents"
	policy "windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

// eventPlugins are the types of plugins that say where an EPP reads KV events, and of those without which these do not
// start.
var eventPlugins = []string{"precise-prefix-cache-producer", "precise-prefix-cache-scorer", "endpoint-notification-source", "token-producer", "tokenizer"}

// reference names a plugin of an EndpointPickerConfig.
type reference struct {
	PluginRef string `json:"pluginRef"`
}

// eventsOf is what an EndpointPickerConfig says of KV events. It may have plugins that Windtunnel does not know.
func eventsOf(text []byte, version string) (*config.Config, error) {
	type plugin struct {
		Name       string `json:"name,omitempty"`
		Type       string `json:"type"`
		Parameters any    `json:"parameters,omitempty"`
	}
	type source struct {
		reference
		Extractors []reference `json:"extractors"`
	}
	type pickerConfig struct {
		APIVersion string   `json:"apiVersion"`
		Kind       string   `json:"kind"`
		Plugins    []plugin `json:"plugins"`
		DataLayer  struct {
			Sources []source `json:"sources"`
		} `json:"dataLayer"`
	}
	var document pickerConfig
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	document.Plugins = slices.DeleteFunc(document.Plugins, func(p plugin) bool { return !slices.Contains(eventPlugins, p.Type) })
	unknown := func(r reference) bool {
		return !slices.ContainsFunc(document.Plugins, func(p plugin) bool { return cmp.Or(p.Name, p.Type) == r.PluginRef })
	}
	data := &document.DataLayer
	data.Sources = slices.DeleteFunc(data.Sources, func(s source) bool { return unknown(s.reference) })
	for i := range data.Sources {
		data.Sources[i].Extractors = slices.DeleteFunc(data.Sources[i].Extractors, unknown)
	}
	known, err := yaml.Marshal(document)
	if err != nil {
		return nil, err
	}
	loaded, errs := policy.Load(known, version, nil)
	return loaded, errs.ToAggregate()
}

// publishAsRead has the replicas publish KV events where an EPP reads them, if it does. An EPP that connects to
// each replica finds all at one port, so that each has an address of its own.
func (o *engineOptions) publishAsRead(c *config.Config, replicas int) error {
	var read policy.EventSockets
	for _, w := range policy.PreciseWirings(c) {
		switch {
		case !w.Hears:
			continue
		case read != policy.EventSockets{} && read != w.Sockets:
			return cli.BadInput(fmt.Errorf("plugin %s: kvEventsConfig: all plugins must read KV events at the same address and ports", w.Name))
		case w.Sockets.Engine != "" && w.Sockets.Engine != "vllm":
			return cli.BadInput(fmt.Errorf("plugin %s: kvEventsConfig.engineType %s: the replicas publish KV events as vllm does", w.Name, w.Sockets.Engine))
		}
		read = w.Sockets
		if read.Listens == "" {
			continue
		}
		var err error
		if o.kvEvents, err = reached(read.Listens); err != nil {
			return cli.BadInput(fmt.Errorf("plugin %s: kvEventsConfig.zmqEndpoint %w", w.Name, err))
		}
	}
	if read.Listens != "" || read.Port == 0 {
		return nil
	}
	o.addresses, o.kvEvents = loopbackAddresses(replicas), portOfEach(read.Port)
	if read.ReplayPort > 0 {
		o.kvReplay = portOfEach(read.ReplayPort)
	}
	return nil
}

func portOfEach(port int) string { return "tcp://*:" + strconv.Itoa(port) }

// loopbackAddresses are 127.0.0.1 and the next ones.
func loopbackAddresses(n int) []string {
	first := binary.BigEndian.Uint32([]byte{127, 0, 0, 1})
	var all []string
	for i := range n {
		var of [4]byte
		binary.BigEndian.PutUint32(of[:], first+uint32(i))
		all = append(all, netip.AddrFrom4(of).String())
	}
	return all
}

// reached is where a replica reaches an EPP that listens at a ZMQ address.
func reached(listens string) (string, error) {
	at, tcp := strings.CutPrefix(listens, "tcp://")
	host, port, err := net.SplitHostPort(at)
	ip, _ := netip.ParseAddr(host)
	switch {
	case tcp && err == nil && (host == "*" || ip.IsUnspecified()):
		return "tcp://127.0.0.1:" + port, nil
	case tcp && err == nil && (host == "localhost" || ip.IsLoopback()):
		return listens, nil
	}
	return "", fmt.Errorf("%q: the EPP of a rehearsal listens on this machine: use tcp://*:PORT", listens)
}

// readerTimeout is how long an EPP that is ready may take to read KV events. Both sides try again each second or
// after 5 seconds where they do not reach each other.
const readerTimeout = 15 * time.Second

// awaitReaders waits until the EPP reads the KV events of all replicas, if there are some.
func awaitReaders(ctx context.Context, p *kvevents.Publisher) error {
	if p == nil {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, readerTimeout, fmt.Errorf("the EPP did not ask within %v", readerTimeout))
	defer cancel()
	return p.AwaitReaders(ctx)
}
