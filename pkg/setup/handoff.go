// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"slices"
	"strings"

	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/native"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// roleLabel is the label by which the EPP tells what a pod is for.
const roleLabel = "llm-d.ai/role"

// Prefills reports whether a pool computes prompts that another one decodes.
func Prefills(p *v1alpha1.Pool) bool {
	return p.Role == v1alpha1.PrefillRole || p.Role == v1alpha1.BothRole
}

// decodes is true of pools without a role, as it is of pods without the label.
func decodes(p *v1alpha1.Pool) bool { return p.Role != v1alpha1.PrefillRole }

// hasOneStage tells pools that do half of the work.
func hasOneStage(p *v1alpha1.Pool) bool {
	return p.Role == v1alpha1.PrefillRole || p.Role == v1alpha1.DecodeRole
}

// hasPodLabels says whether some pool's pods have labels.
func hasPodLabels(in []v1alpha1.Pool) bool {
	return slices.ContainsFunc(in, func(p v1alpha1.Pool) bool { return podLabels(&p) != nil })
}

// endpointLabels are the labels of each endpoint's pod; nil where none has any.
func endpointLabels(in *v1alpha1.Scenario) []map[string]string {
	if !hasPodLabels(in.Pools) {
		return nil
	}
	var all []map[string]string
	for i := range in.Pools {
		labels := podLabels(&in.Pools[i])
		for range places(in, &in.Pools[i]) {
			all = append(all, labels)
		}
	}
	return all
}

func podLabels(p *v1alpha1.Pool) map[string]string {
	if len(p.Labels) == 0 && p.Role == "" {
		return nil
	}
	labels := map[string]string{}
	for name, value := range p.Labels {
		labels[name] = string(value)
	}
	if p.Role != "" {
		labels[roleLabel] = strings.ToLower(string(p.Role))
	}
	return labels
}

// nativeRoles are the roles of endpoints by their label. Pods without it serve whole requests.
var nativeRoles = map[string]native.Role{
	"": native.Decodes, "prefill": native.Prefills, "decode": native.Decodes, "both": native.DoesBoth,
}

// rolesOf are the roles of endpoints; nil where each serves whole requests.
func rolesOf(cluster *config.Cluster) []native.Role {
	var all []native.Role
	halves := false
	for _, labels := range cluster.Labels {
		role := nativeRoles[labels[roleLabel]]
		all = append(all, role)
		halves = halves || labels[roleLabel] != "" && role != native.DoesBoth
	}
	if !halves {
		return nil
	}
	return all
}

func validateLabels(in []v1alpha1.Pool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range in {
		errs = append(errs, metav1validation.ValidateLabels(podLabels(&in[i]), path.Index(i).Child("labels"))...)
	}
	return errs
}

// validateRoles says where pools do not make a cluster that can hand over, or
// one that hands over is not asked to.
func validateRoles(in []v1alpha1.Pool, path *field.Path) field.ErrorList {
	alone := func(i int, does, lacks string, role v1alpha1.Role) *field.Error {
		return field.Invalid(path.Index(i).Child("role"), in[i].Role, fmt.Sprintf(
			"this pool %[2]s, but no pool %[1]s: add a pool of role %[3]s, or give this one role Both", lacks, does, role))
	}
	var errs field.ErrorList
	some := func(does func(*v1alpha1.Pool) bool) bool {
		return slices.ContainsFunc(in, func(p v1alpha1.Pool) bool { return does(&p) })
	}
	for i := range in {
		switch {
		case in[i].Role == v1alpha1.PrefillRole && !some(decodes):
			errs = append(errs, alone(i, "prefills", "decodes", v1alpha1.DecodeRole))
		case in[i].Role == v1alpha1.DecodeRole && !some(Prefills):
			errs = append(errs, alone(i, "decodes", "prefills", v1alpha1.PrefillRole))
		}
	}
	return append(errs, validateKVShapes(in, path)...)
}

// validateKVShapes says where a block of one pool means nothing to another.
func validateKVShapes(in []v1alpha1.Pool, path *field.Path) field.ErrorList {
	first := slices.IndexFunc(in, func(p v1alpha1.Pool) bool { return Prefills(&p) })
	if first < 0 {
		return nil
	}
	var errs field.ErrorList
	from := &in[first]
	for i := range in {
		if in[i].Engine.BlockSize != from.Engine.BlockSize {
			errs = append(errs, field.Invalid(path.Index(i).Child("engine", "blockSize"), in[i].Engine.BlockSize, fmt.Sprintf(
				"pools that hand KV over must have blocks of the same size; blocks of pool %s have %d tokens", from.Name, from.Engine.BlockSize)))
		}
		if format := kvFormat(&in[i]); format != kvFormat(from) {
			errs = append(errs, field.Invalid(path.Index(i).Child("quantization", "kvCache"), in[i].Quantization.KVCache, fmt.Sprintf(
				"pools that hand KV over must have the same KV format; the format of pool %s is %s", from.Name, kvFormat(from))))
		}
	}
	return errs
}

func kvFormat(p *v1alpha1.Pool) v1alpha1.KVPrecision {
	if p.Quantization.KVCache == v1alpha1.AutoPrecision {
		return "bf16"
	}
	return p.Quantization.KVCache
}

// validateRouter says where pools and router do not agree on whether there is
// anything to hand over.
func validateRouter(in *v1alpha1.Scenario, router *Routing, path *field.Path) field.ErrorList {
	if router.disaggregates(in.Pools) {
		if slices.ContainsFunc(in.Pools, func(p v1alpha1.Pool) bool { return Prefills(&p) }) {
			return nil
		}
		return field.ErrorList{field.Forbidden(path.Child("router", "endpointPickerConfig"),
			"the router lets one replica compute a prompt that another one decodes, but no pool has role Prefill or Both")}
	}
	var errs field.ErrorList
	for i := range in.Pools {
		if hasOneStage(&in.Pools[i]) {
			errs = append(errs, field.Invalid(path.Child("pools").Index(i).Child("role"), in.Pools[i].Role,
				"the router's configuration never hands a prompt over: add a disagg-profile-handler with a decider and a profile of each stage, leave the role out, or route by router.policies, which choose for each stage"))
		}
	}
	return errs
}

var granularities = map[v1alpha1.Granularity]simulator.Granularity{
	"":                         simulator.GranularityChunk,
	v1alpha1.BlockGranularity:  simulator.GranularityBlock,
	v1alpha1.ChunkGranularity:  simulator.GranularityChunk,
	v1alpha1.StreamGranularity: simulator.GranularityStream,
}

// buildHandoff makes the way of KV between replicas; nothing where none ever
// goes.
func buildHandoff(in *v1alpha1.Scenario, router *Routing, path *field.Path) (simulator.Handoff, field.ErrorList) {
	d := in.Disaggregation
	if d == nil {
		d = &v1alpha1.Disaggregation{}
	}
	egress, ingress, errs := buildLink(&d.Network, defaultNetwork, 1, path.Child("network"))
	if router == nil || !router.disaggregates(in.Pools) {
		return simulator.Handoff{}, errs
	}
	ingress.Latency = 0 // a transfer waits for the network's latency once, where it leaves
	h := simulator.Handoff{
		Egress:      egress,
		Ingress:     ingress,
		Granularity: granularities[d.Granularity],
		SingleOwner: d.Ownership == v1alpha1.SingleOwnerSeedOwnership,
		MaxPending:  int(d.MaxPendingHandoffs),
	}
	if d.Pipelining != nil {
		h.StartShare = d.Pipelining.StartShare.Float()
	}
	return h, errs
}

// handoffNotes say what of the way of KV between replicas has no effect.
func handoffNotes(in *v1alpha1.Scenario, config *simulator.Config, path *field.Path) []string {
	if in.Disaggregation == nil || config.Handoff != (simulator.Handoff{}) {
		return nil
	}
	return []string{fmt.Sprintf("%s: has no effect, because the router never hands a prompt over", path.Child("disaggregation"))}
}
