// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"net/http"

	"k8s.io/apiserver/pkg/authentication/user"

	"windtunnel.dev/windtunnel/pkg/access"
	"windtunnel.dev/windtunnel/pkg/dashboard"
)

// Guard has a cluster say who readers are and what they may do. It implements [dashboard.Guard].
type Guard struct{ Access *access.Guard }

// Reader implements [dashboard.Guard].
func (g Guard) Reader(r *http.Request) (dashboard.Reader, error) {
	u, err := g.user(r.Context(), dashboard.TokenOf(r))
	if err != nil {
		return nil, err
	}
	return reader{g.Access, u}, nil
}

// Check is nil for a token that the cluster knows. It is what [dashboard.Login] needs.
func (g Guard) Check(ctx context.Context, token string) error {
	_, err := g.user(ctx, token)
	return err
}

func (g Guard) user(ctx context.Context, token string) (user.Info, error) {
	u, err := g.Access.User(ctx, token)
	if errors.Is(err, access.ErrUnauthenticated) {
		return nil, dashboard.ErrUnknownReader
	}
	return u, err
}

// reader is a user of the cluster.
type reader struct {
	access *access.Guard
	user   user.Info
}

func (r reader) Name() string { return r.user.GetName() }

func (r reader) May(ctx context.Context, a dashboard.Attributes) (bool, error) {
	return r.access.May(ctx, r.user, access.Right{Verb: a.Verb, Group: a.Group, Resource: a.Resource, Namespace: a.Namespace, Name: a.Name})
}
