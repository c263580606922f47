// SPDX-License-Identifier: Apache-2.0

package access

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/apiserver/pkg/authentication/user"

	"windtunnel.dev/windtunnel/pkg/kube"
)

// How long it is remembered whose a token is, and that it is invalid.
const (
	knownFor   = time.Minute
	refusedFor = 10 * time.Second
)

const (
	// maxTokens bounds the tokens that are remembered.
	maxTokens = 4096
	// maxToken bounds a token, in bytes. Those of service accounts have about 1,000.
	maxToken = 16 << 10
	// maxReviews bounds the questions that are asked at once. Clients without rights, each with a new token,
	// must not load the API server through this one.
	maxReviews = 16
)

// ErrUnauthenticated says that the cluster does not know a token.
var ErrUnauthenticated = errors.New("the request needs a bearer token that the cluster accepts")

// tokens says whose tokens are. It keeps digests of tokens, not tokens.
type tokens struct {
	api   *kube.Client
	known *cache.LRUExpireCache
	slots chan struct{}
}

func newTokens(api *kube.Client, now cache.Clock) *tokens {
	return &tokens{api: api, known: cache.NewLRUExpireCacheWithClock(maxTokens, now), slots: make(chan struct{}, maxReviews)}
}

// user returns whose a token is, or ErrUnauthenticated.
func (t *tokens) user(ctx context.Context, token string) (user.Info, error) {
	if token == "" || len(token) > maxToken {
		return nil, ErrUnauthenticated
	}
	key := sha256.Sum256([]byte(token))
	if known, ok := t.known.Get(key); ok {
		return answer(known.(*user.DefaultInfo))
	}
	of, err := t.review(ctx, token)
	if err != nil {
		return nil, fmt.Errorf("ask whose a token is: %w", err)
	}
	lasts := knownFor
	if of == nil {
		lasts = refusedFor
	}
	t.known.Add(key, of, lasts)
	return answer(of)
}

// answer is that of a review: nil is an invalid token.
func answer(of *user.DefaultInfo) (user.Info, error) {
	if of == nil {
		return nil, ErrUnauthenticated
	}
	return of, nil
}

// review asks the API server whose a token is; nil is an invalid token.
func (t *tokens) review(ctx context.Context, token string) (*user.DefaultInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, reviewTimeout)
	defer cancel()
	select {
	case t.slots <- struct{}{}:
		defer func() { <-t.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	r := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}
	if err := ask(ctx, t.api, authenticationv1.SchemeGroupVersion.WithResource("tokenreviews"), r); err != nil {
		return nil, err
	}
	if !r.Status.Authenticated || r.Status.User.Username == "" {
		return nil, nil
	}
	u := &user.DefaultInfo{Name: r.Status.User.Username, UID: r.Status.User.UID, Groups: r.Status.User.Groups, Extra: map[string][]string{}}
	for name, values := range r.Status.User.Extra {
		u.Extra[name] = values
	}
	return u, nil
}
