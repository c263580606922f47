// SPDX-License-Identifier: Apache-2.0

package access

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-logr/logr"
	certutil "k8s.io/client-go/util/cert"
)

// Certificate gives the certificate of a folder with tls.crt and tls.key, which are read again when
// they change; without a folder, one that the server signs itself.
func Certificate(folder string, log logr.Logger) (func(*tls.ClientHelloInfo) (*tls.Certificate, error), error) {
	if folder == "" {
		cert, key, err := certutil.GenerateSelfSignedCertKey("localhost", []net.IP{{127, 0, 0, 1}}, nil)
		if err != nil {
			return nil, fmt.Errorf("sign a certificate: %w", err)
		}
		pair, err := tls.X509KeyPair(cert, key)
		return func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &pair, nil }, err
	}
	f := &certificateFiles{certificate: filepath.Join(folder, "tls.crt"), key: filepath.Join(folder, "tls.key"), log: log}
	if err := f.read(); err != nil {
		return nil, err
	}
	return f.current, nil
}

// certificateFiles is a certificate that lies in files.
type certificateFiles struct {
	certificate, key string
	log              logr.Logger

	mu   sync.Mutex
	from [2]time.Time // when the files that were read last, faulty or not, had changed
	gone string       // why the files could not be found the last time
	pair tls.Certificate
}

// current is the certificate of the files. While they are no certificate, as when one of the two
// is there already and the other one is not, it is the last one that they were.
func (f *certificateFiles) current(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.read(); err != nil {
		f.log.Error(err, "The certificate is not read again")
	}
	pair := f.pair
	return &pair, nil
}

// read reads the files if they have changed. It returns an error once per change, so that clients, each
// of whose handshakes asks for the certificate, do not fill the log.
func (f *certificateFiles) read() error {
	one, err := os.Stat(f.certificate)
	other, err2 := os.Stat(f.key)
	if err := errors.Join(err, err2); err != nil {
		known := err.Error() == f.gone
		if f.gone = err.Error(); known {
			return nil
		}
		return err
	}
	f.gone = ""
	from := [2]time.Time{one.ModTime(), other.ModTime()}
	if from == f.from {
		return nil
	}
	f.from = from
	pair, err := tls.LoadX509KeyPair(f.certificate, f.key)
	if err != nil {
		return err
	}
	f.pair = pair
	return nil
}

// TLS returns the settings of a server with a certificate.
func TLS(certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)) *tls.Config {
	// HTTP/2 has let clients tie up servers more than once.
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, GetCertificate: certificate}
}
