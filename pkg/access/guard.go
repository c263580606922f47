// SPDX-License-Identifier: Apache-2.0

package access

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	authenticationv1 "k8s.io/client-go/kubernetes/typed/authentication/v1"
	authorizationv1 "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
)

// How long answers are remembered. The doc of the package gives the reasons.
const (
	allowedFor = 30 * time.Second
	deniedFor  = 5 * time.Second
)

// reviewTimeout bounds one question to the API server, with what is tried again. The least
// patient of the known clients waits for 10 s, and a request asks at most three questions.
const reviewTimeout = 3 * time.Second

// retries are those of a question that the API server could not answer.
var retries = wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.2, Steps: 3}

// Right is what a user may do with an object, or with all objects of a kind where Name is empty,
// in all namespaces where Namespace is.
type Right struct {
	Verb, Group, Resource, Subresource, Namespace, Name string
}

// Guard says who asks, and what a user may do. It is safe for concurrent use.
type Guard struct {
	tokens *tokens
	rights authorizer.Authorizer
}

// New returns a guard that asks an API server, whose rights to do so are to create TokenReviews
// and SubjectAccessReviews.
func New(config *rest.Config, api *http.Client) (*Guard, error) {
	authentication, err := authenticationv1.NewForConfigAndClient(config, api)
	if err != nil {
		return nil, err
	}
	authorization, err := authorizationv1.NewForConfigAndClient(config, api)
	if err != nil {
		return nil, err
	}
	rights, err := authorizerfactory.DelegatingAuthorizerConfig{
		SubjectAccessReviewClient: authorization,
		AllowCacheTTL:             allowedFor,
		DenyCacheTTL:              deniedFor,
		WebhookRetryBackoff:       &retries,
	}.New()
	if err != nil {
		return nil, fmt.Errorf("make the authorizer: %w", err)
	}
	return &Guard{tokens: newTokens(authentication.TokenReviews(), clock.RealClock{}), rights: rights}, nil
}

func newTokens(reviews authenticationv1.TokenReviewInterface, now cache.Clock) *tokens {
	return &tokens{
		reviews: reviews,
		known:   cache.NewLRUExpireCacheWithClock(maxTokens, now),
		slots:   make(chan struct{}, maxReviews),
	}
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
	ctx, cancel := context.WithTimeout(ctx, reviewTimeout)
	defer cancel()
	decision, _, err := g.rights.Authorize(ctx, authorizer.AttributesRecord{
		User: u, Verb: r.Verb, APIGroup: r.Group, APIVersion: "*", Resource: r.Resource, Subresource: r.Subresource,
		Namespace: r.Namespace, Name: r.Name, ResourceRequest: true,
	})
	if err != nil {
		return false, fmt.Errorf("ask for the rights of %s: %w", u.GetName(), err)
	}
	return decision == authorizer.DecisionAllow, nil
}
