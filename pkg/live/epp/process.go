// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
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
)

// endpointsName and configName are the names of files.
const endpointsName, configName = "endpoints.yaml", "config.yaml"

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
	// Folder takes the files of the process. It exists, and outlives the process.
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
	p := &Process{Address: local(ports[0]), Metrics: local(ports[2]), Moments: newMoments(), log: &tail{}, over: make(chan struct{})}
	ctx, p.stop = context.WithCancel(ctx)
	config, environment, err := o.prepare(ctx)
	if err != nil {
		p.stop()
		return nil, err
	}
	tracing, unheard, err := p.Moments.listen()
	if err != nil {
		p.stop()
		return nil, err
	}
	p.command = exec.CommandContext(ctx, o.Binary, append([]string{
		"--pool-name", poolName, "--pool-namespace", poolNamespace, "--config-file", config, "--secure-serving=false",
		"--grpc-port", strconv.Itoa(ports[0]), "--grpc-health-port", strconv.Itoa(ports[1]), "--metrics-port", strconv.Itoa(ports[2]),
		"--metrics-endpoint-auth=false", "--tracing=true",
		"--refresh-metrics-interval", slowed(o.Refresh, o.Speed).String(), "--metrics-staleness-threshold", slowed(stalenessThreshold, o.Speed).String(),
	}, o.Args...)...)
	p.command.Env, p.command.Stdout, p.command.Stderr = slices.Concat(os.Environ(), environment, tracing), p.log, p.log
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

// prepare writes the files of an EPP, and serves the objects that it reads from Kubernetes, if any, until
// ctx ends. The EPP gets the file of its configuration and the additions to its environment.
func (o *Options) prepare(ctx context.Context) (config string, environment []string, err error) {
	if o.Objectives == nil {
		config, err = o.WriteFiles()
		return config, nil, err
	}
	folder, err := filepath.Abs(o.Folder)
	if err != nil {
		return "", nil, err
	}
	source, err := o.serveObjects(ctx)
	if err != nil {
		return "", nil, err
	}
	document, err := o.document("")
	if err != nil {
		return "", nil, err
	}
	config = filepath.Join(folder, configName)
	file := filepath.Join(folder, "kubeconfig")
	return config, []string{"KUBECONFIG=" + file}, errors.Join(os.WriteFile(file, source, 0o600), os.WriteFile(config, document, 0o600))
}

// serveObjects serves the endpoints and objectives as Kubernetes does until ctx ends, and returns the
// kubeconfig that leads there.
func (o *Options) serveObjects(ctx context.Context) ([]byte, error) {
	open, err := new(net.ListenConfig).Listen(ctx, "tcp", local(0))
	if err != nil {
		return nil, fmt.Errorf("serve the endpoints: %w", err)
	}
	server := &http.Server{Handler: apiServer(objects(o.Endpoints, o.Objectives)), ReadHeaderTimeout: startTimeout}
	go func() { _ = server.Serve(open) }()
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return kubeconfig(open.Addr())
}

// WriteFiles writes the endpoints and the configuration of an EPP that needs no Kubernetes, and returns the
// file of the latter.
func (o *Options) WriteFiles() (config string, err error) {
	folder, err := filepath.Abs(o.Folder)
	if err != nil {
		return "", err
	}
	document, err := o.document(filepath.Join(folder, endpointsName))
	if err != nil {
		return "", err
	}
	if err := WriteEndpoints(folder, o.Endpoints); err != nil {
		return "", err
	}
	config = filepath.Join(folder, configName)
	return config, os.WriteFile(config, document, 0o600)
}

// WriteEndpoints writes the endpoints into the folder of an EPP, which may run and have others.
func WriteEndpoints(folder string, all []Endpoint) error {
	text, err := endpointsFile(all)
	if err != nil {
		return err
	}
	file := filepath.Join(folder, endpointsName)
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
		pause, cancel := context.WithTimeout(ctx, askInterval)
		<-pause.Done()
		cancel()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
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
