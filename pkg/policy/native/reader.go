// SPDX-License-Identifier: Apache-2.0

package native

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/parameters"
)

// A reader reads the parameters of a policy or a scorer, and collects what is wrong with
// the fields next to them.
type reader struct {
	*parameters.Reader
	errs field.ErrorList
}

func newReader(values map[string]string, path *field.Path) *reader {
	return &reader{Reader: parameters.NewReader(values, path)}
}

// done returns what is wrong.
func (r *reader) done() field.ErrorList { return append(r.errs, r.Done()...) }

// mostFactor is the greatest value of factors.
const mostFactor = 1e6
