// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// accountLabels are those of the account of worker pods, which all objects of a
// namespace share.
func accountLabels() map[string]string {
	return map[string]string{
		"app.kubernetes.io/name":       "windtunnel",
		"app.kubernetes.io/part-of":    "windtunnel",
		"app.kubernetes.io/managed-by": "windtunnel",
		LabelComponent:                 ComponentWorker,
	}
}

// makeServiceAccount makes the account of a namespace's worker pods, which ask for
// their token themselves: whoever else runs as this account gets none unasked.
func makeServiceAccount(namespace string) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: WorkerName, Labels: accountLabels()},

		AutomountServiceAccountToken: ptr.To(false),
	}
}

// makeRoleBinding lets that account create ConfigMaps in its namespace, and
// nothing else.
func makeRoleBinding(namespace string) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "RoleBinding"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: WorkerName, Labels: accountLabels()},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: WorkerName},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: WorkerName, Namespace: namespace}},
	}
}
