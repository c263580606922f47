// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"errors"
	"net/http"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// ErrUnknownReader says that a request does not prove who sends it.
var ErrUnknownReader = errors.New("unknown reader")

// Attributes say what a reader wants to do, as a SubjectAccessReview has it.
type Attributes struct {
	Verb, Group, Resource string
	// Namespace is "" for all, and Name is "" for all of the namespace.
	Namespace, Name string
}

// Reader is who sends a request.
type Reader interface {
	// Name is what the reader is called.
	Name() string
	// May reports whether the reader may do something.
	May(ctx context.Context, what Attributes) (bool, error)
}

// Guard knows readers.
type Guard interface {
	// Reader returns who sends a request, or ErrUnknownReader.
	Reader(r *http.Request) (Reader, error)
}

// Everyone is a guard that lets each reader see everything: for pages that only their own user
// can reach, and whose source has the rights of that user.
type Everyone struct{}

// Reader implements [Guard].
func (Everyone) Reader(*http.Request) (Reader, error) { return anyone{}, nil }

type anyone struct{}

func (anyone) Name() string                                  { return "" }
func (anyone) May(context.Context, Attributes) (bool, error) { return true, nil }

// may reports whether a reader may do something with objects of a resource.
func may(ctx context.Context, reader Reader, verb string, key Key) (bool, error) {
	return reader.May(ctx, Attributes{
		Verb: verb, Group: v1alpha1.GroupVersion.Group, Resource: string(key.Resource), Namespace: key.Namespace, Name: key.Name,
	})
}

// mayReadResults reports whether a reader may read the results of objects in a namespace: the rows
// are in its ConfigMaps, and reports quote others to which a spec refers. So the pages show nothing
// that the reader could not read with kubectl.
func mayReadResults(ctx context.Context, reader Reader, namespace string) (bool, error) {
	return reader.May(ctx, Attributes{Verb: "get", Resource: "configmaps", Namespace: namespace})
}
