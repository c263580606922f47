// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"errors"
	"io"
)

// Close closes what a source reads from, such as the file of a long trace, if there is
// something. It returns the error that ended the source's requests early, if one did.
func Close(s Source) error {
	if c, ok := s.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Close implements [io.Closer].
func (r *retrying) Close() error { return Close(r.source) }

// Close implements [io.Closer].
func (a answeredAtOnce) Close() error { return Close(a.Listener) }

// Close implements [io.Closer].
func (m *mix) Close() error {
	var errs []error
	for _, p := range m.parts {
		errs = append(errs, Close(p.source))
	}
	return errors.Join(errs...)
}

// Close implements [io.Closer].
func (m *remodelled) Close() error { return Close(m.Listener) }

// Close implements [io.Closer].
func (t *ofTenants) Close() error { return Close(t.Listener) }
