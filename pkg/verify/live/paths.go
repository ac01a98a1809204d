// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/gardener/kindling/pkg/verify"
	"github.com/gardener/kindling/pkg/vpn"
)

// attemptTimeout bounds one attempt: connections that nobody answers don't end by themselves.
const attemptTimeout = 10 * time.Second

// pause between rounds of attempts.
const pause = time.Second

// tunnelPort is the one that gardenlet forwards to. Nobody listens there: the session counts.
const tunnelPort = 22

// attempt is one try of a path.
type attempt struct {
	outcome  outcome
	evidence verify.Evidence
}

// path goes through the shoot's API server with a client that has no connection yet.
type path func(ctx context.Context, shoot Cluster) (object string, err error)

// paths returns all paths by the name of their check, for a pod of the shoot.
func paths(pod *corev1.Pod) map[string]path {
	name := "Pod " + pod.Namespace + "/" + pod.Name
	container := pod.Spec.Containers[0].Name
	return map[string]path{
		verify.PathLogs: func(ctx context.Context, shoot Cluster) (string, error) {
			_, err := shoot.GetPath(ctx, fmt.Sprintf("/api/v1/namespaces/%s/pods/%s/log?container=%s&tailLines=1", pod.Namespace, pod.Name, container))
			return name, err
		},
		verify.PathExec: func(ctx context.Context, shoot Cluster) (string, error) {
			_, err := shoot.Exec(ctx, pod.Namespace, pod.Name, container, "true")
			return name, err
		},
		verify.PathPortForward: func(ctx context.Context, shoot Cluster) (string, error) {
			return name, shoot.WithPort(ctx, pod.Namespace, pod.Name, tunnelPort, func(io.ReadWriter) error { return nil })
		},
		verify.PathNodeProxy: func(ctx context.Context, shoot Cluster) (string, error) {
			_, err := shoot.GetPath(ctx, "/api/v1/nodes/"+pod.Spec.NodeName+"/proxy/healthz")
			return "Node " + pod.Spec.NodeName, err
		},
		verify.PathMetrics: func(ctx context.Context, shoot Cluster) (string, error) {
			_, err := shoot.GetPath(ctx, "/apis/metrics.k8s.io/v1beta1/nodes")
			return "APIService v1beta1.metrics.k8s.io", err
		},
	}
}

// witness chooses a running pod of the shoot that lives on when vpn-shoot is gone; vpn-shoot itself where there is no other.
func (r *run) witness(ctx context.Context) (*corev1.Pod, error) {
	pods, err := r.shoot.Pods(ctx, metav1.NamespaceSystem, nil)
	if err != nil {
		return nil, err
	}
	pods = slices.DeleteFunc(pods, func(pod corev1.Pod) bool {
		return pod.Status.Phase != corev1.PodRunning || pod.DeletionTimestamp != nil || pod.Spec.NodeName == "" || len(pod.Spec.Containers) == 0 ||
			r.Break == verify.BreakShoot && isTunnel(&pod)
	})
	slices.SortStableFunc(pods, func(a, b corev1.Pod) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(a.Name, b.Name))
	})
	if len(pods) == 0 {
		return nil, errors.New("no pod runs in kube-system of the shoot, to go to through its API server")
	}
	return &pods[0], nil
}

func isTunnel(pod *corev1.Pod) bool { return pod.Labels["app"] == vpn.VPNShoot }

func rank(pod *corev1.Pod) int {
	if isTunnel(pod) {
		return 1
	}
	return 0
}

// round tries paths side by side, each with a new connection. When the API server itself does not answer, no attempt says anything.
func (r *run) round(ctx context.Context, todo map[string]path) map[string]attempt {
	attempts := map[string]attempt{}
	var mutex sync.Mutex
	var group sync.WaitGroup
	for check, path := range todo {
		group.Go(func() {
			one := r.try(ctx, path)
			mutex.Lock()
			defer mutex.Unlock()
			attempts[check] = one
		})
	}
	var alive attempt
	group.Go(func() {
		alive = r.try(ctx, func(ctx context.Context, shoot Cluster) (string, error) {
			_, err := shoot.GetPath(ctx, "/version")
			return "the shoot's API server", err
		})
	})
	group.Wait()
	if alive.outcome != reached {
		for check, one := range attempts {
			one.outcome = undecided
			one.evidence.Text += "; and the shoot's API server itself does not answer: " + alive.evidence.Text
			attempts[check] = one
		}
	}
	return attempts
}

func (r *run) try(ctx context.Context, path path) attempt {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	shoot, err := r.Connect(r.access.kubeconfig)
	if err != nil {
		return attempt{undecided, verify.Evidence{Object: "kubeconfig", Text: err.Error(), Time: r.Now()}}
	}
	object, err := path(ctx, shoot)
	if err != nil && timeIsUp(ctx) {
		err = fmt.Errorf("no answer within %s: %w", attemptTimeout, errors.Join(context.DeadlineExceeded, err))
	}
	result := attempt{classify(err), verify.Evidence{Object: object, Text: "answers", Time: r.Now()}}
	if err != nil {
		result.evidence.Text = err.Error()
	}
	return result
}

// timeIsUp looks at the clock: connections have the context's deadline as their own, and can end by it before the context says so.
func timeIsUp(ctx context.Context) bool {
	deadline, set := ctx.Deadline()
	return set && !time.Now().Before(deadline)
}

// tryAll tries all paths, and those that don't have the outcome again, until they do or time is up. It returns the last attempts.
func (r *run) tryAll(ctx context.Context, pod *corev1.Pod, wanted outcome, patience time.Duration) map[string]attempt {
	todo := paths(pod)
	all := map[string]attempt{}
	// Its error is that time is up, which the attempts show.
	_ = wait.PollUntilContextTimeout(ctx, pause, patience, true, func(context.Context) (bool, error) {
		// An attempt that was begun may take its own time.
		maps.Copy(all, r.round(ctx, todo))
		for check := range todo {
			if all[check].outcome == wanted {
				delete(todo, check)
			}
		}
		return len(todo) == 0, nil
	})
	return all
}

// works makes results of attempts that should reach.
func works(part verify.Part, attempts map[string]attempt) []verify.Result {
	return results(part, attempts, func(result *verify.Result, one attempt) {
		switch one.outcome {
		case reached:
			result.Status, result.Text = verify.Passed, "works"
		case unreached:
			result.Status, result.Text = verify.Failed, "does not get through"
		default:
			result.Status, result.Text = verify.Unknown, "can't be tried"
		}
	})
}

// fails makes results of attempts that should not reach: the VPN is broken. What still does goes past it, which no guard stops.
func fails(attempts map[string]attempt) []verify.Result {
	return results(verify.PartBroken, attempts, func(result *verify.Result, one attempt) {
		switch one.outcome {
		case reached:
			result.Status, result.Text, result.Missing = verify.Failed, "STILL WORKS, with the VPN broken", []verify.Cure{verify.CureGuard}
		case unreached:
			result.Status, result.Text = verify.Passed, "does not get through, as it should be"
		default:
			result.Status, result.Text = verify.Unknown, "can't be tried"
		}
	})
}

func results(part verify.Part, attempts map[string]attempt, judge func(*verify.Result, attempt)) []verify.Result {
	var all []verify.Result
	for _, check := range verify.Paths() {
		one, tried := attempts[check]
		if !tried {
			one = attempt{undecided, verify.Evidence{Object: check, Text: "was not tried before time was up"}}
		}
		result := verify.Result{Check: check, Part: part, Evidence: []verify.Evidence{one.evidence}}
		judge(&result, one)
		all = append(all, result)
	}
	return all
}
