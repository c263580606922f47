// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"windtunnel.dev/windtunnel/controllers"
)

// namespace is where everything is.
const namespace = "performance"

// platform is an API server with our CRDs, and the built binary.
type platform struct {
	env     *envtest.Environment
	client  client.Client
	folder  string
	binary  string
	manager string // its kubeconfig
	token   string // of who may read metrics
}

func start(ctx context.Context) (*platform, error) {
	folder, err := os.MkdirTemp("", "windtunnel-performance-")
	if err != nil {
		return nil, err
	}
	p := &platform{folder: folder, binary: filepath.Join(folder, "windtunnel"), manager: filepath.Join(folder, "kubeconfig")}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", folder, "./cmd/windtunnel", "./cmd/windtunnel-manager")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as the image's is
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build windtunnel: %w\n%s", err, out)
	}
	p.env = &envtest.Environment{CRDDirectoryPaths: []string{filepath.Join("config", "crd", "bases")}, ErrorIfCRDPathMissing: true}
	config, err := p.env.Start()
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	if p.client, err = client.New(config, client.Options{Scheme: controllers.Scheme()}); err != nil {
		return nil, errors.Join(err, p.close())
	}
	if err := p.prepare(ctx); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// prepare makes the namespace, and two users who may do anything: what rights are
// needed is tested elsewhere.
func (p *platform) prepare(ctx context.Context) error {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "scraper"}}
	for _, o := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}},
		account,
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "scraper"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: account.Name, Namespace: namespace}},
		},
	} {
		if err := p.client.Create(ctx, o); err != nil {
			return err
		}
	}
	kube, err := kubernetes.NewForConfig(p.env.Config)
	if err != nil {
		return err
	}
	token, err := kube.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, account.Name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	p.token = token.Status.Token
	user, err := p.env.AddUser(envtest.User{Name: "manager", Groups: []string{"system:masters"}}, nil)
	if err != nil {
		return err
	}
	raw, err := user.KubeConfig()
	if err != nil {
		return err
	}
	return os.WriteFile(p.manager, raw, 0o600)
}

func (p *platform) close() error {
	return errors.Join(p.env.Stop(), os.RemoveAll(p.folder))
}
