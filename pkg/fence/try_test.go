// SPDX-License-Identifier: Apache-2.0

package fence_test

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/fence"
)

func TestAChildCanBeTried(t *testing.T) {
	if err := fence.New(1).Try(t.Context()); err != nil {
		t.Error(err)
	}
}
