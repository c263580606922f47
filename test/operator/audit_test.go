// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"
)

// audit is for runs of all tests: only together do they make use of every right.
//
//	KUBEBUILDER_ASSETS=$(hack/kube-assets.sh) go test ./test/operator -audit
var audit = flag.Bool("audit", false, "fail where the manager's role has rights that the tests made no use of")

// auditPolicy has the API server note what the manager's user does.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  users: [%q]
- level: None
`

// right is what a rule of a role gives.
type right struct{ group, resource, verb string }

// unusedRights are the rights of the shipped role of which the manager made no use
// while the tests ran, whether it is the one of all tests or a process. Not looked at
// is what leaves no trace there: to bind and to block a deletion take no request of their own, a series of
// events longer than tests do, and a watch that begins with a list needs no other one
// where the API server can do that.
func unusedRights(auditLog string) ([]string, error) {
	used, err := usedRights(auditLog)
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(filepath.Join("..", "..", "config", "rbac", "role.yaml"))
	if err != nil {
		return nil, err
	}
	var role rbacv1.ClusterRole
	if err := yaml.Unmarshal(raw, &role); err != nil {
		return nil, err
	}
	var unused []string
	for _, rule := range role.Rules {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				r := right{rule.APIGroups[0], resource, verb}
				if !used[r] && verb != "bind" && !strings.HasSuffix(resource, "/finalizers") && (resource != "events" || verb != "patch") &&
					(verb != "list" || !used[right{r.group, r.resource, "watch"}]) {
					unused = append(unused, fmt.Sprintf("%s %s/%s", verb, r.group, resource))
				}
			}
		}
	}
	slices.Sort(unused)
	return unused, nil
}

// usedRights are what an audit log says was asked for and given.
func usedRights(auditLog string) (map[right]bool, error) {
	used := map[right]bool{}
	err := eachAudited(auditLog, func(e *auditv1.Event) {
		// What a test tries with the manager's rights is no use of them.
		code := ptr.Deref(e.ResponseStatus, metav1.Status{Code: http.StatusForbidden}).Code
		given := (code < 400 || code == http.StatusNotFound) && !strings.Contains(e.RequestURI, "dryRun=")
		if ref := e.ObjectRef; given && ref != nil {
			resource := strings.TrimSuffix(ref.Resource+"/"+ref.Subresource, "/")
			used[right{ref.APIGroup, resource, e.Verb}] = true
		}
	})
	return used, err
}

// auditedWrites are the requests in an audit log by which something in a namespace was written, and
// those to write that were refused, such as of a manager whose cache is late.
func auditedWrites(auditLog, namespace string) (writes, refused []string, err error) {
	err = eachAudited(auditLog, func(e *auditv1.Event) {
		if ref := e.ObjectRef; ref != nil && ref.Namespace == namespace && !slices.Contains([]string{"get", "list", "watch"}, e.Verb) {
			write := strings.TrimSuffix(e.Verb+" "+ref.Resource+"/"+ref.Subresource, "/") + " " + ref.Name
			if ptr.Deref(e.ResponseStatus, metav1.Status{}).Code < 400 {
				writes = append(writes, write)
			} else {
				refused = append(refused, write)
			}
		}
	})
	return writes, refused, err
}

// eachAudited calls a function for each event of an audit log.
func eachAudited(auditLog string, f func(*auditv1.Event)) error {
	file, err := os.Open(auditLog)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e auditv1.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return err
		}
		f(&e)
	}
	return lines.Err()
}
