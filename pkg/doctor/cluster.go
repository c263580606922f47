// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/kube"
	"windtunnel.dev/windtunnel/pkg/kubectl"
)

// Cluster is what the checks of a cluster look at.
type Cluster struct {
	*kube.Client
	Namespace string
	// Version and Engine are those of the binary.
	Version, Engine string
	// WorkerName is the name of the workers' account, binding and role, and WorkerLabels are labels
	// of their pods.
	WorkerName   string
	WorkerLabels map[string]string
	// WorkerRequests are what a worker pod asks for by default.
	WorkerRequests, WorkerLimits corev1.ResourceList
	// Flags select the cluster for kubectl, with a space before each.
	Flags string
}

// serverTimeout bounds the wait for the API server, which may be at an address that drops packets.
const serverTimeout = 30 * time.Second

// Look checks the cluster. Where the API server does not answer, nothing else is looked at.
func (c *Cluster) Look(ctx context.Context) []Finding {
	found := run(ctx, []check{{"API server", c.server}})
	if Failed(found) {
		return found
	}
	return append(found, run(ctx, []check{
		{"definitions", c.definitions},
		{"rights", c.rights},
		{"manager", c.manager},
		{"worker account", c.account},
		{"network policies", c.networkPolicies},
		{"quotas", c.quotas},
		{"limits", c.limitRanges},
		{"webhooks", c.webhooks},
		{"results", c.results},
	})...)
}

func (c *Cluster) server(ctx context.Context) []Finding {
	ctx, cancel := context.WithTimeout(ctx, serverTimeout)
	defer cancel()
	version, err := c.Client.Version(ctx)
	if err != nil {
		return one(Fail, "kubectl cluster-info"+c.Flags, "the API server of the kubeconfig does not answer: %v", err)
	}
	return one(OK, "", "Kubernetes %s answers; the namespace is %s", version, c.Namespace)
}

// A right is an access that a verb needs.
type right struct {
	verb, group, resource, sub string
	// of is what needs it. Missing rights of readers are failures.
	of     string
	writes bool
}

// neededRights are those of the verbs.
var neededRights = []right{
	{"list", v1alpha1.GroupVersion.Group, "policysweeps", "", "top and the completion of names", false},
	{"list", v1alpha1.GroupVersion.Group, "simulationruns", "", "top and the completion of names", false},
	{"get", v1alpha1.GroupVersion.Group, "policysweeps", "", "explain, report and results", false},
	{"watch", v1alpha1.GroupVersion.Group, "policysweeps", "", "watch", false},
	{"get", "", "configmaps", "", "explain, report and results", false},
	{"list", "", "pods", "", "logs", false},
	{"get", "", "pods", "log", "logs", false},
	{"create", v1alpha1.GroupVersion.Group, "policysweeps", "", "kubectl apply", true},
	{"create", v1alpha1.GroupVersion.Group, "simulationruns", "", "kubectl apply", true},
}

func (c *Cluster) rights(ctx context.Context) []Finding {
	var missing []Finding
	for _, r := range neededRights {
		review := &authorizationv1.SelfSubjectAccessReview{}
		review.Spec.ResourceAttributes = &authorizationv1.ResourceAttributes{Namespace: c.Namespace, Verb: r.verb, Group: r.group, Resource: r.resource, Subresource: r.sub}
		if err := c.Create(ctx, authorizationv1.SchemeGroupVersion.WithResource("selfsubjectaccessreviews"), "", review); err != nil {
			return cannot("ask for your own rights", err)
		}
		if review.Status.Allowed {
			continue
		}
		level, role := Fail, "view"
		if r.writes {
			level, role = Warn, "edit"
		}
		missing = append(missing, one(level, fmt.Sprintf("kubectl create rolebinding windtunnel-%s --clusterrole=%s --user=YOU -n %s%s", role, role, c.Namespace, c.Flags),
			"you may not %s %s in namespace %s, which %s needs", r.verb, strings.Trim(r.resource+"/"+r.sub, "/"), c.Namespace, r.of)...)
	}
	if len(missing) > 0 {
		return missing
	}
	return one(OK, "", "you may read and create runs and sweeps in namespace %s, and read their results and logs", c.Namespace)
}

// manager looks at the Deployment of the manager, whose namespace may be any.
func (c *Cluster) manager(ctx context.Context) []Finding {
	var all appsv1.DeploymentList
	err := c.List(ctx, appsv1.SchemeGroupVersion.WithResource("deployments"), "",
		metav1.ListOptions{LabelSelector: labels.FormatLabels(map[string]string{"app.kubernetes.io/name": "windtunnel", "app.kubernetes.io/component": "manager"})}, &all)
	switch {
	case err != nil:
		return cannot("list the Deployments of all namespaces", err)
	case len(all.Items) == 0:
		return one(Fail, "kubectl apply --server-side -k config/default"+c.Flags, "there is no manager in the cluster, so that no run and no sweep is worked on")
	}
	var found []Finding
	for i := range all.Items {
		found = append(found, c.oneManager(&all.Items[i])...)
	}
	if len(all.Items) > 1 {
		found = append(found, one(Warn, "kubectl get deployments -A -l app.kubernetes.io/component=manager,app.kubernetes.io/name=windtunnel"+c.Flags,
			"there are %d managers: each needs namespaces of its own", len(all.Items))...)
	}
	return found
}

func (c *Cluster) oneManager(d *appsv1.Deployment) []Finding {
	where := d.Namespace + "/" + d.Name
	if d.Status.ReadyReplicas == 0 {
		return one(Fail, fmt.Sprintf("kubectl describe deployment %s -n %s%s", d.Name, d.Namespace, c.Flags), "the manager %s is not ready", where)
	}
	image := ""
	if s := d.Spec.Template.Spec.Containers; len(s) > 0 {
		image = s[0].Image
	}
	if version := versionOf(image); version != "" && isRelease(version) && isRelease(c.Version) && version != c.Version {
		return one(Warn, "", "the manager %s is %s, and this command %s: use one version for both, since results of another engine cannot be reported", where, version, c.Version)
	}
	return one(OK, "", "the manager %s is ready (%s)", where, image)
}

// versionOf is the tag of an image; "" where it has none.
func versionOf(image string) string {
	image, _, _ = strings.Cut(image, "@")
	name := image[strings.LastIndex(image, "/")+1:]
	_, tag, _ := strings.Cut(name, ":")
	return tag
}

// isRelease reports whether a version is that of a release, and not of a build.
func isRelease(version string) bool {
	return len(version) > 1 && version[0] == 'v' && version[1] >= '0' && version[1] <= '9'
}

// account looks at what worker pods run as. The manager makes it with the first object.
func (c *Cluster) account(ctx context.Context) []Finding {
	objects, err := kubectl.List(ctx, c.Client, c.Namespace)
	if err != nil {
		return cannot("list runs and sweeps", err)
	}
	describe := fmt.Sprintf("kubectl get serviceaccounts,rolebindings -n %s%s", c.Namespace, c.Flags)
	var binding rbacv1.RoleBinding
	for _, o := range []struct {
		kind     string
		resource schema.GroupVersionResource
		into     runtime.Object
	}{
		{"ServiceAccount", corev1.SchemeGroupVersion.WithResource("serviceaccounts"), &corev1.ServiceAccount{}},
		{"RoleBinding", rbacv1.SchemeGroupVersion.WithResource("rolebindings"), &binding},
	} {
		err := c.Get(ctx, o.resource, types.NamespacedName{Namespace: c.Namespace, Name: c.WorkerName}, o.into)
		switch {
		case apierrors.IsNotFound(err) && len(objects) == 0:
			return one(OK, "", "the manager creates the account %s with the first run or sweep of namespace %s", c.WorkerName, c.Namespace)
		case apierrors.IsNotFound(err):
			return one(Fail, describe, "namespace %s has no %s %s, which the manager creates: see its log for who refuses it", c.Namespace, o.kind, c.WorkerName)
		case err != nil:
			return cannot("read the "+o.kind+" "+c.WorkerName, err)
		}
	}
	if role := binding.RoleRef; role.Kind != "ClusterRole" || role.Name != c.WorkerName {
		return one(Fail, fmt.Sprintf("kubectl delete rolebinding %s -n %s%s", c.WorkerName, c.Namespace, c.Flags),
			"the RoleBinding %s refers to %s %s in place of ClusterRole %s, so that workers cannot write results", c.WorkerName, role.Kind, role.Name, c.WorkerName)
	}
	return one(OK, "", "worker pods have the account %s and its binding", c.WorkerName)
}

// results looks for results that this version of the command cannot report.
func (c *Cluster) results(ctx context.Context) []Finding {
	objects, err := kubectl.List(ctx, c.Client, c.Namespace)
	if err != nil {
		return cannot("list runs and sweeps", err)
	}
	var old, damaged []string
	for _, o := range objects {
		if v := o.Status().EngineVersion; v != "" && v != c.Engine && o.Status().Results != nil {
			old = append(old, o.Ref())
		}
		if o.State() == v1alpha1.ReasonResultsDamaged {
			damaged = append(damaged, o.Ref())
		}
	}
	var found []Finding
	if len(damaged) > 0 {
		found = append(found, one(Fail, fmt.Sprintf("kubectl describe %s -n %s%s", damaged[0], c.Namespace, c.Flags),
			"ConfigMaps of results are gone or changed: %s", listed(damaged))...)
	}
	if len(old) > 0 {
		found = append(found, one(Warn, "", "%s %s results of another engine than %s, which report and promote refuse: %s",
			figure.Plural(len(old), "object"), map[bool]string{true: "has", false: "have"}[len(old) == 1], c.Engine, listed(old))...)
	}
	if len(found) > 0 {
		return found
	}
	return one(OK, "", "%s in namespace %s, with results of engine %s", figure.Plural(len(objects), "object"), c.Namespace, c.Engine)
}

// listed are the first of some names.
func listed(names []string) string {
	const most = 3
	names = slices.Sorted(slices.Values(names))
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
