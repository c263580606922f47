// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/pkg/kubectl"
)

// completionTimeout bounds how long a shell waits for the names of objects.
const completionTimeout = 3 * time.Second

// CompleteObjects has a shell complete the names of objects of a kind, or of both for "". At most
// the given number of arguments are objects. What remains is left to the names of files if a verb takes them.
func (o *Options) CompleteObjects(kind string, most int, files bool) cobra.CompletionFunc {
	directive := cobra.ShellCompDirectiveNoFileComp
	if files {
		directive = cobra.ShellCompDirectiveDefault
	}
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, directive
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTimeout)
		defer cancel()
		c, err := o.Connect()
		if err != nil {
			return nil, directive
		}
		objects, err := kubectl.List(ctx, c.Client, c.Namespace)
		if err != nil {
			return nil, directive
		}
		return completedNames(objects, kind, begun), directive
	}
}

// completedNames are the names of objects that begin like a word, with their types where the word has
// one, or two objects have the name.
func completedNames(objects []kubectl.Object, kind, begun string) []cobra.Completion {
	count := map[string]int{}
	for _, o := range objects {
		if kind == "" || kind == o.Kind() {
			count[o.Meta().Name]++
		}
	}
	var names []cobra.Completion
	for _, o := range objects {
		if kind != "" && kind != o.Kind() {
			continue
		}
		name := o.Meta().Name
		if count[name] > 1 || strings.Contains(begun, "/") {
			name = o.Ref()
		}
		if strings.HasPrefix(name, begun) {
			names = append(names, cobra.CompletionWithDesc(name, strings.Join(strings.Fields(o.Kind()+" "+o.State()+" "+o.OutcomeWord()), " ")))
		}
	}
	slices.Sort(names)
	return names
}

// completeNamespaces completes the value of --namespace.
func (o *Options) completeNamespaces(cmd *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTimeout)
	defer cancel()
	c, err := o.Connect()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var all metav1.PartialObjectMetadataList
	if err := c.List(ctx, corev1.SchemeGroupVersion.WithResource("namespaces"), "", metav1.ListOptions{}, &all); err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []cobra.Completion
	for i := range all.Items {
		if name := all.Items[i].Name; strings.HasPrefix(name, begun) {
			names = append(names, name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeContexts completes the value of --context.
func (o *Options) completeContexts(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	unset := Options{kubeconfig: o.kubeconfig}
	raw, err := unset.Loader().RawConfig()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(raw.Contexts)), func(n string) bool { return !strings.HasPrefix(n, begun) })
	return names, cobra.ShellCompDirectiveNoFileComp
}
