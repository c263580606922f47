// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// ErrNothing says that the files have no engine and no EPP.
var ErrNothing = errors.New("there is no engine of vLLM, no LLMInferenceService and no EPP in it")

// A reader collects what documents say.
type reader struct {
	options   Options
	documents []*document
	cluster   Cluster
	errs      field.ErrorList

	workloads   []workload
	pools       []inferencePool
	pickers     []picker
	autoscalers []*document
	routes      []routeManifest
	rewrites    []routeManifest
	members     []member
	// labels are those of the pods of pools, and ofPool the InferencePool of each pool.
	labels map[string]map[string]string
	// targets are the pools by the name of what an autoscaler scales.
	targets map[string]string
	// files are those of objects, by kind, namespace and name.
	files map[[3]string]string
	// others are kinds that the scenario has no place for.
	others map[string]int
}

func (r *reader) fault(err *field.Error) {
	if err != nil {
		r.errs = append(r.errs, err)
	}
}

func (r *reader) note(text string, values ...any) {
	if text = fmt.Sprintf(text, values...); !slices.Contains(r.cluster.Notes, text) {
		r.cluster.Notes = append(r.cluster.Notes, text)
	}
}

// Read reads files. Errors are field.ErrorLists with the paths of what is wrong, or say that a file
// is no YAML.
func Read(all []File, o Options) (*Cluster, error) {
	r := &reader{options: o, labels: map[string]map[string]string{}, files: map[[3]string]string{}, targets: map[string]string{}, others: map[string]int{}}
	var unread []error
	for _, f := range all {
		found, err := documents(f)
		switch {
		case err != nil && f.Found:
			r.note("%s, and so it was passed over", err)
		case err != nil:
			unread = append(unread, err)
		}
		r.documents = append(r.documents, found...)
	}
	if len(unread) > 0 {
		return nil, errors.Join(unread...)
	}
	for _, d := range r.documents {
		r.read(d)
	}
	r.build()
	if len(r.errs) > 0 {
		return nil, r.errs.ToAggregate()
	}
	if len(r.cluster.Pools) == 0 {
		return nil, ErrNothing
	}
	return &r.cluster, nil
}

// outOfScope are kinds about access, storage, monitoring and the way to the gateway.
var outOfScope = []string{
	"Namespace", "Service", "ServiceAccount", "Secret", "ConfigMap", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition",
	"PersistentVolumeClaim", "PersistentVolume", "PodMonitor", "ServiceMonitor", "PodMonitoring", "Gateway", "NetworkPolicy", "LLMInferenceServiceConfig",
}

// read takes a document to those that its kind belongs to.
func (r *reader) read(d *document) {
	if r.isThere(d) {
		return
	}
	switch d.Kind {
	case "":
		r.values(d)
	case "Deployment", "StatefulSet", "LeaderWorkerSet", "DisaggregatedSet":
		found, err := workloads(d)
		r.fault(err)
		for i := range found {
			if !r.readPicker(d, &found[i]) {
				r.workloads = append(r.workloads, found[i])
			}
		}
	case "LLMInferenceService":
		r.service(d)
	case "InferencePool":
		r.inferencePool(d)
	case "InferenceObjective", "InferenceModel":
		r.objective(d)
	case "HorizontalPodAutoscaler", "ScaledObject", "PodAutoscaler":
		r.autoscalers = append(r.autoscalers, d)
	case "HTTPRoute":
		r.httpRoute(d)
	case "InferenceModelRewrite":
		r.modelRewrite(d)
	case "Kustomization":
		r.fault(field.Forbidden(d.atOrFile(), "a kustomization is to be built first: kubectl kustomize FOLDER | windtunnel init -"))
	default:
		if !slices.Contains(outOfScope, d.Kind) {
			r.others[d.Kind]++
		}
	}
}

// isThere reports whether an object that counts was read before, which is a fault: one of the two would count twice.
func (r *reader) isThere(d *document) bool {
	if d.Kind == "" || d.Metadata.Name == "" || slices.Contains(outOfScope, d.Kind) {
		return false
	}
	key := [3]string{d.Kind, d.Metadata.Namespace, d.Metadata.Name}
	file, found := r.files[key]
	switch {
	case found && file == d.file:
		r.fault(field.Forbidden(d.at(), file+" has it twice: keep one"))
	case found:
		r.fault(field.Forbidden(d.at(), fmt.Sprintf("%s and %s have it: name the file of one", file, d.file)))
	}
	r.files[key] = d.file
	return found
}

// build makes pools, routers and scalers of what was read.
func (r *reader) build() {
	r.selectPool()
	r.buildPools()
	r.buildRouters()
	r.buildRoute()
	r.buildScalers()
	slices.SortStableFunc(r.cluster.Objectives, func(a, b Objective) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), strings.Compare(a.Name, b.Name))
	})
	if len(r.others) > 0 {
		r.note("kinds that the scenario has no place for: %s", strings.Join(slices.Sorted(maps.Keys(r.others)), ", "))
	}
}

// buildPools makes a pool of each workload that serves a model, those of one InferencePool next to
// each other.
func (r *reader) buildPools() {
	for i := range r.pools {
		for j := range r.workloads {
			if w := &r.workloads[j]; w.selected(r.pools[i].selector) {
				r.addPool(w, &r.pools[i])
			}
		}
		if len(r.pools[i].pools) == 0 {
			r.note("%s selects no engine of the files", r.pools[i].from)
		}
	}
	for j := range r.workloads {
		w := &r.workloads[j]
		switch {
		case slices.ContainsFunc(r.pools, func(p inferencePool) bool { return w.selected(p.selector) }):
		case len(r.pools) > 0:
			if _, ok := w.engineOf(); ok {
				r.note("%s is in no InferencePool of the files, and so in no pool", w.from)
			}
		default:
			r.addPool(w, nil)
		}
	}
}

// addPool adds the pool of a workload to the cluster and to its InferencePool.
func (r *reader) addPool(w *workload, of *inferencePool) {
	p, ok := w.engineOf()
	switch {
	case !ok:
		if of != nil {
			r.note("%s serves no model by vLLM, and is in no pool", w.from)
		} else if len(w.pod.Containers) > 0 {
			r.note("%s starts no engine of vLLM", w.from)
		}
		return
	case p.other != "":
		r.fault(field.NotSupported(p.at, p.other, []string{"vllm"}))
		return
	case w.labels[roleLabel] == "encode":
		r.note("%s encodes images for others, which the scenario does not have: it is in no pool", w.from)
		return
	}
	pool := r.pool(w, &p)
	for n, name := 2, pool.Name; r.poolNamed(pool.Name) != nil; n++ {
		ending := fmt.Sprintf("-%d", n)
		pool.Name = name[:min(len(name), maxPoolName-len(ending))] + ending
	}
	r.cluster.Pools = append(r.cluster.Pools, pool)
	r.targets[w.name] = pool.Name
	if of != nil {
		of.pools = append(of.pools, pool.Name)
	}
}

// poolNamed is a pool of the cluster.
func (r *reader) poolNamed(name string) *v1alpha1.Pool {
	for i := range r.cluster.Pools {
		if r.cluster.Pools[i].Name == name {
			return &r.cluster.Pools[i].Pool
		}
	}
	return nil
}
