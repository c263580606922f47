// SPDX-License-Identifier: Apache-2.0

// Package rollouts_test has Argo Rollouts and Flagger roll out on a real cluster, with the objects
// of config/gates and verdicts of a real manager: a good candidate, a bad one, and one of which too
// little is known.
//
// make test-rollouts runs it, and CI does not: the first build of the two controllers takes eight
// minutes of one core, and what it tests changes with their releases only. Kargo is not part of it.
package rollouts_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// assetsVariable names the folder of what hack/rollouts.sh builds.
const assetsVariable = "WINDTUNNEL_ROLLOUTS"

const (
	root            = "../.."
	systemNamespace = "windtunnel-system"
)

// where the manager serves, by the addresses of its Services: the cluster has no DNS.
var web, flagger string

func TestMain(m *testing.M) {
	if os.Getenv(assetsVariable) == "" {
		fmt.Println("test/rollouts needs a cluster, Argo Rollouts and Flagger: make test-rollouts brings them")
		os.Exit(0)
	}
	os.Exit(run(m))
}

// run runs the tests between the start and the end of the controllers.
func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "windtunnel-rollouts-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	if err := install(folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	stop, err := startControllers(folder)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	stop()
	if code != 0 {
		for _, log := range []string{argoLog, flaggerLog} {
			raw, _ := os.ReadFile(filepath.Join(folder, log))
			fmt.Fprintf(os.Stderr, "end of %s:\n%s\n", log, raw[max(0, len(raw)-8000):])
		}
	}
	return code
}

// install installs the manager with what rollouts ask, and the kinds of the controllers.
func install(folder string) error {
	if _, err := kubectl(nil, "apply", "--server-side", "-k", "manager"); err != nil {
		return err
	}
	for service, at := range map[string]*string{"windtunnel-web": &web, "windtunnel-flagger": &flagger} {
		address, err := kubectl(nil, "-n", systemNamespace, "get", "service", service, "-o", "jsonpath={.spec.clusterIP}")
		if err != nil {
			return err
		}
		*at = address
	}
	if err := writeCertificate(folder, web); err != nil {
		return err
	}
	secret, err := kubectl(nil, "-n", systemNamespace, "create", "secret", "tls", "windtunnel-web-tls", "--dry-run=client", "-o", "yaml",
		"--cert", filepath.Join(folder, "tls.crt"), "--key", filepath.Join(folder, "tls.key"))
	if err != nil {
		return err
	}
	if _, err := kubectl([]byte(secret), "apply", "-f", "-"); err != nil {
		return err
	}
	for _, controller := range []string{"rollouts-controller", "flagger"} {
		// Client-side apply has no room for definitions of this size.
		if _, err := kubectl(nil, "apply", "--server-side", "-f", filepath.Join(os.Getenv(assetsVariable), "crds", controller)); err != nil {
			return err
		}
	}
	// A cluster that was kept has a manager with the certificate of the tests before.
	if _, err := kubectl(nil, "-n", systemNamespace, "rollout", "restart", "deployment/windtunnel-manager"); err != nil {
		return err
	}
	_, err = kubectl(nil, "-n", systemNamespace, "rollout", "status", "deployment/windtunnel-manager", "--timeout=3m")
	return err
}

// object reads an object of the repository with some texts replaced.
func object(file string, replaced ...string) ([]byte, error) {
	raw, err := os.ReadFile(filepath.Join(root, file))
	return []byte(strings.NewReplacer(replaced...).Replace(string(raw))), err
}
