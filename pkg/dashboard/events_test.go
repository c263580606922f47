// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	clocktesting "k8s.io/utils/clock/testing"
)

// listener reads a stream line by line.
type listener struct {
	*testing.T
	lines chan string
}

// listen opens a stream, and returns once the source is watched.
func listen(t *testing.T, url, reader string, change ...func(*http.Request)) *listener {
	t.Helper()
	response := ask(t, http.MethodGet, url, reader, change...)
	if got := response.Header.Get("Content-Type"); got != eventStream {
		t.Fatalf("status %d, type %q", response.StatusCode, got)
	}
	l := &listener{t, make(chan string, 100)}
	go func() {
		defer close(l.lines)
		for in := bufio.NewScanner(response.Body); in.Scan(); {
			if in.Text() != "" {
				l.lines <- in.Text()
			}
		}
	}()
	return l
}

// next is the next line, or "the end".
func (l *listener) next() string {
	l.Helper()
	select {
	case line, ok := <-l.lines:
		if !ok {
			return "the end"
		}
		return line
	case <-time.After(10 * time.Second):
		l.Fatal("nothing comes")
		return ""
	}
}

func (l *listener) expect(lines ...string) {
	l.Helper()
	for _, want := range lines {
		if got := l.next(); got != want {
			l.Errorf("line %q, want %q", got, want)
		}
	}
}

// step lets the clock of a server go on once somebody waits for it.
func step(now *clocktesting.FakeClock, by time.Duration) {
	for !now.HasWaiters() {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond) // until the stream waits, and not only its tickers exist
	now.Step(by)
}

func TestStreamsTellOfChanges(t *testing.T) {
	s := newShelf(sample(Sweeps, "a", "s"), sample(Sweeps, "a", "other"))
	server, now := serve(t, s, everything())
	key := Key{Sweeps, "a", "s"}
	l := listen(t, server.URL+key.path()+"/events?since=1", "a")
	<-s.ready
	l.expect("retry: 3000")
	s.change(Key{Sweeps, "a", "other"}, "2")
	s.change(key, "2")
	l.expect("id: 2", "event: changed", "data: 2")
	// Changes within a second come as one event.
	s.change(key, "3")
	s.change(key, "4")
	step(now, time.Second)
	l.expect("id: 4", "event: changed", "data: 4")
	step(now, time.Second)
	step(now, aliveInterval)
	l.expect(": alive")
}

func TestStreamsGoOnWhereTheyWere(t *testing.T) {
	s := newShelf(sample(Sweeps, "a", "s"))
	server, now := serve(t, s, everything())
	url := server.URL + Key{Sweeps, "a", "s"}.path() + "/events?since=0"
	listen(t, url, "a").expect("retry: 3000", "id: 1", "event: changed", "data: 1")
	known := listen(t, url, "a", func(r *http.Request) { r.Header.Set("Last-Event-ID", "1") })
	known.expect("retry: 3000")
	step(now, aliveInterval)
	known.expect(": alive")
}

func TestStreamsOfListsTellOfWhatTheReaderSees(t *testing.T) {
	s := newShelf(sample(Sweeps, "a", "s"), sample(Sweeps, "b", "s"))
	server, now := serve(t, s, everything())
	l := listen(t, server.URL+"/events", "a")
	<-s.ready
	l.expect("retry: 3000")
	if got := l.next(); !strings.HasPrefix(got, "id: ") {
		t.Errorf("line %q", got)
	}
	l.next()
	l.next()
	step(now, time.Second)
	s.change(Key{Sweeps, "b", "s"}, "2")
	step(now, aliveInterval)
	l.expect(": alive")
	s.change(Key{Sweeps, "a", "s"}, "2")
	if got := l.next(); !strings.HasPrefix(got, "id: ") {
		t.Errorf("line %q", got)
	}
}

// A stream ends when its reader loses the right to it, is no longer known, or the server ends.
func TestStreamsEnd(t *testing.T) {
	for name, withdraw := range map[string]func(g *rights, ended chan struct{}){
		"a right that is withdrawn": func(g *rights, _ chan struct{}) { g.may["a"] = nil },
		"a token that has expired":  func(g *rights, _ chan struct{}) { delete(g.may, "a") },
		"a server that ends":        func(_ *rights, ended chan struct{}) { close(ended) },
	} {
		t.Run(name, func(t *testing.T) {
			g, ended := everything(), make(chan struct{})
			server, now := serve(t, newShelf(sample(Sweeps, "a", "s")), g, func(o *Options) { o.Ended = ended })
			l := listen(t, server.URL+Key{Sweeps, "a", "s"}.path()+"/events?since=1", "a")
			l.expect("retry: 3000")
			g.mu.Lock()
			withdraw(g, ended)
			g.mu.Unlock()
			step(now, rightsInterval)
			for line := l.next(); line != "the end"; line = l.next() {
				if line != ": alive" {
					t.Errorf("line %q", line)
				}
			}
		})
	}
}

// A stream outlives the time that a server gives to other answers.
func TestStreamsOutliveDeadlines(t *testing.T) {
	s := newShelf(sample(Sweeps, "a", "s"))
	server := httptest.NewUnstartedServer(New(Options{Source: s, Guard: Everyone{}}).Handler())
	server.Config.ReadTimeout, server.Config.WriteTimeout = 100*time.Millisecond, 100*time.Millisecond
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	key := Key{Sweeps, "a", "s"}
	l := listen(t, server.URL+key.path()+"/events?since=1", "")
	<-s.ready
	l.expect("retry: 3000")
	time.Sleep(300 * time.Millisecond)
	s.change(key, "2")
	l.expect("id: 2")
}

func everyKey(Key) bool { return true }

// A watch that fails ends the streams, so that browsers connect again, and the next stream has a new watch.
func TestAWatchThatFails(t *testing.T) {
	fail := make(chan error)
	watches := make(chan struct{}, 10)
	h := newHub(func(ctx context.Context, _ func(Key)) error {
		watches <- struct{}{}
		select {
		case err := <-fail:
			return err
		case <-ctx.Done():
			return nil
		}
	}, logr.Discard())
	first, end, err := h.subscribe("a", everyKey)
	if err != nil {
		t.Fatal(err)
	}
	<-watches
	fail <- errors.New("the cluster does not answer")
	<-first.lost
	second, endSecond, err := h.subscribe("a", everyKey)
	if err != nil {
		t.Fatal(err)
	}
	<-watches
	end() // of a stream that is gone already
	select {
	case <-second.lost:
		t.Error("the second stream is lost, too")
	default:
	}
	endSecond()
	if h.stop != nil || len(h.streams) != 0 || len(h.readers) != 0 {
		t.Errorf("%d streams of %d readers are left", len(h.streams), len(h.readers))
	}
}

func TestStreamsOfAFailedWatchEnd(t *testing.T) {
	server, _ := serve(t, newShelf(sample(Sweeps, "a", "s")), everything(), func(o *Options) { o.Source = unwatched{o.Source} })
	l := listen(t, server.URL+Key{Sweeps, "a", "s"}.path()+"/events?since=1", "a")
	l.expect("retry: 3000", "the end")
}

// unwatched is a source that cannot be watched.
type unwatched struct{ Source }

func (unwatched) Watch(context.Context, func(Key)) error { return errors.New("no watch") }

// One reader takes no more than a share of the streams, and all readers no more than the server has memory for.
func TestStreamsHaveALimit(t *testing.T) {
	s := newShelf(sample(Sweeps, "a", "s"))
	h := newHub(s.Watch, logr.Discard())
	var ends []func()
	for reader := range mostStreams / mostStreamsOfReader {
		for range mostStreamsOfReader {
			_, end, err := h.subscribe(strconv.Itoa(reader), everyKey)
			if err != nil {
				t.Fatal(err)
			}
			ends = append(ends, end)
		}
		if _, _, err := h.subscribe(strconv.Itoa(reader), everyKey); !errors.Is(err, errTooManyStreams) {
			t.Errorf("reader %d: %v", reader, err)
		}
	}
	if _, _, err := h.subscribe("another", everyKey); !errors.Is(err, errTooManyStreams) {
		t.Errorf("beside all others: %v", err)
	}
	ends[0]()
	ends[0]()
	if _, _, err := h.subscribe("another", everyKey); err != nil {
		t.Errorf("after one has gone: %v", err)
	}
	if _, _, err := h.subscribe("0", everyKey); !errors.Is(err, errTooManyStreams) {
		t.Errorf("one that ends twice leaves two places: %v", err)
	}
	for _, end := range ends {
		end()
	}
}

func TestTooManyStreamsHaveAStatus(t *testing.T) {
	server, _ := serve(t, newShelf(sample(Sweeps, "a", "s")), everything())
	url := server.URL + "/events"
	for range mostStreamsOfReader {
		listen(t, url, "a")
	}
	if response := ask(t, http.MethodGet, url, "a"); response.StatusCode != http.StatusTooManyRequests {
		t.Errorf("status %d", response.StatusCode)
	}
	listen(t, url, "root")
}

// However many watch, the source is watched once, and only as long as somebody does.
func TestFiftyStreamsAreOneWatch(t *testing.T) {
	s := newShelf(sample(Sweeps, "a", "s"))
	h := newHub(s.Watch, New(Options{Source: s}).Log)
	var ends []func()
	var streams []*subscription
	for range 50 {
		stream, end, err := h.subscribe("a", everyKey)
		if err != nil {
			t.Fatal(err)
		}
		streams, ends = append(streams, stream), append(ends, end)
	}
	<-s.ready
	s.change(Key{Sweeps, "a", "s"}, "2")
	for _, stream := range streams {
		<-stream.changed
	}
	if s.watches != 1 {
		t.Errorf("%d watches, want 1", s.watches)
	}
	for _, end := range ends {
		end()
	}
	_, end, err := h.subscribe("a", everyKey)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	<-s.ready
	if s.watches != 2 {
		t.Errorf("%d watches after all have gone and one has come, want 2", s.watches)
	}
}
