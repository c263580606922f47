// SPDX-License-Identifier: Apache-2.0

//go:build linux

package fence

import "golang.org/x/sys/unix"

// architecture is the only one whose calls have the numbers of the filter.
const architecture = unix.AUDIT_ARCH_AARCH64

// olderCalls are refused, too.
var olderCalls []uint32
