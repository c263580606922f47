// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
)

// createBackoff bounds how long a create is tried again while the API server is
// away or asks for time.
var createBackoff = wait.Backoff{Duration: 500 * time.Millisecond, Factor: 2, Jitter: 0.1, Steps: 7, Cap: 30 * time.Second}

// Cluster creates ConfigMaps on an API server. Its client knows one kind: the typed clients of
// all kinds double the size and the start of a worker.
type Cluster struct{ client rest.Interface }

// NewCluster returns the API server of a configuration.
func NewCluster(config *rest.Config) (Cluster, error) {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return Cluster{}, err
	}
	config = rest.CopyConfig(config)
	config.UserAgent = rest.DefaultKubernetesUserAgent()
	config.APIPath, config.GroupVersion = "/api", &corev1.SchemeGroupVersion
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.RESTClientFor(config)
	return Cluster{client}, err
}

// CreateConfigMap implements Creator. What an API server may get over is tried
// again; a refusal is final.
func (c Cluster) CreateConfigMap(ctx context.Context, cm *corev1.ConfigMap) error {
	var last error
	err := wait.ExponentialBackoffWithContext(ctx, createBackoff, func(ctx context.Context) (bool, error) {
		last = c.client.Post().Namespace(cm.Namespace).Resource("configmaps").Body(cm).Do(ctx).Error()
		switch {
		case last == nil || apierrors.IsAlreadyExists(last):
			return true, nil
		case isPermanent(last):
			return false, last
		default:
			return false, nil
		}
	})
	if wait.Interrupted(err) && last != nil {
		return last
	}
	return err
}

// isPermanent tells answers that stay the same. Forbidden is none of them: rights
// that were just given, and quotas, need time.
func isPermanent(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsNotFound(err) ||
		apierrors.IsUnauthorized(err) || apierrors.IsRequestEntityTooLargeError(err)
}
