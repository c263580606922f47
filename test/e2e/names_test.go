// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"net"
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// names is the Service at whose address the pods of the cluster of our own ask for names, with the node as its
// endpoint.
const names = `
apiVersion: v1
kind: Service
metadata: {name: kube-dns, namespace: kube-system}
spec: {clusterIP: 10.96.0.10, ports: [{name: dns, port: 53, protocol: UDP}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: kube-dns, namespace: kube-system, labels: {kubernetes.io/service-name: kube-dns}}
addressType: IPv4
ports: [{name: dns, port: 53, protocol: UDP}]
endpoints: [{addresses: [10.244.0.1], conditions: {ready: true}}]
`

// serveNames answers the pods' questions for headless Services until the test ends: the cluster of our own has
// no DNS.
func serveNames(t *testing.T) {
	t.Helper()
	at, err := net.ListenPacket("udp", "10.244.0.1:53")
	if err != nil {
		t.Fatal(err)
	}
	system := namespace("kube-system")
	system.apply(t, []byte(names))
	t.Cleanup(func() {
		_ = at.Close()
		if _, err := system.try("delete", "service/kube-dns", "endpointslice/kube-dns", "--ignore-not-found"); err != nil {
			t.Error(err)
		}
	})
	go func() {
		question := make([]byte, 512)
		for {
			n, from, err := at.ReadFrom(question)
			if err != nil {
				return
			}
			if reply := answer(question[:n]); reply != nil {
				_, _ = at.WriteTo(reply, from) // asked again where it is lost
			}
		}
	}()
}

// answer has the ready endpoints of a Service that a question names as NAME.NAMESPACE.svc.cluster.local.
func answer(question []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m.Response, m.Authoritative, m.RCode = true, true, dnsmessage.RCodeNameError
	m.Additionals = nil
	service, is := strings.CutSuffix(q.Name.String(), ".svc.cluster.local.")
	name, of, one := strings.Cut(service, ".")
	if is && one && !strings.Contains(of, ".") {
		ready, err := namespace(of).try("get", "endpointslices", "-l", "kubernetes.io/service-name="+name,
			"-o", "jsonpath={.items[*].endpoints[?(@.conditions.ready==true)].addresses[0]}")
		if err != nil {
			return nil
		}
		for text := range strings.FieldsSeq(ready) {
			if address, err := netip.ParseAddr(text); err == nil && address.Is4() && q.Type == dnsmessage.TypeA {
				m.RCode = dnsmessage.RCodeSuccess
				m.Answers = append(m.Answers, dnsmessage.Resource{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
					Body:   &dnsmessage.AResource{A: address.As4()},
				})
			}
		}
	}
	reply, err := m.Pack()
	if err != nil {
		return nil
	}
	return reply
}
