// SPDX-License-Identifier: Apache-2.0

package rollouts_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// The logs of the controllers.
const (
	argoLog    = "argo-rollouts.log"
	flaggerLog = "flagger.log"
)

// startControllers starts both controllers as processes of this machine, and returns what stops
// them.
func startControllers(folder string) (stop func(), err error) {
	// Flagger looks for Prometheus when it starts, and these Canaries have no metrics.
	prometheus := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"1"]}]}}`))
	}))
	kubeconfig := os.Getenv("KUBECONFIG")
	argo, err := start(folder, argoLog, "rollouts-controller",
		"--kubeconfig", kubeconfig, "--leader-elect=false", "--metricsPort", "18090", "--healthzPort", "18080")
	if err != nil {
		return nil, err
	}
	canaries, err := start(folder, flaggerLog, "flagger",
		"-kubeconfig", kubeconfig, "-mesh-provider", "kubernetes", "-metrics-server", prometheus.URL, "-port", "18081",
		"-control-loop-interval", "1s", "-log-level", "info")
	if err != nil {
		argo()
		return nil, err
	}
	return func() {
		canaries()
		argo()
		prometheus.Close()
	}, nil
}

// start starts a controller, which trusts the manager's certificate.
func start(folder, log, program string, args ...string) (stop func(), err error) {
	out, err := os.Create(filepath.Join(folder, log))
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(filepath.Join(os.Getenv(assetsVariable), program), args...)
	cmd.Env = append(os.Environ(), "SSL_CERT_FILE="+filepath.Join(folder, "tls.crt"))
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	return func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		_ = out.Close()
	}, nil
}

// writeCertificate writes a certificate for an address, which is its own authority.
func writeCertificate(folder, address string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "windtunnel-web"}, IPAddresses: []net.IP{net.ParseIP(address)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		BasicConstraintsValid: true, IsCA: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	for name, block := range map[string]*pem.Block{
		"tls.crt": {Type: "CERTIFICATE", Bytes: der},
		"tls.key": {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
			return err
		}
	}
	return nil
}
