// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// programNames are sorted.
var programNames = []string{
	"containerd", "etcd", "kube-apiserver", "kube-controller-manager", "kube-proxy", "kube-scheduler", "kubelet",
	"network-policies",
}

// Addresses of the cluster. Pods, the bridge that they hang on, and with it the
// node and the API server are in one network.
const (
	nodeName    = "windtunnel"
	nodeIP      = "10.244.0.1"
	podRange    = "10.244.0.0/24"
	firstPodIP  = "10.244.0.10"
	serviceIPs  = "10.96.0.0/16"
	apiIP       = "10.96.0.1" // the service "kubernetes"
	dnsIP       = "10.96.0.10"
	apiServer   = "https://" + nodeIP + ":6443"
	etcdServer  = "https://127.0.0.1:12379"
	pauseImage  = "docker.io/library/windtunnel-pause:dev"
	cgroupRoot  = "windtunnel-cluster"
	frontProxy  = "front-proxy-client" // the API server, for other servers of its API
	cniBinaries = "/usr/lib/cni"       // as Debian's containernetworking-plugins has it
)

// assets are the folders of the binaries.
type assets struct{ kube, runtime string }

// programs lists them in the order in which they start.
func (c *cluster) programs(a assets) []program {
	all := []program{
		c.etcd(a), c.apiServer(a), c.controllerManager(a), c.scheduler(a),
		c.containerd(a), c.kubelet(a), c.proxy(a),
	}
	if policies() {
		all = append(all, c.networkPolicies())
	}
	return all
}

func (c *cluster) etcd(a assets) program {
	return program{
		name:   "etcd",
		binary: filepath.Join(a.kube, "etcd"),
		args: []string{
			"--name=" + nodeName,
			"--data-dir=" + c.path("etcd"),
			"--listen-client-urls=" + etcdServer, "--advertise-client-urls=" + etcdServer,
			"--listen-peer-urls=http://127.0.0.1:12380",
			"--initial-advertise-peer-urls=http://127.0.0.1:12380",
			"--initial-cluster=" + nodeName + "=http://127.0.0.1:12380",
			"--client-cert-auth", "--trusted-ca-file=" + c.path("pki", "etcd-ca.crt"),
			"--cert-file=" + c.path("pki", "etcd.crt"), "--key-file=" + c.path("pki", "etcd.key"),
			// The cluster lives no longer than the machine: a lost write cannot be missed.
			"--unsafe-no-fsync",
			"--log-level=warn",
		},
		ready: c.serves(etcdServer+"/health", "etcd-ca.crt", "etcd"),
	}
}

func (c *cluster) apiServer(a assets) program {
	pki := func(file string) string { return c.path("pki", file) }
	return program{
		name:   "kube-apiserver",
		binary: filepath.Join(a.kube, "kube-apiserver"),
		args: []string{
			"--advertise-address=" + nodeIP, "--bind-address=" + nodeIP, "--secure-port=6443",
			"--etcd-servers=" + etcdServer, "--etcd-cafile=" + pki("etcd-ca.crt"),
			"--etcd-certfile=" + pki("etcd.crt"), "--etcd-keyfile=" + pki("etcd.key"),
			"--service-cluster-ip-range=" + serviceIPs,
			"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction,OwnerReferencesPermissionEnforcement",
			"--client-ca-file=" + pki("ca.crt"),
			"--tls-cert-file=" + pki("kube-apiserver.crt"), "--tls-private-key-file=" + pki("kube-apiserver.key"),
			"--service-account-issuer=https://kubernetes.default.svc",
			"--service-account-key-file=" + pki("service-account.pub"),
			"--service-account-signing-key-file=" + pki("service-account.key"),
			"--kubelet-certificate-authority=" + pki("ca.crt"),
			"--kubelet-client-certificate=" + pki("admin.crt"), "--kubelet-client-key=" + pki("admin.key"),
			"--requestheader-client-ca-file=" + pki("front-proxy-ca.crt"), "--requestheader-allowed-names=" + frontProxy,
			"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
			"--requestheader-extra-headers-prefix=X-Remote-Extra-",
			"--proxy-client-cert-file=" + pki("front-proxy.crt"), "--proxy-client-key-file=" + pki("front-proxy.key"),
			// Names of nodes do not resolve here.
			"--kubelet-preferred-address-types=InternalIP",
			"--allow-privileged",
		},
		ready: c.serves(apiServer+"/readyz", "ca.crt", "admin"),
	}
}

func (c *cluster) controllerManager(a assets) program {
	config := c.path("controller-manager.kubeconfig")
	return program{
		name:   "kube-controller-manager",
		binary: filepath.Join(a.kube, "kube-controller-manager"),
		args: []string{
			"--kubeconfig=" + config, "--authentication-kubeconfig=" + config, "--authorization-kubeconfig=" + config,
			"--bind-address=127.0.0.1", "--leader-elect=false",
			"--root-ca-file=" + c.path("pki", "ca.crt"),
			"--service-account-private-key-file=" + c.path("pki", "service-account.key"),
			"--use-service-account-credentials",
			"--flex-volume-plugin-dir=" + c.path("kubelet", "volume-plugins"),
		},
		ready: answers("https://127.0.0.1:10257/healthz"),
	}
}

func (c *cluster) scheduler(a assets) program {
	config := c.path("scheduler.kubeconfig")
	return program{
		name:   "kube-scheduler",
		binary: filepath.Join(a.kube, "kube-scheduler"),
		args: []string{
			"--kubeconfig=" + config, "--authentication-kubeconfig=" + config, "--authorization-kubeconfig=" + config,
			"--bind-address=127.0.0.1", "--leader-elect=false",
		},
		ready: answers("https://127.0.0.1:10259/readyz"),
	}
}

func (c *cluster) containerd(a assets) program {
	return program{
		name:   "containerd",
		binary: filepath.Join(a.runtime, "containerd"),
		args:   []string{"--config", c.path("containerd.toml")},
		env:    []string{"PATH=" + a.runtime + ":" + os.Getenv("PATH")}, // of the shim
		ready: func(ctx context.Context) error {
			return c.ctr(ctx, a, "version")
		},
	}
}

func (c *cluster) kubelet(a assets) program {
	return program{
		name:   "kubelet",
		binary: filepath.Join(a.kube, "kubelet"),
		args: []string{
			"--config=" + c.path("kubelet.yaml"), "--kubeconfig=" + c.path("kubelet.kubeconfig"),
			"--root-dir=" + c.path("kubelet"), "--cert-dir=" + c.path("kubelet", "pki"),
			"--hostname-override=" + nodeName, "--node-ip=" + nodeIP,
		},
		ready: answers("http://127.0.0.1:10248/healthz"),
	}
}

func (c *cluster) proxy(a assets) program {
	return program{
		name:   "kube-proxy",
		binary: filepath.Join(a.kube, "kube-proxy"),
		args:   []string{"--config=" + c.path("kube-proxy.yaml")},
		// It is healthy when its rules are as fresh as what it heard of services.
		ready: answers("http://127.0.0.1:10256/healthz"),
	}
}

// ctr runs containerd's client.
func (c *cluster) ctr(ctx context.Context, a assets, args ...string) error {
	args = append([]string{"--address", c.path("run", "containerd.sock"), "--namespace", "k8s.io"}, args...)
	return output(exec.CommandContext(ctx, filepath.Join(a.runtime, "ctr"), args...))
}

// output runs a command; its error has what it printed.
func output(command *exec.Cmd) error {
	printed, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(command.Path), err, strings.TrimSpace(string(printed)))
	}
	return nil
}

// answers asks a health endpoint that wants no credentials. It is on this
// machine and says nothing but "ok", so that its certificate does not matter.
func answers(url string) func(context.Context) error {
	return func(ctx context.Context) error {
		return get(ctx, url, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // see above
	}
}

// serves asks an endpoint with the certificate of a client.
func (c *cluster) serves(url, ca, client string) func(context.Context) error {
	return func(ctx context.Context) error {
		trusted, err := os.ReadFile(c.path("pki", ca))
		if err != nil {
			return err
		}
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(trusted)
		pair, err := tls.LoadX509KeyPair(c.path("pki", client+".crt"), c.path("pki", client+".key"))
		if err != nil {
			return err
		}
		return get(ctx, url, &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}})
	}
}

func get(ctx context.Context, url string, config *tls.Config) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	transport := &http.Transport{TLSClientConfig: config, DialContext: (&net.Dialer{}).DialContext}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport, Timeout: 5 * time.Second}).Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 4096))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", url, response.Status, strings.TrimSpace(string(body)))
	}
	return nil
}
