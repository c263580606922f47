// SPDX-License-Identifier: Apache-2.0

// Package ports opens a port for each of several servers, and closes all of them together.
package ports

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/net/netutil"
)

// Limits bound what clients may hold of a server.
type Limits struct {
	// Connections is how many a server has at once; more wait until one closes.
	Connections int
	// HeadTimeout is the time for the head of a request, IdleTimeout that between two requests.
	HeadTimeout, IdleTimeout time.Duration
}

// Open opens a port for each of n servers. One address has them all, at ports from the given one
// on; several have one each, all at the same port. Port 0 is any free one. On an error no port
// stays open.
func Open(ctx context.Context, addresses []string, port, n int) (open []net.Listener, err error) {
	if len(addresses) != 1 && len(addresses) != n {
		return nil, fmt.Errorf("there are %d addresses for %d replicas: name one, or one for each replica", len(addresses), n)
	}
	defer func() {
		if err != nil {
			Close(open)
			open = nil
		}
	}()
	for i := range n {
		address, at := addresses[0], port
		if len(addresses) > 1 {
			address = addresses[i]
		} else if port > 0 {
			at = port + i
		}
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(address, strconv.Itoa(at)))
		if err != nil {
			return open, err
		}
		open = append(open, listener)
	}
	return open, nil
}

// Close closes ports.
func Close(open []net.Listener) {
	for _, listener := range open {
		_ = listener.Close() // a port that is not closed has been closed before
	}
}

// Serve serves a handler at each port until the context ends or a server fails. Then all ports and
// their connections are closed.
func Serve(ctx context.Context, open []net.Listener, handlers []http.Handler, limits Limits) error {
	servers, ended := make([]*http.Server, len(open)), make(chan error, len(open))
	for i, listener := range open {
		// No request has ctx: what it sends as ctx ends would look whole before its connection closes.
		servers[i] = &http.Server{Handler: handlers[i], ReadHeaderTimeout: limits.HeadTimeout, IdleTimeout: limits.IdleTimeout}
		go func() { ended <- servers[i].Serve(netutil.LimitListener(listener, limits.Connections)) }()
	}
	var failed error
	waiting := len(servers)
	select {
	case <-ctx.Done():
	case failed = <-ended:
		waiting--
	}
	for _, s := range servers {
		failed = errors.Join(failed, s.Close())
	}
	for range waiting {
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}
