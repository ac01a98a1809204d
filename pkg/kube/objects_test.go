// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kubetesting "k8s.io/client-go/testing"
)

func TestGetReturnsNothingForWhatIsNotThere(t *testing.T) {
	for name, text := range map[string]string{"no object": configMapText, "no kind": poolText} {
		t.Run(name, func(t *testing.T) {
			client, _ := fakeClient(t)
			live, err := client.Get(t.Context(), parse(t, text))
			if live != nil || err != nil {
				t.Errorf("expected nothing, got %v, %v", live, err)
			}
		})
	}
}

func TestCompareTellsMissingFromDifferent(t *testing.T) {
	same := parse(t, namespaceText)
	client, _ := fakeClient(t, same, parse(t, strings.Replace(configMapText, "one", "two", 1)))
	got, err := client.Compare(t.Context(), []*unstructured.Unstructured{
		parse(t, configMapText), same, parse(t, crdText), parse(t, poolText),
	})
	if err != nil {
		t.Fatal(err)
	}
	expected := []ObjectDifference{
		{Object: "ConfigMap lab/c", Differences: []Difference{{"data.a", "two", "one"}}},
		{Object: "Namespace lab"},
		{Object: "CustomResourceDefinition pools.example.org", Missing: true},
		{Object: "Pool p", Missing: true},
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("differences (-expected +got):\n%s", diff)
	}
}

func TestCompareReturnsWhatTheAPIServerAnswers(t *testing.T) {
	client, cluster := fakeClient(t)
	broken := errors.New("broken")
	cluster.PrependReactor("get", "configmaps", func(kubetesting.Action) (bool, runtime.Object, error) { return true, nil, broken })
	if _, err := client.Compare(t.Context(), []*unstructured.Unstructured{parse(t, configMapText)}); !errors.Is(err, broken) {
		t.Errorf("expected the server's error, got %v", err)
	}
}

func TestDelete(t *testing.T) {
	for name, objects := range map[string][]*unstructured.Unstructured{
		"removes an object":           {parse(t, configMapText)},
		"succeeds when there is none": nil,
	} {
		t.Run(name, func(t *testing.T) {
			client, _ := fakeClient(t, objects...)
			if err := client.Delete(t.Context(), parse(t, configMapText)); err != nil {
				t.Fatal(err)
			}
			if live, err := client.Get(t.Context(), parse(t, configMapText)); live != nil || err != nil {
				t.Errorf("expected nothing, got %v, %v", live, err)
			}
		})
	}
}

func TestDeleteNamesFinalizersWhenTimeIsUp(t *testing.T) {
	held := parse(t, configMapText)
	held.SetFinalizers([]string{"example.org/hold"})
	synctest.Test(t, func(t *testing.T) {
		client, cluster := fakeClient(t, held)
		cluster.PrependReactor("delete", "*", func(kubetesting.Action) (bool, runtime.Object, error) { return true, nil, nil })
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := client.Delete(ctx, held)
		timeout, ok := errors.AsType[*TimeoutError](err)
		if !ok {
			t.Fatalf("expected a *TimeoutError, got %v", err)
		}
		expected := []Pending{{Object: "ConfigMap lab/c", Reason: "is being deleted, held by finalizers example.org/hold"}}
		if diff := cmp.Diff(expected, timeout.Pending); diff != "" {
			t.Errorf("pending (-expected +got):\n%s", diff)
		}
	})
}

func TestDeleteTakesAnObjectMadeSinceForAnother(t *testing.T) {
	old := parse(t, configMapText)
	old.SetUID("old")
	client, cluster := fakeClient(t, old)
	cluster.PrependReactor("delete", "*", func(action kubetesting.Action) (bool, runtime.Object, error) {
		next := old.DeepCopy()
		next.SetUID("new")
		return true, nil, cluster.Tracker().Update(action.GetResource(), next, next.GetNamespace())
	})
	if err := client.Delete(t.Context(), old); err != nil {
		t.Fatal(err)
	}
}

func TestDryRunCreateStoresNothing(t *testing.T) {
	client, cluster := fakeClient(t)
	if _, err := client.DryRunCreate(t.Context(), parse(t, configMapText)); err != nil {
		t.Fatal(err)
	}
	create, ok := cluster.Actions()[0].(kubetesting.CreateActionImpl)
	if !ok || !cmp.Equal(create.CreateOptions.DryRun, []string{"All"}) {
		t.Errorf("expected a dry run, got %v", cluster.Actions())
	}
}

func TestPodAddressReturnsTheAddressesOfThePod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, cluster := fakeClient(t)
		reads := 0
		cluster.PrependReactor("get", "pods", func(kubetesting.Action) (bool, runtime.Object, error) {
			if reads++; reads < 3 {
				return false, nil, nil
			}
			return true, parse(t, "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: lab}, status: {podIPs: [{ip: 10.0.0.7}, {ip: 'fd00:10:1:100::7'}]}}"), nil
		})
		got, err := client.PodAddress(t.Context(), parse(t, podText))
		if err != nil {
			t.Fatal(err)
		}
		expected := []netip.Addr{netip.MustParseAddr("10.0.0.7"), netip.MustParseAddr("fd00:10:1:100::7")}
		if diff := cmp.Diff(expected, got, cmp.Comparer(func(a, b netip.Addr) bool { return a == b })); diff != "" {
			t.Errorf("addresses (-expected +got):\n%s", diff)
		}
	})
}

func TestPodAddressSaysWhyThePodDoesNotStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _ := fakeClient(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		pod := parse(t, unschedulablePodText)
		_, err := client.PodAddress(ctx, pod)
		if _, ok := errors.AsType[*TimeoutError](err); !ok || !strings.Contains(err.Error(), "not scheduled: 0/1 nodes are available") {
			t.Errorf("expected a *TimeoutError with the scheduler's message, got %v", err)
		}
	})
}
