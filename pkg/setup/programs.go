// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
)

// A programReader reads programs, each once for all simulations of a builder: a module takes
// as long to compile as a short simulation to run. A nil one leaves code as it is.
type programReader struct{ known *sync.Map }

// programs reads the programs of a simulation that is to run; nil where none is to.
func (b *Builder) programs(router *Routing) *programReader {
	if router == nil || !router.runs {
		return nil
	}
	return &programReader{&b.parsed}
}

// programKey is what programs are remembered by.
type programKey [sha256.Size]byte

// read reads the program of a component for a layout.
func (r *programReader) read(c *bundle.Component, l *sandbox.Layout, path *field.Path) (sandbox.Code, field.ErrorList) {
	if r == nil {
		return c.Load(l, false, path)
	}
	type loaded struct {
		code sandbox.Code
		errs field.ErrorList
	}
	once, _ := r.known.LoadOrStore(keyOf(c, l), sync.OnceValue(func() loaded {
		code, errs := c.Load(l, true, path)
		return loaded{code, errs}
	}))
	made := once.(func() loaded)()
	return made.code, made.errs
}

func keyOf(c *bundle.Component, l *sandbox.Layout) programKey {
	h := sha256.New()
	e := json.NewEncoder(h)
	for _, part := range []any{c, c.Limits(), l} {
		if err := e.Encode(part); err != nil {
			panic(fmt.Sprintf("setup: marshal %T: %v", part, err))
		}
	}
	return programKey(h.Sum(nil))
}

// readFor reads the program of a component, with its layout.
func (r *programReader) readFor(c *bundle.Component, l *sandbox.Layout, path *field.Path) (*program, field.ErrorList) {
	code, errs := r.read(c, l, path)
	if len(errs) > 0 {
		return nil, errs
	}
	return &program{code, l}, nil
}
