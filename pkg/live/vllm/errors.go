// SPDX-License-Identifier: Apache-2.0

package vllm

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Kinds of errors, as the field type has them.
const (
	badRequest    = "BadRequestError"
	notFound      = "NotFoundError"
	invalidInput  = "InvalidUserInput"
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

// refuse is an error of the client.
func refuse(param, format string, args ...any) *apiError {
	e := &apiError{Message: fmt.Sprintf(format, args...), Type: badRequest, Code: http.StatusBadRequest}
	if param != "" {
		e.Param = &param
	}
	return e
}

// body is an error as JSON: an object in a field error, and itself in older versions.
func (s *Server) body(e *apiError) []byte {
	var of any = struct {
		Error *apiError `json:"error"`
	}{e}
	if s.o.Version < nestedErrors {
		of = struct {
			Object string `json:"object"`
			*apiError
		}{"error", e}
	}
	raw, err := json.Marshal(of)
	if err != nil {
		panic(err) // texts and numbers
	}
	return raw
}

func (s *Server) fail(w http.ResponseWriter, e *apiError) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.Code)
	_, _ = w.Write(s.body(e)) // a client that has gone does not read it
}

func (s *Server) answer(w http.ResponseWriter, of any) {
	raw, err := json.Marshal(of)
	if err != nil {
		panic(err) // texts and numbers
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(raw) // as in fail
}
