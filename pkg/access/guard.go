// SPDX-License-Identifier: Apache-2.0

package access

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/cache"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/utils/clock"

	"windtunnel.dev/windtunnel/pkg/kube"
)

// How long answers are remembered. The doc of the package gives the reasons.
const (
	allowedFor = 30 * time.Second
	deniedFor  = 5 * time.Second
)

// reviewTimeout bounds one question to the API server, with what is tried again. Of the known clients,
// the one that waits shortest waits for 10 s, and a request has three questions and a read.
const reviewTimeout = 2 * time.Second

// retries are those of a question that the API server could not answer.
var retries = wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.2, Steps: 3}

// maxRights bounds the answers that are remembered.
const maxRights = 8192

// Right is what a user may do with an object, or with all objects of a kind where Name is empty,
// in all namespaces where Namespace is. With a Path it is what a user may do with a path.
type Right struct {
	Verb, Group, Resource, Subresource, Namespace, Name, Path string
}

// Guard says who asks, and what a user may do. It is safe for concurrent use.
type Guard struct {
	api    *kube.Client
	tokens *tokens
	rights *cache.LRUExpireCache
}

// New returns a guard that asks an API server, where it needs the rights to create TokenReviews
// and SubjectAccessReviews.
func New(api *kube.Client) *Guard { return newGuard(api, clock.RealClock{}) }

func newGuard(api *kube.Client, now cache.Clock) *Guard {
	return &Guard{api: api, tokens: newTokens(api, now), rights: cache.NewLRUExpireCacheWithClock(maxRights, now)}
}

// User returns whose a token is. The error is ErrUnauthenticated if the cluster does not know the
// token, and another one if the cluster does not answer.
func (g *Guard) User(ctx context.Context, token string) (user.Info, error) {
	return g.tokens.user(ctx, token)
}

// May reports whether a user has one of several rights. A cluster that does not answer is an error.
func (g *Guard) May(ctx context.Context, u user.Info, anyOf ...Right) (bool, error) {
	for _, r := range anyOf {
		if may, err := g.may(ctx, u, r); may || err != nil {
			return may, err
		}
	}
	return false, nil
}

func (g *Guard) may(ctx context.Context, u user.Info, r Right) (bool, error) {
	review := &authorizationv1.SubjectAccessReview{Spec: question(u, r)}
	raw, err := json.Marshal(review.Spec) // with the names of maps in order
	if err != nil {
		return false, err
	}
	key := sha256.Sum256(raw)
	if known, ok := g.rights.Get(key); ok {
		return known.(bool), nil
	}
	ctx, cancel := context.WithTimeout(ctx, reviewTimeout)
	defer cancel()
	if err := ask(ctx, g.api, authorizationv1.SchemeGroupVersion.WithResource("subjectaccessreviews"), review); err != nil {
		return false, fmt.Errorf("ask for the rights of %s: %w", u.GetName(), err)
	}
	may, lasts := review.Status.Allowed && !review.Status.Denied, allowedFor
	if !may {
		lasts = deniedFor
	}
	g.rights.Add(key, may, lasts)
	return may, nil
}

// question is what the cluster is asked about a user.
func question(u user.Info, r Right) authorizationv1.SubjectAccessReviewSpec {
	spec := authorizationv1.SubjectAccessReviewSpec{User: u.GetName(), UID: u.GetUID(), Groups: u.GetGroups()}
	for name, values := range u.GetExtra() { // in any order
		if spec.Extra == nil {
			spec.Extra = map[string]authorizationv1.ExtraValue{}
		}
		spec.Extra[name] = values
	}
	if r.Path != "" {
		spec.NonResourceAttributes = &authorizationv1.NonResourceAttributes{Verb: r.Verb, Path: r.Path}
		return spec
	}
	spec.ResourceAttributes = &authorizationv1.ResourceAttributes{
		Verb: r.Verb, Group: r.Group, Version: "*", Resource: r.Resource, Subresource: r.Subresource, Namespace: r.Namespace, Name: r.Name,
	}
	return spec
}

// ask creates a review, until the cluster answers or says what another try would not change.
func ask(ctx context.Context, api *kube.Client, reviews schema.GroupVersionResource, review runtime.Object) error {
	var last error
	err := wait.ExponentialBackoffWithContext(ctx, retries, func(ctx context.Context) (bool, error) {
		last = api.Create(ctx, reviews, "", review)
		if last != nil && !mayPass(last) {
			return false, last
		}
		return last == nil, nil
	})
	if last != nil {
		return last
	}
	return err
}

// mayPass reports whether an error may be gone a moment later.
func mayPass(err error) bool {
	return utilnet.IsConnectionReset(err) || utilnet.IsHTTP2ConnectionLost(err) ||
		apierrors.IsInternalError(err) || apierrors.IsTimeout(err) || apierrors.IsTooManyRequests(err)
}
