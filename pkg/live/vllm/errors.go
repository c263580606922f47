// SPDX-License-Identifier: Apache-2.0

package vllm

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

// Kinds of errors, as the field type has them.
const (
	badRequest    = "BadRequestError"
	malformed     = "Bad Request" // of a body that does not have the types of fields
	notFound      = "NotFoundError"
	invalidInput  = "InvalidUserInput"
	tooLarge      = "RequestEntityTooLargeError"
	tooSlow       = "RequestTimeoutError"
	internalError = "InternalServerError"
	unavailable   = "ServiceUnavailableError"
)

// apiError is what a client gets in place of an answer.
type apiError struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	// Code is the status.
	Code int `json:"code"`
}

func (e *apiError) Error() string { return e.Message }

// refuse is an error of the client. param is the field, or empty.
func refuse(param, format string, args ...any) *apiError {
	e := &apiError{Message: fmt.Sprintf(format, args...), Type: badRequest, Code: http.StatusBadRequest}
	if param != "" {
		e.Param = &param
	}
	return e
}

// unavailableFor is an error of a server that has too much to do.
func unavailableFor(format string, args ...any) *apiError {
	return &apiError{Message: fmt.Sprintf(format, args...), Type: unavailable, Code: http.StatusServiceUnavailable}
}

// asAPIError says what a client is told of an error: engines refuse what is too long as a mistake of
// the client, and what exceeds their queue with 503, as vLLM does since 0.29.
func asAPIError(err error) *apiError {
	var e *apiError
	var refusal simulation.Refusal
	switch {
	case errors.As(err, &e):
		return e
	case !errors.As(err, &refusal):
		return &apiError{Message: err.Error(), Type: internalError, Code: http.StatusInternalServerError}
	case refusal.Reason == simulator.EngineQueueFull || refusal.Reason == simulator.EngineTokensFull:
		return unavailableFor("%s", refusal.Error())
	}
	return refuse("", "%s", refusal.Error())
}

// body is an error as JSON: an object in a field error, and itself in older versions.
func (s *Server) body(e *apiError) []byte {
	if s.o.Version < nestedErrors {
		return encode(struct {
			Object string `json:"object"`
			*apiError
		}{"error", e})
	}
	return encode(struct {
		Error *apiError `json:"error"`
	}{e})
}

func (s *Server) fail(w http.ResponseWriter, err error) {
	e := asAPIError(err)
	s.send(w, e.Code, s.body(e))
}

func (s *Server) answer(w http.ResponseWriter, of any) { s.send(w, http.StatusOK, encode(of)) }

// send sends a whole body, in the time that a client may take.
func (s *Server) send(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	_ = http.NewResponseController(w).SetWriteDeadline(s.o.Now().Add(s.o.Limits.WriteTimeout)) // only a writer of a test has none
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone does not read it
}

// encode is JSON of texts and numbers.
func encode(of any) []byte {
	raw, err := json.Marshal(of)
	if err != nil {
		panic(err)
	}
	return raw
}
