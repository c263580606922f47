// SPDX-License-Identifier: Apache-2.0

package policy

// A Force replaces the picks of a router. It gets the ID of a request, the endpoints that
// the router chose among, in order, and the one that the router chose, and returns one of
// them: chosen leaves the pick as it is. It must not keep the slice.
//
// The router asks it after it has drawn and scored, and before the router's own index and
// counters get the pick. So all that follows is as if the router had chosen that
// endpoint, and random streams are where they would be. A router asks again for a request
// that it routes again. Of several profiles, the pick is that of the endpoint that decodes.
type Force func(request int, candidates []int, chosen int) int

// A Forcible router lets a [Force] replace its picks; nil ends that. Endpoints are numbered
// as the router's own view numbers them.
type Forcible interface {
	Force(force Force)
}
