// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// manager is the built manager as a process.
type manager struct {
	cmd     *exec.Cmd
	probes  string
	metrics string
	pprof   string
	token   string
	client  http.Client
	log     bytes.Buffer
}

// startManager starts it, and returns once its caches hold everything.
func startManager(ctx context.Context, p *platform) (*manager, error) {
	m := &manager{token: p.token}
	var err error
	if m.probes, err = freeAddress(); err != nil {
		return nil, err
	}
	if m.metrics, err = freeAddress(); err != nil {
		return nil, err
	}
	if m.pprof, err = freeAddress(); err != nil {
		return nil, err
	}
	// It signs its own certificate.
	m.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	m.cmd = exec.CommandContext(ctx, p.binary, "manager", "--image", "windtunnel:performance",
		"--health-probe-bind-address", m.probes, "--metrics-bind-address", m.metrics, "--pprof-bind-address", m.pprof)
	m.cmd.Env = []string{"KUBECONFIG=" + p.manager, "HOME=" + p.folder}
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		if value, ok := os.LookupEnv(name); ok {
			m.cmd.Env = append(m.cmd.Env, name+"="+value)
		}
	}
	m.cmd.Stdout, m.cmd.Stderr = &m.log, &m.log
	if err := m.cmd.Start(); err != nil {
		return nil, err
	}
	err = until(ctx, func() (bool, error) {
		response, err := m.client.Get("http://" + m.probes + "/readyz")
		if err != nil {
			return false, nil //nolint:nilerr // it is not up yet
		}
		return response.StatusCode == http.StatusOK, response.Body.Close()
	})
	if err != nil {
		return nil, err
	}
	return m, until(ctx, func() (bool, error) {
		_, err := m.counts(ctx)
		return err == nil, nil //nolint:nilerr // the server of the metrics is not up yet
	})
}

func (m *manager) stop() error {
	if err := m.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := m.cmd.Wait(); err != nil {
		return fmt.Errorf("the manager ends with %w:\n%s", err, m.log.String())
	}
	return nil
}

// clockTick is what Linux counts a process's time in.
const clockTick = 10 * time.Millisecond

// cpu is the processor time that the process has taken so far.
func (m *manager) cpu() (cpu time.Duration, err error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", m.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	// The name in parentheses may hold spaces; user and system time are the 12th
	// and 13th field after it.
	_, after, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(after)
	for _, field := range fields[11:13] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		cpu += time.Duration(ticks) * clockTick
	}
	return cpu, nil
}

// counts are the manager's own metrics.
type counts struct{ reconciles, failures, writes float64 }

func (m *manager) counts(ctx context.Context) (c counts, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+m.metrics+"/metrics", nil)
	if err != nil {
		return c, err
	}
	request.Header.Set("Authorization", "Bearer "+m.token)
	response, err := m.client.Do(request)
	if err != nil {
		return c, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return c, fmt.Errorf("/metrics answers %s", response.Status)
	}
	return parseCounts(response.Body)
}

func parseCounts(text io.Reader) (c counts, err error) {
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		name, value, ok := strings.Cut(lines.Text(), "} ")
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			continue
		}
		switch {
		case strings.HasPrefix(name, "controller_runtime_reconcile_total{"):
			c.reconciles += n
			if strings.Contains(name, `result="error"`) {
				c.failures += n
			}
		case strings.HasPrefix(name, "rest_client_requests_total{") && !strings.Contains(name, `method="GET"`):
			c.writes += n
		}
	}
	return c, lines.Err()
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// until asks ten times a second until the answer is yes.
func until(ctx context.Context, check func() (bool, error)) error {
	return every(ctx, 100*time.Millisecond, check)
}

// every asks at intervals until the answer is yes.
func every(ctx context.Context, interval time.Duration, check func() (bool, error)) error {
	for {
		if yes, err := check(); yes || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(interval):
		}
	}
}
