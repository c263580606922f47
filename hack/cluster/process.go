// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// program is one process of the cluster.
type program struct {
	name   string
	binary string // absolute path
	args   []string
	env    []string
	// ready says why it does not serve yet; nil when it does.
	ready func(context.Context) error
}

// process is a running program as it was recorded. A pid alone may have been
// given to another process since: the time at which the process began, in ticks
// since boot, distinguishes them, and so does its binary.
type process struct {
	pid     int
	started string
	binary  string
}

// spawn starts the program in a session of its own, so that it outlives this
// command, and records it in pidFile. Its output is appended to logFile.
func spawn(p program, pidFile, logFile string) (process, error) {
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return process{}, err
	}
	defer log.Close()
	command := exec.Command(p.binary, p.args...)
	command.Dir = "/"
	command.Env = append(os.Environ(), p.env...)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := command.Start(); err != nil {
		return process{}, err
	}
	go command.Wait() //nolint:errcheck // only so that a process that dies during up is no zombie
	started, err := startTime(command.Process.Pid)
	if err != nil {
		return process{}, fmt.Errorf("%s ended at once", p.name)
	}
	proc := process{pid: command.Process.Pid, started: started, binary: p.binary}
	record := fmt.Sprintf("%d %s %s\n", proc.pid, proc.started, proc.binary)
	return proc, os.WriteFile(pidFile, []byte(record), 0o644)
}

// recorded reads what spawn wrote; no process if there is no record.
func recorded(pidFile string) (process, bool, error) {
	content, err := os.ReadFile(pidFile)
	if errors.Is(err, fs.ErrNotExist) {
		return process{}, false, nil
	}
	if err != nil {
		return process{}, false, err
	}
	fields := strings.Fields(string(content))
	if len(fields) != 3 {
		return process{}, false, fmt.Errorf("%s: %q is no record of a process", pidFile, content)
	}
	pid, err := strconv.Atoi(fields[0])
	if err != nil {
		return process{}, false, fmt.Errorf("%s: %w", pidFile, err)
	}
	return process{pid: pid, started: fields[1], binary: fields[2]}, true, nil
}

// alive says whether the recorded process still runs, and not another one under
// its pid.
func (p process) alive() bool {
	started, err := startTime(p.pid)
	if err != nil || started != p.started {
		return false
	}
	binary, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(p.pid), "exe"))
	return err == nil && strings.TrimSuffix(binary, " (deleted)") == p.binary
}

// end stops the process: SIGTERM, and SIGKILL when its patience is over. With no
// patience it is killed at once. It is not there any more when end returns nil.
func (p process) end(ctx context.Context, patience time.Duration) error {
	if !p.alive() {
		return nil
	}
	if patience > 0 {
		if err := syscall.Kill(p.pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		waited, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if p.waitGone(waited) == nil {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if err := syscall.Kill(p.pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	waited, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return p.waitGone(waited)
}

func (p process) waitGone(ctx context.Context) error {
	return poll(ctx, func(context.Context) error {
		if p.alive() {
			return fmt.Errorf("%s (pid %d) is still there", filepath.Base(p.binary), p.pid)
		}
		return nil
	})
}

// startTime is field 22 of /proc/PID/stat. A zombie counts as gone.
func startTime(pid int) (string, error) {
	content, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return "", err
	}
	// The name before it is in brackets and may hold anything, blanks included.
	_, rest, _ := bytes.Cut(content, []byte("("))
	fields := strings.Fields(string(rest[bytes.LastIndexByte(rest, ')')+1:]))
	if len(fields) < 20 {
		return "", fmt.Errorf("/proc/%d/stat: %d fields after the name", pid, len(fields))
	}
	if state := fields[0]; state == "Z" || state == "X" {
		return "", fs.ErrNotExist
	}
	return fields[19], nil
}

// poll asks until done answers nil, or until the context ends: then the error
// has the last answer.
func poll(ctx context.Context, done func(context.Context) error) error {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		err := done(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}
