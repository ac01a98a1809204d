// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package tunnel stands in for OpenVPN where Gardener's VPN is played: packets of a TUN device, or frames of a TAP device, over one
// connection that the side of the shoot makes to the seed, and the HTTP proxy that connections are asked through. The tunnel itself does
// not encrypt: that is the business of the connection it is given.
package tunnel

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// frameTimeout is for a connection to take a frame; it has buffers for thousands.
const frameTimeout = time.Second

// maxFrame is the longest frame of a device: its MTU and an Ethernet header are far below.
const maxFrame = 1<<16 - 1

// writeFrame writes a frame of at most maxFrame bytes after its length, two bytes in network order, in one call: frames of several writers don't mix.
func writeFrame(w io.Writer, frame []byte) error {
	message := binary.BigEndian.AppendUint16(make([]byte, 0, 2+len(frame)), uint16(len(frame)))
	_, err := w.Write(append(message, frame...))
	return err
}

// readFrame reads a frame into a buffer of maxFrame bytes, and returns its part of the buffer.
func readFrame(r io.Reader, buffer []byte) ([]byte, error) {
	var length [2]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	frame := buffer[:binary.BigEndian.Uint16(length[:])]
	_, err := io.ReadFull(r, frame)
	return frame, err
}

// hub gives each frame of one port to all others, as an Ethernet hub does. The VPN server is one: its own device is a port, and
// so is each client. With a TUN device there is one client, and the hub is a pipe.
type hub struct {
	mu    sync.Mutex
	ports map[int]func([]byte) error
	next  int
}

func newHub() *hub { return &hub{ports: map[int]func([]byte) error{}} }

// join adds a port that takes frames by send; the returned functions pass a frame to all others, and leave.
func (h *hub) join(send func([]byte) error) (receive func([]byte), leave func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	id := h.next
	h.next++
	h.ports[id] = send
	return func(frame []byte) { h.spread(id, frame) }, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.ports, id)
	}
}

// spread gives a frame to all ports but one. A port that can't take it loses it, as in any network; its own reader ends it.
func (h *hub) spread(from int, frame []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, send := range h.ports {
		if id != from {
			_ = send(frame)
		}
	}
}

// Serve is the VPN server: it ends when the context or the listener does.
func Serve(ctx context.Context, device *os.File, listener net.Listener) error {
	center := newHub()
	var group errgroup.Group
	stop := context.AfterFunc(ctx, func() { _ = errors.Join(listener.Close(), device.Close()) })
	defer stop()
	receive, leave := center.join(func(frame []byte) error {
		_, err := device.Write(frame)
		return err
	})
	defer leave()
	group.Go(func() error { return readDevice(device, receive) })
	for {
		conn, err := listener.Accept()
		if err != nil {
			_ = device.Close()
			return errors.Join(err, group.Wait())
		}
		group.Go(func() error {
			defer func() { _ = conn.Close() }()
			receive, leave := center.join(func(frame []byte) error {
				// One client that takes nothing must not stop the others.
				_ = conn.SetWriteDeadline(time.Now().Add(frameTimeout))
				return writeFrame(conn, frame)
			})
			defer leave()
			// The first frame is empty: it tells the client that it has a port now.
			if err := writeFrame(conn, nil); err != nil {
				return nil // the client has gone
			}
			readFrames(conn, receive)
			return nil
		})
	}
}

// reconnect is the pause before a client of the tunnel tries again.
const reconnect = 100 * time.Millisecond

// Dialer connects to the VPN server.
type Dialer func(ctx context.Context) (net.Conn, error)

// Dial is a VPN client: it connects again and again until the context ends, and calls connected after the first time.
func Dial(ctx context.Context, device *os.File, dial Dialer, connected func()) error {
	stop := context.AfterFunc(ctx, func() { _ = device.Close() })
	defer stop()
	link := &clientLink{}
	var group errgroup.Group
	group.Go(func() error { return readDevice(device, link.send) })
	var once sync.Once
	for ctx.Err() == nil {
		if conn, err := dial(ctx); err == nil {
			closeConn := context.AfterFunc(ctx, func() { _ = conn.Close() })
			link.run(conn, device, func() { once.Do(connected) })
			closeConn()
		}
		select {
		case <-ctx.Done():
		case <-time.After(reconnect):
		}
	}
	return group.Wait()
}

// clientLink is the present connection of a client. Frames are lost while there is none.
type clientLink struct {
	mu   sync.Mutex
	conn net.Conn
}

func (l *clientLink) send(frame []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		_ = writeFrame(l.conn, frame) // the reader of the connection sees why
	}
}

func (l *clientLink) set(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn = conn
}

// run passes frames to the device until the connection ends.
func (l *clientLink) run(conn net.Conn, device io.Writer, connected func()) {
	defer func() { _ = conn.Close() }()
	l.set(conn)
	defer l.set(nil)
	readFrames(conn, func(frame []byte) {
		if len(frame) == 0 {
			connected()
			return
		}
		_, _ = device.Write(frame) // a device that is down loses frames, as every interface does
	})
}

func readFrames(r io.Reader, receive func([]byte)) {
	buffer := make([]byte, maxFrame)
	for {
		frame, err := readFrame(r, buffer)
		if err != nil {
			return
		}
		receive(frame)
	}
}

func readDevice(device io.Reader, receive func([]byte)) error {
	buffer := make([]byte, maxFrame)
	for {
		n, err := device.Read(buffer)
		if errors.Is(err, os.ErrClosed) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the VPN's device: %w", err)
		}
		receive(buffer[:n])
	}
}
