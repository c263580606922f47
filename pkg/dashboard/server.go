// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"errors"
	"net"
	"net/http"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"

	"windtunnel.dev/windtunnel/pkg/archive"
)

// Options say what a server shows, and to whom.
type Options struct {
	Source Source
	Guard  Guard
	// Login takes the proof of who a reader is from a form, and keeps it in cookies; nil where readers
	// have no need of one.
	Login *Login
	// Hosts are the names by which browsers may call the server, so that a name that an attacker has point
	// at this machine is not one; none is any.
	Hosts []string
	// MostRows is how many rows an object may have to be shown with its results; 0 is no bound.
	MostRows int64
	// Ended is closed when the server is to end, and its streams with it.
	Ended <-chan struct{}
	// About says in a line what the pages show.
	About string
	Clock clock.WithTicker
	Log   logr.Logger
}

// Server serves the pages.
type Server struct {
	Options
	hub     *hub
	reading chan struct{}
	recent  recent
}

// simultaneousReads is how many readers have results read, or unpacked, at once.
const simultaneousReads = 2

// New returns a server.
func New(o Options) *Server {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	return &Server{Options: o, hub: newHub(o.Source.Watch, o.Log), reading: make(chan struct{}, simultaneousReads), recent: recent{clock: o.Clock}}
}

// view is one request for a page, by a known reader.
type view struct {
	*Server
	http.ResponseWriter
	*http.Request
	reader Reader
	// object is what the page is about; nil of pages about many.
	object *Object
}

// Handler returns the handler of all pages.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /assets/{file}", serveAsset)
	mux.Handle("GET /{$}", s.known((*view).list))
	mux.Handle("GET /events", s.known((*view).listEvents))
	const object = "GET /namespaces/{namespace}/{resource}/{name}"
	for path, show := range map[string]func(*view) error{
		"":                              (*view).main,
		"/status":                       (*view).status,
		"/events":                       (*view).events,
		"/points":                       withResults((*reading).points),
		"/points/{point}":               withResults((*reading).point),
		"/points/{point}/manifest.yaml": withResults((*reading).manifest),
		"/points/{point}/seeds/{seed}":  withResults((*reading).seed),
		"/points/{point}/seeds/{seed}/requests/{request}": withResults((*reading).request),
		"/compare":     withResults((*reading).compare),
		"/rows.json":   withResults((*reading).rowsJSON),
		"/rows.csv":    withResults((*reading).rowsCSV),
		"/report":      withResults((*reading).report),
		"/report.html": withResults((*reading).reportFile),
		"/report.md":   withResults((*reading).reportMarkdown),
	} {
		mux.Handle(object+path, s.known(ofObject(show)))
	}
	if s.Login != nil {
		mux.HandleFunc("GET /login", s.loginForm)
		mux.HandleFunc("POST /login", s.login)
		mux.HandleFunc("POST /logout", s.logout)
	}
	return s.safe(http.NewCrossOriginProtection().Handler(mux))
}

// pagePolicy is the content security policy of all pages but reports.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"form-action 'self'; base-uri 'none'; " + noFrames

// noFrames keeps pages out of the frames of others. It has no effect within a page, so it is a header.
const noFrames = "frame-ancestors 'none'"

// safe sets the headers of all answers, and refuses names that are not the server's.
func (s *Server) safe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", pagePolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if len(s.Hosts) > 0 && !slices.Contains(s.Hosts, hostOf(r.Host)) {
			http.Error(w, "the server is not known by this name", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostOf is the name in a Host header, without the port.
func hostOf(header string) string {
	if host, _, err := net.SplitHostPort(header); err == nil {
		return host
	}
	return header
}

// known has readers known before a page is shown.
func (s *Server) known(show func(*view) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reader, err := s.Guard.Reader(r)
		v := &view{Server: s, ResponseWriter: w, Request: r, reader: reader}
		if err == nil {
			err = show(v)
		}
		if err != nil {
			v.fail(err)
		}
	})
}

// ofObject has the object of the path read before its page is shown. An object that the reader may not
// get is one that is not there.
func ofObject(show func(*view) error) func(*view) error {
	return func(v *view) (err error) {
		if v.object, err = v.get(); err != nil {
			return err
		}
		return show(v)
	}
}

// get returns the object of the path.
func (v *view) get() (*Object, error) {
	key := Key{Resource(v.PathValue("resource")), v.PathValue("namespace"), v.PathValue("name")}
	if !slices.Contains(resources, key.Resource) {
		return nil, ErrNotFound
	}
	allowed, err := may(v.Context(), v.reader, "get", key)
	switch {
	case err != nil:
		return nil, err
	case !allowed:
		return nil, ErrNotFound
	}
	return v.Source.Get(v.Context(), key)
}

// fail answers with an error. What went wrong within the server is for its log only.
func (v *view) fail(err error) {
	var fault archive.Fault
	var refused *faultPage
	switch {
	case errors.Is(err, ErrUnknownReader):
		v.unknown()
	case errors.Is(err, ErrNotFound):
		v.sorry(http.StatusNotFound, "Not found", "There is no such page, or you may not see it.")
	case errors.As(err, &refused):
		v.sorry(refused.status, refused.title, refused.text)
	case errors.As(err, &fault):
		v.sorry(http.StatusConflict, "This cannot be shown", upperFirst(fault.Error())+".")
	case v.Context().Err() != nil:
		// No client waits for the answer.
	default:
		v.Log.Error(err, "A page failed", "path", v.URL.Path)
		v.sorry(http.StatusInternalServerError, "Something went wrong", "The server's log has the reason.")
	}
}

// unknown asks who the reader is: a person by a form, a program by the status.
func (v *view) unknown() {
	if v.Login != nil && v.Request.Header.Get("Authorization") == "" && v.Request.Header.Get("Accept") != eventStream && v.Method == http.MethodGet {
		http.Redirect(v.ResponseWriter, v.Request, "/login", http.StatusSeeOther)
		return
	}
	v.ResponseWriter.Header().Set("WWW-Authenticate", "Bearer")
	v.sorry(http.StatusUnauthorized, "Who are you?", "The page needs a token that the cluster knows.")
}

// faultPage is an error that is a page of its own.
type faultPage struct {
	status      int
	title, text string
}

func (f *faultPage) Error() string { return f.title + ": " + f.text }

// reasonFor is what an error tells a reader; "" if it is for the log only.
func reasonFor(err error) string {
	var fault archive.Fault
	var refused *faultPage
	switch {
	case errors.As(err, &refused):
		return refused.text
	case errors.As(err, &fault):
		return upperFirst(fault.Error()) + "."
	default:
		return ""
	}
}

// upperFirst begins a sentence.
func upperFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
