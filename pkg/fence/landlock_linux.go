// SPDX-License-Identifier: Apache-2.0

//go:build linux && (amd64 || arm64)

package fence

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fileRights are the ways to reach a file by its name that each version of Landlock can
// refuse: a version knows those of the versions before it, too.
var fileRights = map[int]uint64{
	1: unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM,
	2: unix.LANDLOCK_ACCESS_FS_REFER,
	3: unix.LANDLOCK_ACCESS_FS_TRUNCATE,
	5: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV,
}

// zoneFolders are where Go looks for time zones, which queries and triggers of autoscalers may
// name.
var zoneFolders = []string{"/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/usr/lib/locale/TZ", "/etc/zoneinfo"}

// lockFiles has the kernel refuse all files that are not open yet but those of time zones to
// all threads of this process, for good. A kernel without Landlock refuses nothing, and neither does one that lets
// no process ask: the fence has other limits. So does a program with C code in it, in which Go
// reaches no other threads.
func lockFiles() error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return nil
	}
	var rules unix.LandlockRulesetAttr
	for since, rights := range fileRights { // in any order
		if since <= int(version) {
			rules.Handled_access_fs |= rights
		}
	}
	// The attributes of the first version: the kernel takes a prefix.
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), unsafe.Sizeof(rules.Handled_access_fs), 0)
	if errno != 0 {
		return fmt.Errorf("make rules on files: %w", errno)
	}
	defer func() { _ = unix.Close(int(ruleset)) }()
	for _, folder := range zoneFolders {
		if err := allowReading(int(ruleset), folder); err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
	}
	for _, call := range [][6]uintptr{
		{unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1},
		{unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0},
	} {
		_, _, errno := syscall.AllThreadsSyscall6(call[0], call[1], call[2], 0, 0, 0, 0)
		if errors.Is(errno, errors.ErrUnsupported) {
			return nil
		}
		if errno != 0 {
			return fmt.Errorf("refuse files: %w", errno)
		}
	}
	return nil
}

// allowReading adds a folder to the rules, if it is there.
func allowReading(ruleset int, folder string) error {
	fd, err := unix.Open(folder, unix.O_PATH|unix.O_CLOEXEC|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil //nolint:nilerr // there is nothing to read
	}
	defer func() { _ = unix.Close(fd) }()
	rule := unix.LandlockPathBeneathAttr{Allowed_access: unix.LANDLOCK_ACCESS_FS_READ_FILE, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("add a rule: %w", errno)
	}
	return nil
}
