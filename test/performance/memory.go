// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// memory is what a process holds, in bytes.
type memory struct {
	// resident is all that is in memory; anonymous that part of it which is not
	// pages of a file, such as the binary, that the kernel can take back.
	resident, anonymous int64
}

// memoryOf reads /proc/PID/status.
func memoryOf(pid int) (m memory, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return m, err
	}
	for line := range strings.Lines(string(status)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		switch kib, _ := strconv.ParseInt(fields[1], 10, 64); fields[0] {
		case "VmRSS:":
			m.resident = kib << 10
		case "RssAnon:":
			m.anonymous = kib << 10
		}
	}
	return m, nil
}

// gauge follows a manager's memory.
type gauge struct {
	manager *manager
	// file, unless empty, is where the heap profile of the peak goes.
	file string
	mu   sync.Mutex
	peak memory
}

// follow looks every tenth of a second until the context ends. A peak of either
// part is kept by itself.
func (g *gauge) follow(ctx context.Context) {
	for profiled := int64(0); ; {
		if now, err := memoryOf(g.manager.cmd.Process.Pid); err == nil {
			g.mu.Lock()
			g.peak.resident, g.peak.anonymous = max(g.peak.resident, now.resident), max(g.peak.anonymous, now.anonymous)
			g.mu.Unlock()
			if g.file != "" && now.anonymous > profiled+profiled/20 {
				profiled = now.anonymous
				_ = g.manager.profile(ctx, "heap", g.file) // the next peak is another chance
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (g *gauge) highest() memory {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.peak
}

// profile writes one of the manager's profiles into a file.
func (m *manager) profile(ctx context.Context, name, file string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+m.pprof+"/debug/pprof/"+name, nil)
	if err != nil {
		return err
	}
	response, err := m.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, raw, 0o644)
}
