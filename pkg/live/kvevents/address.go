// SPDX-License-Identifier: Apache-2.0

package kvevents

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

// Address is where the events of a replica go.
type Address struct {
	// Endpoint is as ZMQ has it: tcp://HOST:PORT.
	Endpoint string
	// Binds says that readers connect to the endpoint; otherwise a reader listens there.
	Binds bool
}

// Addresses are those of replicas, of an address as vLLM has it and the host of each replica. As in vLLM, each
// replica listens if the address has * or [::], and connects to it otherwise. A replica listens at its own host;
// replicas of one host have successive ports, as vLLM's data-parallel ranks have.
func Addresses(of string, hosts []string) ([]Address, error) {
	at, tcp := strings.CutPrefix(of, "tcp://")
	host, text, err := net.SplitHostPort(at)
	port, notNumber := strconv.Atoi(text)
	if !tcp || err != nil || notNumber != nil || host == "" || port < 1 || port > 65535 {
		return nil, fmt.Errorf("%q must be tcp://HOST:PORT, with * as the host for that of each replica", of)
	}
	all, used := make([]Address, len(hosts)), map[string]int{}
	for i, own := range hosts {
		all[i] = Address{Endpoint: of}
		if host != "*" && host != "::" {
			continue
		}
		at := port + used[own]
		used[own]++
		if at > 65535 {
			return nil, fmt.Errorf("%q: %d replicas at %s need ports above 65535", of, len(hosts), own)
		}
		all[i] = Address{Endpoint: "tcp://" + net.JoinHostPort(own, strconv.Itoa(at)), Binds: true}
	}
	return all, nil
}
