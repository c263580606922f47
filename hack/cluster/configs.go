// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
)

// writeConfigs writes the files that the programs of the node are configured by.
func (c *cluster) writeConfigs() error {
	values := strings.NewReplacer(
		"${DIR}", c.dir,
		"${PAUSE}", pauseImage,
		"${CNI}", cniBinaries,
		"${BRIDGE}", bridge,
		"${NETWORK}", network,
		"${PODS}", podRange,
		"${FIRST}", firstPodIP,
		"${NODE}", nodeName,
		"${IP}", nodeIP,
		"${DNS}", dnsIP,
		"${CGROUP}", cgroupRoot,
	)
	for name, content := range map[string]string{
		"containerd.toml":        containerdConfig,
		"cni/10-bridge.conflist": cniConfig,
		"kubelet.yaml":           kubeletConfig,
		"kube-proxy.yaml":        proxyConfig,
	} {
		if err := os.WriteFile(filepath.Join(c.dir, name), []byte(values.Replace(content)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// containerdConfig keeps all that containerd makes in the cluster's folder, the
// network namespaces of pods included. Not every machine lets root lower the
// oom_score_adj of a process: restricted, the runtime does not try to.
const containerdConfig = `version = 3
root = '${DIR}/containerd'
state = '${DIR}/run/containerd'

[grpc]
address = '${DIR}/run/containerd.sock'

[plugins.'io.containerd.internal.v1.opt']
path = '${DIR}/containerd/opt'

[plugins.'io.containerd.nri.v1.nri']
disable = true

[plugins.'io.containerd.cri.v1.images'.pinned_images]
sandbox = '${PAUSE}'

[plugins.'io.containerd.cri.v1.runtime']
restrict_oom_score_adj = true
netns_mounts_under_state_dir = true

[plugins.'io.containerd.cri.v1.runtime'.cni]
bin_dirs = ['${CNI}']
conf_dir = '${DIR}/cni'

[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
runtime_type = 'io.containerd.runc.v2'

[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
Root = '${DIR}/run/runc'
SystemdCgroup = false
`

// cniConfig has no masquerading: pods talk to each other and to the API server.
const cniConfig = `{
  "cniVersion": "1.0.0",
  "name": "${NETWORK}",
  "plugins": [{
    "type": "bridge",
    "bridge": "${BRIDGE}",
    "isGateway": true,
    "hairpinMode": true,
    "ipam": {
      "type": "host-local",
      "dataDir": "${DIR}/ipam",
      "ranges": [[{"subnet": "${PODS}", "rangeStart": "${FIRST}", "gateway": "${IP}"}]],
      "routes": [{"dst": "0.0.0.0/0"}]
    }
  }]
}
`

// kubeletConfig evicts late and never deletes images: the disk is the machine's,
// and an image that was loaded cannot be pulled again. It leaves the rules of
// the packet filter to kube-proxy.
const kubeletConfig = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: ${IP}
authentication:
  anonymous: {enabled: false}
  webhook: {enabled: true}
  x509: {clientCAFile: ${DIR}/pki/ca.crt}
authorization: {mode: Webhook}
tlsCertFile: ${DIR}/pki/kubelet-server.crt
tlsPrivateKeyFile: ${DIR}/pki/kubelet-server.key
cgroupDriver: cgroupfs
cgroupRoot: /${CGROUP}
failCgroupV1: false
failSwapOn: false
clusterDNS: [${DNS}]
clusterDomain: cluster.local
containerRuntimeEndpoint: unix://${DIR}/run/containerd.sock
podLogsDir: ${DIR}/pods
volumePluginDir: ${DIR}/kubelet/volume-plugins
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, nodefs.inodesFree: 1%, imagefs.available: 1%}
imageGCHighThresholdPercent: 100
makeIPTablesUtilChains: false
`

// proxyConfig leaves the limits of connection tracking as they are: they belong
// to the machine.
const proxyConfig = `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
clusterCIDR: ${PODS}
hostnameOverride: ${NODE}
clientConnection: {kubeconfig: ${DIR}/kube-proxy.kubeconfig}
healthzBindAddress: 127.0.0.1:10256
metricsBindAddress: 127.0.0.1:10249
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
`
