// SPDX-License-Identifier: Apache-2.0

package fence

import (
	"context"
	"time"

	"windtunnel.dev/windtunnel/pkg/experiment/inspect"
)

// tryBytes and tryCPU bound a child that has nothing to simulate.
const (
	tryBytes = 256 << 20
	tryCPU   = 5 * time.Second
)

// Try starts a child without a plan: it fails where a child cannot start, cannot limit itself or
// cannot answer.
func (f *Fence) Try(ctx context.Context) error {
	_, err := f.ask(ctx, &request{Question: inspect.Question{}, Bytes: tryBytes, CPU: tryCPU}, nil)
	return err
}
