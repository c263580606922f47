// SPDX-License-Identifier: Apache-2.0

package compile

import "context"

// pauseKey is the key of a context's pause.
type pauseKey struct{}

// WithPause returns a context in which a compilation calls a function at each turn of its loops that can be long, on
// the goroutine that compiles. The function may wait, so that others have the processor.
func WithPause(ctx context.Context, pause func()) context.Context {
	return context.WithValue(ctx, pauseKey{}, pause)
}

func pause(ctx context.Context) {
	if pause, ok := ctx.Value(pauseKey{}).(func()); ok {
		pause()
	}
}
