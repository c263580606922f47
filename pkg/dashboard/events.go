// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const eventStream = "text/event-stream"

// Times of streams.
const (
	// aliveInterval is how often a stream has a line, since kubectl port-forward closes quiet ones.
	aliveInterval = 15 * time.Second
	// rightsInterval is how often a stream asks whether its reader may still see the object.
	rightsInterval = time.Minute
	// shortestInterval is between two events of a stream, however fast an object changes.
	shortestInterval = time.Second
	// retryInterval is after how long a browser connects again, in milliseconds.
	retryInterval = 3000
)

// events tells when the object of the path changes.
func (v *view) events() error {
	return v.stream(func(k Key) bool { return k == v.object.Key }, func() (string, error) {
		object, err := v.Source.Get(v.Context(), v.object.Key)
		if errors.Is(err, ErrNotFound) {
			return "deleted", nil
		}
		if err != nil {
			return "", err
		}
		return object.Version, nil
	}, func() error {
		_, err := v.get()
		return err
	})
}

// listEvents tells when something changes in the list that the reader sees.
func (v *view) listEvents() error {
	version := func() (string, error) {
		seen, err := v.readable()
		if err != nil {
			return "", err
		}
		return versionOf(seen), nil
	}
	return v.stream(func(Key) bool { return true }, version, func() error { _, err := version(); return err })
}

// stream sends an event with the version of what a page shows whenever that is another one. The
// browser tells the last version that it has: as Last-Event-ID when it connects again, and at first
// as a parameter. allowed is asked again and again; an error of it ends the stream.
func (v *view) stream(concerns func(Key) bool, version func() (string, error), allowed func() error) error {
	sub, end, err := v.hub.subscribe(v.reader.Name(), concerns)
	if err != nil {
		return err
	}
	defer end()
	last := cmp.Or(v.Request.Header.Get("Last-Event-ID"), v.FormValue("since"))
	w := &eventWriter{ResponseController: http.NewResponseController(v.ResponseWriter), to: v.ResponseWriter}
	v.ResponseWriter.Header().Set("Content-Type", eventStream)
	w.lastLong()
	w.write(fmt.Sprintf("retry: %d\n\n", retryInterval))
	if v.Method == http.MethodHead {
		return nil
	}
	alive, rights := v.Clock.NewTicker(aliveInterval), v.Clock.NewTicker(rightsInterval)
	defer alive.Stop()
	defer rights.Stop()
	for w.err == nil {
		now, err := version()
		if err != nil {
			return nil //nolint:nilerr // the stream has begun: the browser only learns of its end
		}
		if now != last {
			w.write(fmt.Sprintf("id: %s\nevent: changed\ndata: %s\n\n", now, now))
			last = now
			if !v.rest(sub) {
				return nil
			}
		}
		if !v.wait(sub, w, alive.C(), rights.C(), allowed) {
			return nil
		}
	}
	return nil
}

// rest waits between two events. It is false if the stream is over.
func (v *view) rest(sub *subscription) bool {
	select {
	case <-v.Context().Done():
		return false
	case <-v.Ended:
		return false
	case <-sub.lost:
		return false
	case <-v.Clock.After(shortestInterval):
		return true
	}
}

// wait waits for a change, and keeps the stream alive meanwhile. It is false if the stream is over.
func (v *view) wait(sub *subscription, w *eventWriter, alive, rights <-chan time.Time, allowed func() error) bool {
	for w.err == nil {
		select {
		case <-v.Context().Done():
			return false
		case <-v.Ended:
			return false
		case <-sub.lost:
			return false
		case <-sub.changed:
			return true
		case <-alive:
			w.write(": alive\n\n")
		case <-rights:
			reader, err := v.Guard.Reader(v.Request)
			if err != nil {
				return false
			}
			v.reader = reader
			if allowed() != nil {
				return false
			}
		}
	}
	return false
}

// eventWriter writes to a stream, up to the first error.
type eventWriter struct {
	*http.ResponseController
	to  http.ResponseWriter
	err error
}

// lastLong has the stream outlive the time that a server gives to other answers.
func (w *eventWriter) lastLong() {
	_ = w.SetReadDeadline(time.Time{}) // a server without deadlines may not know how
	_ = w.SetWriteDeadline(time.Time{})
}

func (w *eventWriter) write(text string) {
	if w.err != nil {
		return
	}
	if _, w.err = w.to.Write([]byte(text)); w.err == nil {
		w.err = w.Flush()
	}
}
