// SPDX-License-Identifier: Apache-2.0

// Package discovery finds the replicas of pools that are pods: by the DNS names of headless Services, and by
// whether they say that they serve.
package discovery

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// healthTimeout is how long a replica may take to say that it serves.
const healthTimeout = time.Second

// Service is the headless Service of a pool's replicas.
type Service struct {
	Pool, Host string
	Port       uint16
}

// ParseService reads POOL=HOST:PORT.
func ParseService(text string) (Service, error) {
	pool, address, _ := strings.Cut(text, "=")
	host, port, err := net.SplitHostPort(address)
	n, wrong := strconv.ParseUint(port, 10, 16)
	if pool == "" || host == "" || err != nil || wrong != nil {
		return Service{}, fmt.Errorf("%q: must be POOL=SERVICE:PORT", text)
	}
	return Service{pool, host, uint16(n)}, nil
}

// Finder finds replicas.
type Finder struct {
	// Lookup is that of a [net.Resolver].
	Lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
	Client *http.Client
}

// Serving returns the replicas of a Service that serve, by their addresses. EPPs take IPv4 addresses alone.
func (f *Finder) Serving(ctx context.Context, s Service) ([]netip.AddrPort, error) {
	found, err := f.Lookup(ctx, "ip4", s.Host)
	if unknown := (*net.DNSError)(nil); errors.As(err, &unknown) && unknown.IsNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find the replicas of pool %s: %w", s.Pool, err)
	}
	slices.SortFunc(found, netip.Addr.Compare)
	found = slices.Compact(found)
	serves := make([]bool, len(found))
	var group errgroup.Group
	for i, at := range found {
		group.Go(func() error {
			serves[i] = f.serves(ctx, netip.AddrPortFrom(at, s.Port))
			return nil
		})
	}
	_ = group.Wait() // no error
	var all []netip.AddrPort
	for i, at := range found {
		if serves[i] {
			all = append(all, netip.AddrPortFrom(at, s.Port))
		}
	}
	return all, nil
}

// serves reports whether a replica says so. DNS knows for some time of one that has ended.
func (f *Finder) serves(ctx context.Context, at netip.AddrPort) bool {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at.String()+"/health", nil)
	if err != nil {
		return false
	}
	answer, err := f.Client.Do(request)
	if err != nil {
		return false
	}
	return answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
}
