// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

// createBackoff bounds how long a create is tried again while the API server is
// away or asks for time.
var createBackoff = wait.Backoff{Duration: 500 * time.Millisecond, Factor: 2, Jitter: 0.1, Steps: 7, Cap: 30 * time.Second}

// Cluster creates ConfigMaps on an API server.
type Cluster struct{ Client kubernetes.Interface }

// CreateConfigMap implements Creator. What an API server may get over is tried
// again; a refusal is final.
func (c Cluster) CreateConfigMap(ctx context.Context, cm *corev1.ConfigMap) error {
	var last error
	err := wait.ExponentialBackoffWithContext(ctx, createBackoff, func(ctx context.Context) (bool, error) {
		_, last = c.Client.CoreV1().ConfigMaps(cm.Namespace).Create(ctx, cm, metav1.CreateOptions{})
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
