// SPDX-License-Identifier: Apache-2.0

package vllm

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
)

// adapters are the LoRA adapters that requests may name.
type adapters struct {
	mu sync.Mutex
	// loaded has the places of adapters by name.
	loaded map[string]string
}

func (a *adapters) has(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, has := a.loaded[name]
	return has
}

// all is a copy.
func (a *adapters) all() (names []string, places map[string]string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Sorted(maps.Keys(a.loaded)), maps.Clone(a.loaded)
}

// adapterRequest is the body of the requests that load and unload.
type adapterRequest struct {
	Name    string `json:"lora_name"`
	Path    string `json:"lora_path"`
	InPlace bool   `json:"load_inplace"`
}

func (s *Server) loadAdapter(w http.ResponseWriter, _ *http.Request, a *adapterRequest) error {
	if a.Name == "" || a.Path == "" {
		return invalid("lora_name and lora_path are required")
	}
	if s.engine.Metrics().MaxAdapters == 0 {
		return invalid("the pool has no places for adapters: state adapters.max in the scenario")
	}
	if slices.Contains(s.o.Names, a.Name) {
		return invalid("%s is the base model", a.Name)
	}
	s.adapters.mu.Lock()
	defer s.adapters.mu.Unlock()
	_, has := s.adapters.loaded[a.Name]
	if has && !a.InPlace {
		return invalid("the adapter %s is loaded: unload it first, or set load_inplace", a.Name)
	}
	if !has && len(s.adapters.loaded) >= s.o.Limits.Adapters {
		return invalid("%d adapters are loaded, and the server takes no more", len(s.adapters.loaded))
	}
	s.adapters.loaded[a.Name] = a.Path
	fmt.Fprintf(w, "Success: LoRA adapter '%s' added successfully.", a.Name)
	return nil
}

func (s *Server) unloadAdapter(w http.ResponseWriter, _ *http.Request, a *adapterRequest) error {
	if a.Name == "" {
		return invalid("lora_name is required")
	}
	s.adapters.mu.Lock()
	defer s.adapters.mu.Unlock()
	if _, has := s.adapters.loaded[a.Name]; !has {
		return &apiError{Message: "there is no adapter " + a.Name, Type: notFound, Code: http.StatusNotFound}
	}
	delete(s.adapters.loaded, a.Name)
	fmt.Fprintf(w, "Success: LoRA adapter '%s' removed successfully.", a.Name)
	return nil
}

func invalid(format string, args ...any) *apiError {
	return &apiError{Message: fmt.Sprintf(format, args...), Type: invalidInput, Code: http.StatusBadRequest}
}
