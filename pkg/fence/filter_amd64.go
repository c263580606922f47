// SPDX-License-Identifier: Apache-2.0

//go:build linux

package fence

import "golang.org/x/sys/unix"

// architecture is the only one whose calls have the numbers of the filter.
const architecture = unix.AUDIT_ARCH_X86_64

// olderCalls are refused, too. Other architectures never had them.
var olderCalls = []uint32{
	unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_UNLINK, unix.SYS_RENAME, unix.SYS_MKDIR, unix.SYS_RMDIR, unix.SYS_LINK, unix.SYS_SYMLINK,
}
