// SPDX-License-Identifier: Apache-2.0

package access

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-logr/logr"
	"k8s.io/apiserver/pkg/authentication/user"
)

type userKey struct{}

// UserOf returns whose request a handler behind [Guard.Authenticated] has.
func UserOf(ctx context.Context) user.Info {
	u, _ := ctx.Value(userKey{}).(user.Info)
	return u
}

// Bearer returns the token in the header Authorization, or nothing.
func Bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// Authenticated calls a handler for requests with a token that the cluster knows. All others have
// the status 401, or 503 if the cluster does not answer.
func (g *Guard) Authenticated(tokenOf func(*http.Request) string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u, err := g.User(r.Context(), tokenOf(r))
		if err != nil {
			Refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), userKey{}, u)))
	})
}

// Paths calls a handler for requests of users who may use the method, in lower case, on the path.
func (g *Guard) Paths(log logr.Logger, next http.Handler) http.Handler {
	allowed := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u := UserOf(r.Context())
		switch may, err := g.May(r.Context(), u, Right{Verb: strings.ToLower(r.Method), Path: r.URL.Path}); {
		case err != nil:
			Refuse(w, r, err)
		case !may:
			http.Error(w, fmt.Sprintf("the user %s may not %s %s", u.GetName(), strings.ToLower(r.Method), r.URL.Path), http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
	known := g.Authenticated(Bearer, allowed)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		known.ServeHTTP(w, r.WithContext(logr.NewContext(r.Context(), log)))
	})
}

// Refuse answers an error of a guard with the status 401 or 503. What the cluster did not answer
// goes to the log, and not to the client.
func Refuse(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, ErrUnauthenticated) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	logr.FromContextOrDiscard(r.Context()).Error(err, "The cluster does not say who may read")
	w.Header().Set("Retry-After", "5")
	http.Error(w, "the cluster does not say who may read; try again", http.StatusServiceUnavailable)
}
