// SPDX-License-Identifier: Apache-2.0

//go:build linux && (amd64 || arm64)

package fence

import (
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// refused are the calls of the kernel by which a process reaches out: to the network, to other
// programs and processes, and to what else the machine has.
var refused = []uint32{
	unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT, unix.SYS_ACCEPT4,
	unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV,
	unix.SYS_IO_URING_SETUP, unix.SYS_BPF, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_MOUNT, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_MKDIRAT, unix.SYS_PIDFD_GETFD,
	unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_PRLIMIT64,
}

// The places of what a filter is shown of a call: its number, its architecture, and the lower
// half of its first argument.
const (
	callNumber       = 0
	callArchitecture = 4
	firstArgument    = 16
)

// x32 marks a call of another way to call an amd64 kernel, which has numbers of its own.
const x32 = 0x40000000

// filter has the kernel refuse calls to all threads of this process, for good. It needs no
// rights.
func filter() error {
	program := []unix.SockFilter{
		load(callArchitecture),
		jump(unix.BPF_JEQ, architecture, 1, 0),
		end(unix.SECCOMP_RET_KILL_PROCESS),
		load(callNumber),
		jump(unix.BPF_JGE, x32, 0, 1),
		end(unix.SECCOMP_RET_KILL_PROCESS),
	}
	program = append(program,
		// Go's runtime makes threads by clone, and other processes are refused. The flags of
		// clone3 are in memory, where a filter does not see them.
		jump(unix.BPF_JEQ, unix.SYS_CLONE3, 0, 1),
		end(unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS)),
		jump(unix.BPF_JEQ, unix.SYS_CLONE, 0, 4),
		load(firstArgument),
		jump(unix.BPF_JSET, unix.CLONE_THREAD, 1, 0),
		end(unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM)),
		end(unix.SECCOMP_RET_ALLOW),
	)
	for _, call := range slices.Concat(refused, olderCalls) {
		program = append(program, jump(unix.BPF_JEQ, call, 0, 1), end(unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM)))
	}
	program = append(program, end(unix.SECCOMP_RET_ALLOW))
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new rights: %w", err)
	}
	p := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&p)))
	if errno != 0 {
		return fmt.Errorf("filter calls of the kernel: %w", errno)
	}
	return nil
}

func load(place uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: place}
}

// jump skips as many instructions as the comparison of what was loaded says.
func jump(compare uint16, with uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | compare, Jt: yes, Jf: no, K: with}
}

func end(with uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: with}
}
