// SPDX-License-Identifier: Apache-2.0

// Package kube is a client of an API server for programs that read a few kinds. It sends and
// decodes JSON over the transport of client-go. The typed clients and schemes of all kinds add
// 15 MB to a program, and 9 ms to each of its starts.
package kube

import (
	"context"
	"encoding/json"
	"io"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	kjson "sigs.k8s.io/json"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// Runs, Sweeps, ConfigMaps and Pods are the resources that most verbs read.
var (
	Runs       = v1alpha1.GroupVersion.WithResource("simulationruns")
	Sweeps     = v1alpha1.GroupVersion.WithResource("policysweeps")
	ConfigMaps = corev1.SchemeGroupVersion.WithResource("configmaps")
	Pods       = corev1.SchemeGroupVersion.WithResource("pods")
)

// A Client asks one API server. It is safe for concurrent use.
type Client struct{ rest rest.Interface }

// New returns a client of the API server of a configuration.
func New(config *rest.Config) (*Client, error) {
	// Of the answers, the transport decodes errors and the events of watches only.
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config)
	if config.UserAgent == "" {
		config.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	config.ContentType = runtime.ContentTypeJSON
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.UnversionedRESTClientFor(config)
	return &Client{client}, err
}

// Get reads an object. Its key has no namespace where its kind has none.
func (c *Client) Get(ctx context.Context, r schema.GroupVersionResource, key types.NamespacedName, into runtime.Object) error {
	return decode(of(c.rest.Get(), r, key.Namespace).Name(key.Name).Do(ctx), into)
}

// List reads the objects of a namespace, or of all for "".
func (c *Client) List(ctx context.Context, r schema.GroupVersionResource, namespace string, options metav1.ListOptions, into runtime.Object) error {
	return decode(of(c.rest.Get(), r, namespace).VersionedParams(&options, metav1.ParameterCodec).Do(ctx), into)
}

// Watch watches runs or sweeps of a namespace, or of all for "".
func (c *Client) Watch(ctx context.Context, r schema.GroupVersionResource, namespace string, options metav1.ListOptions) (watch.Interface, error) {
	options.Watch = true
	return of(c.rest.Get(), r, namespace).VersionedParams(&options, metav1.ParameterCodec).Watch(ctx)
}

// Create creates an object, which becomes what the server answers.
func (c *Client) Create(ctx context.Context, r schema.GroupVersionResource, namespace string, object runtime.Object) error {
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return decode(of(c.rest.Post(), r, namespace).SetHeader("Content-Type", runtime.ContentTypeJSON).Body(body).Do(ctx), object)
}

// ApplyStatus applies fields of an object's status for an owner, which takes them over from others.
func (c *Client) ApplyStatus(ctx context.Context, r schema.GroupVersionResource, key types.NamespacedName, owner string, fields any) error {
	body, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	request := of(c.rest.Patch(types.ApplyYAMLPatchType), r, key.Namespace).Name(key.Name).SubResource("status")
	return request.Param("fieldManager", owner).Param("force", "true").Body(body).Do(ctx).Error()
}

// Delete deletes an object, and what it owns in the background.
func (c *Client) Delete(ctx context.Context, r schema.GroupVersionResource, key types.NamespacedName) error {
	return of(c.rest.Delete(), r, key.Namespace).Name(key.Name).Do(ctx).Error()
}

// Logs opens the log of a pod. The parameters are those of its subresource log.
func (c *Client) Logs(ctx context.Context, pod types.NamespacedName, parameters map[string]string) (io.ReadCloser, error) {
	request := of(c.rest.Get(), Pods, pod.Namespace).Name(pod.Name).SubResource("log")
	for name, value := range parameters { // in any order
		request.Param(name, value)
	}
	return request.Stream(ctx)
}

// Version is the version of the API server.
func (c *Client) Version(ctx context.Context) (string, error) {
	raw, err := rawOf(c.rest.Get().AbsPath("/version").Do(ctx))
	if err != nil {
		return "", err
	}
	var info version.Info
	err = json.Unmarshal(raw, &info)
	return info.GitVersion, err
}

// of directs a request to a resource.
func of(request *rest.Request, r schema.GroupVersionResource, namespace string) *rest.Request {
	prefix := []string{"/apis", r.Group, r.Version}
	if r.Group == "" {
		prefix = []string{"/api", r.Version}
	}
	return request.AbsPath(prefix...).NamespaceIfScoped(namespace, namespace != "").Resource(r.Resource)
}

// rawOf returns the body of an answer. An error has the reason that the server's Status gives.
func rawOf(answer rest.Result) ([]byte, error) {
	if err := answer.Error(); err != nil { // Raw loses the reason
		return nil, err
	}
	return answer.Raw()
}

// decode decodes an answer as the typed clients do: without the object's own kind, and with
// names of fields in their case.
func decode(answer rest.Result, into runtime.Object) error {
	raw, err := rawOf(answer)
	if err != nil {
		return err
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(raw, into); err != nil {
		return err
	}
	into.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return nil
}
