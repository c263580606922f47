// SPDX-License-Identifier: Apache-2.0

package native

// A loadSignal says how busy an endpoint is: by the router's own count of requests in
// flight, which has no delay and misses the requests of other routers, or by the waiting
// requests of the last scrape.
type loadSignal struct{ queue bool }

// readLoadSignal reads the parameter load: own-count, the default, or queue.
func readLoadSignal(r *reader) loadSignal {
	return loadSignal{queue: r.Choice("load", "the requests that this router sent there and that have not ended, without delay, or the waiting requests of the last scrape", "own-count", "queue") == "queue"}
}

func (l loadSignal) build(b *builder) {
	if !l.queue {
		b.count()
	}
}

func (l loadSignal) of(r *round, endpoint int) int {
	if l.queue {
		return r.view.Scrapes[endpoint].Waiting
	}
	return r.inFlight[endpoint]
}
