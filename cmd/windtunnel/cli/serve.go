// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"windtunnel.dev/windtunnel/internal/printable"
)

// NewLogHandler makes the log of a server. Errors in it quote objects of others, so it passes the
// filter that the output of verbs passes; its escapes are those of JSON.
func NewLogHandler(to io.Writer, verbosity int) slog.Handler {
	return slog.NewJSONHandler(printable.NewWriter(to), &slog.HandlerOptions{Level: slog.Level(-verbosity)})
}

// How long the server waits: for the head of a request, for its body and for the questions
// under way when it ends.
const (
	HeadTimeout = 10 * time.Second
	bodyTimeout = time.Minute
	lastTimeout = 10 * time.Second
)

// Listen listens on the address of --listen.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, BadInput(fmt.Errorf("--listen %s: name another address, or port 0 for any free port: %w", address, err))
	}
	return listener, nil
}

// ServeUntil serves until the context ends. Then it takes no more questions, and drops
// those that take too long.
func ServeUntil(ctx context.Context, listener net.Listener, handler http.Handler) error {
	questions, drop := context.WithCancel(context.WithoutCancel(ctx))
	defer drop()
	s := &http.Server{
		Handler: handler, ReadHeaderTimeout: HeadTimeout, ReadTimeout: bodyTimeout,
		BaseContext: func(net.Listener) context.Context { return questions },
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(questions, lastTimeout)
	defer cancel()
	if err := s.Shutdown(last); err != nil {
		drop()
		return s.Close()
	}
	return nil
}
