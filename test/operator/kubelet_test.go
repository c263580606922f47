// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/controllers"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
)

// kubelet stands in for the Job controller (job_controller_test.go) and for the kubelet:
// it runs a pod's container as a process of the built binary, with the pod's
// ConfigMaps in folders and a token of its ServiceAccount, and writes what came
// of it into the pod's status.
type kubelet struct {
	*platform
	mu sync.Mutex
	// faults by namespace.
	faults map[string]faults
	// ended holds what came of processes whose pods do not say so yet.
	ended map[types.UID]ending
	// killers end the processes of pods.
	killers map[types.UID]context.CancelFunc
	// processes are those of pods.
	processes map[types.UID]*os.Process
	// recorder tells what the Job controller tells in events.
	recorder record.EventRecorder
	group    sync.WaitGroup
}

// gracePeriod is how long a process may take to end that is told to.
const gracePeriod = 30 * time.Second

// faults are what goes wrong in a namespace.
type faults struct {
	// hold keeps pods from starting.
	hold bool
	// noPods keeps the Job controller from looking at Jobs.
	noPods bool
	// args are added to those of the worker.
	args []string
	// worker stands in for the worker's process of an index: it has the folders of the plan
	// and of the round, and returns its report.
	worker func(ctx context.Context, index int, plan, round string) (store.Report, error)
	// end changes how the attempt-th pod of an index ends.
	end func(index, attempt int, e *ending)
}

// ending is how a container ended.
type ending struct {
	exitCode int32
	reason   string
	message  string
	// log is all that it logged.
	log string
}

func newKubelet(p *platform) *kubelet {
	broadcaster := record.NewBroadcaster()
	broadcaster.StartRecordingToSink(&corev1client.EventSinkImpl{Interface: p.kube.CoreV1().Events("")})
	return &kubelet{
		platform:  p,
		faults:    map[string]faults{},
		ended:     map[types.UID]ending{},
		killers:   map[types.UID]context.CancelFunc{},
		processes: map[types.UID]*os.Process{},
		recorder:  broadcaster.NewRecorder(controllers.Scheme(), corev1.EventSource{Component: "job-controller"}),
	}
}

// set changes what goes wrong in a namespace.
func (k *kubelet) set(namespace string, f faults) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.faults[namespace] = f
}

func (k *kubelet) get(namespace string) faults {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.faults[namespace]
}

// run looks at all pods and Jobs again and again.
func (k *kubelet) run(ctx context.Context) {
	said := ""
	for ctx.Err() == nil {
		if err := k.step(ctx); err != nil && ctx.Err() == nil && err.Error() != said {
			said = err.Error()
			fmt.Fprintln(os.Stderr, "kubelet:", said)
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, kill := range k.killers {
		kill()
	}
}

// wait waits for all processes.
func (k *kubelet) wait() { k.group.Wait() }

func (k *kubelet) step(ctx context.Context) error {
	var pods corev1.PodList
	if err := k.client.List(ctx, &pods); err != nil {
		return err
	}
	var jobs batchv1.JobList
	if err := k.client.List(ctx, &jobs); err != nil {
		return err
	}
	var errs []error
	for i := range pods.Items {
		errs = append(errs, k.pod(ctx, &pods.Items[i]))
	}
	for i := range jobs.Items {
		if k.get(jobs.Items[i].Namespace).noPods {
			continue
		}
		errs = append(errs, k.job(ctx, &jobs.Items[i], podsOf(&jobs.Items[i], pods.Items)))
	}
	errs = append(errs, k.orphans(ctx, jobs.Items, pods.Items))
	return client.IgnoreNotFound(errors.Join(errs...))
}

// pod starts a pod that is pending, or says how it ended.
func (k *kubelet) pod(ctx context.Context, pod *corev1.Pod) error {
	k.mu.Lock()
	e, over := k.ended[pod.UID]
	_, running := k.killers[pod.UID]
	k.mu.Unlock()
	switch {
	case over && (pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed):
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.ended, pod.UID)
		delete(k.killers, pod.UID)
		delete(k.processes, pod.UID)
		return nil
	case over:
		return k.writeEnd(ctx, pod, e)
	case pod.DeletionTimestamp != nil && running:
		k.stop(pod)
		return nil
	case pod.DeletionTimestamp != nil:
		return k.forget(ctx, pod)
	case running || pod.Status.Phase != corev1.PodPending || k.get(pod.Namespace).hold:
		return nil
	}
	return k.start(ctx, pod)
}

// start runs a pod's container. What it lacks to run may still appear.
func (k *kubelet) start(ctx context.Context, pod *corev1.Pod) error {
	folder, err := os.MkdirTemp("", "windtunnel-pod-")
	if err != nil {
		return err
	}
	run, kill, err := k.container(ctx, pod, folder)
	if err != nil {
		return errors.Join(fmt.Errorf("pod %s: %w", pod.Name, err), os.RemoveAll(folder))
	}
	k.mu.Lock()
	k.killers[pod.UID] = kill
	k.mu.Unlock()
	pod.Status.Phase = corev1.PodRunning
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name:  pod.Spec.Containers[0].Name,
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}},
	}}
	if err := k.client.Status().Update(ctx, pod); err != nil {
		kill()
	}
	k.group.Go(func() {
		defer os.RemoveAll(folder)
		e := run()
		if f := k.get(pod.Namespace).end; f != nil {
			f(indexOf(pod), attemptOf(pod), &e)
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		k.ended[pod.UID] = e
	})
	return nil
}

// container returns what runs a pod's container to its end: a process of the built binary, or what
// stands in for it.
func (k *kubelet) container(ctx context.Context, pod *corev1.Pod, folder string) (run func() ending, kill context.CancelFunc, err error) {
	if standIn := k.get(pod.Namespace).worker; standIn != nil {
		return k.standIn(ctx, pod, folder, standIn)
	}
	cmd, kill, err := k.command(ctx, pod, folder)
	return func() ending {
		return runProcess(cmd, filepath.Join(folder, "termination-log"), func() {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.processes[pod.UID] = cmd.Process
		})
	}, kill, err
}

// standIn is container where a function stands in for the process.
func (k *kubelet) standIn(ctx context.Context, pod *corev1.Pod, folder string, worker func(context.Context, int, string, string) (store.Report, error)) (func() ending, context.CancelFunc, error) {
	plan, round := filepath.Join(folder, "plan"), filepath.Join(folder, "round")
	if err := errors.Join(k.mount(ctx, pod, "plan", plan), k.mount(ctx, pod, "round", round)); err != nil {
		return nil, nil, err
	}
	ctx, kill := context.WithCancel(ctx)
	return func() ending {
		report, err := worker(ctx, indexOf(pod), plan, round)
		if err != nil {
			return ending{exitCode: 1, reason: "Error", message: err.Error()}
		}
		message, err := report.Encode()
		if err != nil {
			return ending{exitCode: 1, reason: "Error", message: err.Error()}
		}
		return ending{reason: "Completed", message: string(message)}
	}, kill, nil
}

// command makes the process of a pod's container.
func (k *kubelet) command(ctx context.Context, pod *corev1.Pod, folder string) (*exec.Cmd, context.CancelFunc, error) {
	container := pod.Spec.Containers[0]
	args := append([]string{}, container.Args...)
	for _, m := range container.VolumeMounts {
		at := filepath.Join(folder, m.Name)
		if err := k.mount(ctx, pod, m.Name, at); err != nil {
			return nil, nil, err
		}
		flag := map[string]string{"/etc/windtunnel/plan": "--plan", "/etc/windtunnel/round": "--round", "/etc/windtunnel/inputs": "--inputs", "/etc/windtunnel/secret": "--secret"}[m.MountPath]
		if flag == "" {
			return nil, nil, fmt.Errorf("no flag of the worker names %s", m.MountPath)
		}
		args = append(args, flag, at)
	}
	args = append(args, k.get(pod.Namespace).args...)
	args = append(args, "--termination-log", filepath.Join(folder, "termination-log"))
	kubeconfig := filepath.Join(folder, "kubeconfig")
	if err := k.writeKubeconfig(ctx, pod, kubeconfig); err != nil {
		return nil, nil, err
	}
	ctx, kill := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, k.binary, args...)
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(syscall.SIGTERM) }, gracePeriod
	cmd.Dir = folder
	cmd.Env = []string{"KUBECONFIG=" + kubeconfig, fmt.Sprintf("JOB_COMPLETION_INDEX=%d", indexOf(pod))}
	return cmd, kill, nil
}

// mountSecret writes a volume of a Secret that need not exist into a folder.
func (k *kubelet) mountSecret(ctx context.Context, pod *corev1.Pod, from *corev1.SecretVolumeSource, at string) error {
	var secret corev1.Secret
	err := k.client.Get(ctx, client.ObjectKey{Namespace: pod.Namespace, Name: from.SecretName}, &secret)
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	if err := os.MkdirAll(at, 0o700); err != nil {
		return err
	}
	for _, item := range from.Items {
		if content, ok := secret.Data[item.Key]; ok {
			if err := os.WriteFile(filepath.Join(at, item.Path), content, 0o400); err != nil {
				return err
			}
		}
	}
	return nil
}

// mount writes a volume into a folder.
func (k *kubelet) mount(ctx context.Context, pod *corev1.Pod, volume, at string) error {
	for _, v := range pod.Spec.Volumes {
		if v.Name != volume {
			continue
		}
		if v.Secret != nil {
			return k.mountSecret(ctx, pod, v.Secret, at)
		}
		var cm corev1.ConfigMap
		if err := k.client.Get(ctx, client.ObjectKey{Namespace: pod.Namespace, Name: v.ConfigMap.Name}, &cm); err != nil {
			return err
		}
		if err := os.MkdirAll(at, 0o700); err != nil {
			return err
		}
		for _, item := range v.ConfigMap.Items {
			content, ok := cm.BinaryData[item.Key]
			if text, isText := cm.Data[item.Key]; isText {
				content, ok = []byte(text), true
			}
			if !ok {
				return fmt.Errorf("ConfigMap %s has no key %s", cm.Name, item.Key)
			}
			if err := os.WriteFile(filepath.Join(at, item.Path), content, 0o400); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("there is no volume %s", volume)
}

// writeKubeconfig writes a configuration with a token of the pod's account.
func (k *kubelet) writeKubeconfig(ctx context.Context, pod *corev1.Pod, file string) error {
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](3600)}}
	token, err := k.kube.CoreV1().ServiceAccounts(pod.Namespace).CreateToken(ctx, pod.Spec.ServiceAccountName, request, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: k.admin.Host, CertificateAuthorityData: k.admin.CAData}
	config.AuthInfos["u"] = &clientcmdapi.AuthInfo{Token: token.Status.Token}
	config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u", Namespace: pod.Namespace}
	config.CurrentContext = "x"
	return clientcmd.WriteToFile(*config, file)
}

// runProcess runs a process to its end. As a kubelet does, it falls back to the end
// of the log where there is no termination message.
func runProcess(cmd *exec.Cmd, terminationLog string, started func()) ending {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Start()
	if err == nil {
		started()
		err = cmd.Wait()
	}
	e := ending{reason: "Completed"}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		e.exitCode, e.reason = int32(exit.ExitCode()), "Error"
	case err != nil && (cmd.ProcessState == nil || !cmd.ProcessState.Success()):
		e.exitCode, e.reason = 137, "Error"
	}
	e.log = out.String()
	if raw, err := os.ReadFile(terminationLog); err == nil {
		e.message = string(raw)
	}
	if e.message == "" && e.exitCode != 0 {
		e.message = string(out.Bytes()[max(0, out.Len()-2048):])
	}
	return e
}

// writeEnd writes how a pod ended.
func (k *kubelet) writeEnd(ctx context.Context, pod *corev1.Pod, e ending) error {
	pod.Status.Phase = corev1.PodSucceeded
	if e.exitCode != 0 {
		pod.Status.Phase = corev1.PodFailed
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: pod.Spec.Containers[0].Name,
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: e.exitCode, Reason: e.reason, Message: e.message, FinishedAt: metav1.Now(),
		}},
	}}
	return k.client.Status().Update(ctx, pod)
}

// stop tells a pod's process to end.
func (k *kubelet) stop(pod *corev1.Pod) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if kill := k.killers[pod.UID]; kill != nil {
		kill()
	}
}

// signal sends a signal to a pod's process.
func (k *kubelet) signal(pod *corev1.Pod, s os.Signal) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	process := k.processes[pod.UID]
	if process == nil {
		return fmt.Errorf("pod %s has no process", pod.Name)
	}
	return process.Signal(s)
}

// forget deletes a pod of which nothing runs any more.
func (k *kubelet) forget(ctx context.Context, pod *corev1.Pod) error {
	return client.IgnoreNotFound(k.client.Delete(ctx, pod, client.GracePeriodSeconds(0)))
}
