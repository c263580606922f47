// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"

	"windtunnel.dev/windtunnel/pkg/live/epp/launch"
)

// endpointsName and objectivesName are the names of files.
const endpointsName, objectivesName = "endpoints.yaml", "objectives.json"

// Bounds of a start and of a stop.
const (
	startTimeout = 30 * time.Second
	stopTimeout  = 10 * time.Second
	askInterval  = 20 * time.Millisecond
)

// Options say what to start.
type Options struct {
	// Binary is the program, Args are flags in addition to those of this package.
	Binary string
	Args   []string
	// Config is the EndpointPickerConfig, in YAML or JSON.
	Config    []byte
	Endpoints []Endpoint
	// Renderer is the URL of a vLLM that renders prompts for plugins that ask one; where it is empty, they ask
	// the one of the configuration.
	Renderer string
	// Objectives, unless it is nil, are the priorities of InferenceObjectives by name. The EPP then runs
	// as in a cluster, before an API server that has them and the endpoints; otherwise it reads a file.
	Objectives map[string]int
	// Refresh is the time between two scrapes, and Speed how many seconds of the endpoints pass in one
	// second of the machine. What the EPP waits for takes as much longer as Speed is below 1.
	Refresh time.Duration
	Speed   float64
	// Folder takes the files of the process. Its path is absolute. It exists, and outlives the process.
	Folder string
}

// Process is an EPP that runs. It listens on all addresses of the machine, since the program
// has no flag for that.
type Process struct {
	// Address is where it serves the protocol ext-proc without TLS, Metrics where it serves
	// /metrics.
	Address, Metrics string
	// Moments are complete when the process has ended.
	Moments *Moments

	command *exec.Cmd
	log     *tail
	stop    context.CancelFunc
	// over is closed when the process has ended, as ended says.
	over  chan struct{}
	ended error
}

// Start starts an EPP and waits until it serves. Where it does not, the error has the end of its
// log, and nothing is left running. The process ends with ctx at the latest.
func Start(ctx context.Context, o Options) (*Process, error) {
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	p := &Process{Address: local(ports[0]), Metrics: local(ports[2]), log: &tail{}, over: make(chan struct{})}
	ctx, p.stop = context.WithCancel(ctx)
	if err := o.prepare(ctx); err != nil {
		p.stop()
		return nil, err
	}
	moments, spans, unheard, err := ListenForMoments(local(0))
	if err != nil {
		p.stop()
		return nil, err
	}
	p.Moments = moments
	p.command = exec.CommandContext(ctx, o.Binary, slices.Concat(launch.Flags(o.Folder, ports[0], ports[1], ports[2]), []string{
		"--refresh-metrics-interval", slowed(o.Refresh, o.Speed).String(), "--metrics-staleness-threshold", slowed(stalenessThreshold, o.Speed).String(),
	}, o.Args)...)
	p.command.Env, p.command.Stdout, p.command.Stderr = append(os.Environ(), launch.Environment(o.Folder, spans)...), p.log, p.log
	p.command.Cancel = func() error { return p.command.Process.Signal(os.Interrupt) }
	p.command.WaitDelay = stopTimeout
	if err := p.command.Start(); err != nil {
		unheard()
		p.stop()
		return nil, fmt.Errorf("start the EPP: %w", err)
	}
	waiting, over := context.WithCancelCause(ctx)
	go func() {
		p.ended = p.command.Wait()
		unheard()
		over(fmt.Errorf("it ended: %w", cause(p.ended)))
		close(p.over)
	}()
	if err := Await(waiting, local(ports[1])); err != nil {
		p.Stop()
		return nil, fmt.Errorf("start the EPP %s: %w; the end of its log:\n%s", o.Binary, err, p.log)
	}
	return p, nil
}

// prepare writes the files of an EPP, and serves the objects that it reads from Kubernetes, if any, until ctx ends.
func (o *Options) prepare(ctx context.Context) error {
	if o.Objectives == nil {
		return o.WriteFiles("")
	}
	open, err := net.Listen("tcp", local(0))
	if err != nil {
		return fmt.Errorf("serve the endpoints: %w", err)
	}
	go func() { _ = ServeObjects(ctx, open, o.Folder) }()
	return o.WriteFiles(open.Addr().String())
}

// WriteFiles writes the files that an EPP starts with. With objectives, it finds all but its configuration in the
// API server at an address, which [ServeObjects] serves.
func (o *Options) WriteFiles(objects string) error {
	endpoints := filepath.Join(o.Folder, endpointsName)
	files := map[string][]byte{}
	if o.Objectives != nil {
		endpoints = ""
		var failed [2]error
		files[objectivesName], failed[0] = json.Marshal(o.Objectives)
		files[launch.KubeconfigName], failed[1] = kubeconfig(objects)
		if err := errors.Join(failed[:]...); err != nil {
			return err
		}
	}
	var err error
	if files[launch.ConfigName], err = o.document(endpoints); err != nil {
		return err
	}
	for name, content := range files { // in any order
		err = errors.Join(err, os.WriteFile(filepath.Join(o.Folder, name), content, 0o600))
	}
	return errors.Join(err, WriteEndpoints(o.Folder, o.Endpoints))
}

// WriteEndpoints writes the endpoints into the folder of an EPP, which may run and have others.
func WriteEndpoints(folder string, all []Endpoint) error {
	text, err := endpointsFile(all)
	if err != nil {
		return err
	}
	file := filepath.Join(folder, endpointsName)
	if same, err := os.ReadFile(file); err == nil && bytes.Equal(same, text) {
		return nil // an EPP reads none of it again
	}
	next := file + ".next" // an EPP must not read half of it
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return err
	}
	return os.Rename(next, file)
}

// Await waits until the EPP whose gRPC health service is at an address says that it is ready. The error is the
// cause of ctx where that ends.
func Await(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("it is not ready after %v", startTimeout))
	defer cancel()
	soon := grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: askInterval, Multiplier: 1, MaxDelay: askInterval}, MinConnectTimeout: time.Second}
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithConnectParams(soon))
	if err != nil {
		return err
	}
	defer connection.Close()
	client := grpc_health_v1.NewHealthClient(connection)
	for {
		answer, err := client.Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: "readiness"})
		if err == nil && answer.Status == grpc_health_v1.HealthCheckResponse_SERVING {
			return nil
		}
		if !pause(ctx, askInterval) {
			return context.Cause(ctx)
		}
	}
}

// pause waits for a time, and is false where ctx ends before.
func pause(ctx context.Context, d time.Duration) bool {
	waiting, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-waiting.Done()
	return ctx.Err() == nil
}

// cause is the error of a process that ended where it should not.
func cause(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}

// Log is the end of what the process has printed.
func (p *Process) Log() string { return p.log.String() }

// Over is closed when the process has ended.
func (p *Process) Over() <-chan struct{} { return p.over }

// Ended is the error of a process that has ended before it was stopped, with the end of its log. Over
// is closed.
func (p *Process) Ended() error {
	return fmt.Errorf("the EPP ended: %w; the end of its log:\n%s", cause(p.ended), p.log)
}

// Stop ends the process and waits for its end. A process that does not end in time is killed.
func (p *Process) Stop() {
	p.stop()
	<-p.over
}

func local(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// freePorts returns ports on which nothing listens.
func freePorts(n int) (ports []int, err error) {
	for range n {
		l, failed := net.Listen("tcp", "127.0.0.1:0")
		if failed != nil {
			return nil, fmt.Errorf("find a port: %w", failed)
		}
		defer func() { err = errors.Join(err, l.Close()) }() // at the end, so that each port is another one
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
