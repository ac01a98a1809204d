// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package stubengine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"
)

// hung is the test's end of the calls that hang: each of them holds a connection until the test, or its process, is done with it. So
// no call outlives the test, and the test knows when one hangs without looking again and again.
type hung struct {
	listener *net.TCPListener
	calls    []net.Conn
}

// listen writes its address into a file.
func listen(path string) (*hung, error) {
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(path, []byte(listener.Addr().String()), 0o644); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return &hung{listener: listener}, nil
}

func (h *hung) accept(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = h.listener.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	call, err := h.listener.Accept()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("waiting for a call that hangs: %w", err)
	}
	h.calls = append(h.calls, call)
	return nil
}

func (h *hung) close() {
	_ = h.listener.Close()
	for _, call := range h.calls {
		_ = call.Close()
	}
}

// hang is the call's end. It returns when the test closes the connection, whichever way.
func (s store) hang() error {
	address, err := os.ReadFile(filepath.Join(s.dir, hangFile))
	if err != nil {
		return fmt.Errorf("a call can't hang without a test that ends it (see New): %w", err)
	}
	test, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", string(address))
	if err != nil {
		return nil //nolint:nilerr // nobody listens any more: the test is done
	}
	_, _ = io.Copy(io.Discard, test)
	return test.Close()
}
