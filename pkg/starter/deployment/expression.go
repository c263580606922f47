// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"regexp"
	"sync"
)

// expression is a regular expression that the first call compiles: programs that read no manifests do
// not pay for it when they start.
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
