// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package printer

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gardener/kindling/pkg/steps"
)

// clearLine is the ANSI sequence for going to the first column and erasing the line.
const clearLine = "\r\x1b[K"

// maxStatus keeps the moving line from wrapping, which would leave copies of it behind.
const maxStatus = 76

// spinner shows a moving line with what is being done, and a line that stays for every step that ended.
type spinner struct {
	mutex   sync.Mutex
	w       io.Writer
	running []string          // step names in the order in which they started
	texts   map[string]string // what is shown for a step
	frame   int
	once    sync.Once
	stop    chan struct{}
	stopped chan struct{}
}

func newSpinner(w io.Writer) *spinner {
	s := &spinner{w: w, texts: map[string]string{}, stop: make(chan struct{}), stopped: make(chan struct{})}
	go s.spin()
	return s
}

func (s *spinner) spin() {
	defer close(s.stopped)
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-ticker.C:
			s.mutex.Lock()
			s.frame++
			s.draw()
			s.mutex.Unlock()
		}
	}
}

// Emit implements Progress.
func (s *spinner) Emit(event steps.Event) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch event.Kind {
	case steps.Started:
		s.running = append(s.running, event.Step)
		s.texts[event.Step] = event.Title
	case steps.Progress:
		s.texts[event.Step] = event.Title + ": " + event.Text
	case steps.Done, steps.Failed:
		s.running = slices.DeleteFunc(s.running, func(step string) bool { return step == event.Step })
		if line := ended(event); line != "" {
			_, _ = fmt.Fprintf(s.w, "%s%s\n", clearLine, line)
		}
	}
	s.draw()
}

// Note implements Progress.
func (s *spinner) Note(text string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	_, _ = fmt.Fprintf(s.w, "%snote: %s\n", clearLine, text)
}

// Fail implements Progress.
func (s *spinner) Fail(string) bool { return false }

// Pause implements Progress. Steps that have something to show wait meanwhile.
func (s *spinner) Pause() (resume func()) {
	s.mutex.Lock()
	_, _ = io.WriteString(s.w, clearLine)
	return s.mutex.Unlock
}

// draw shows the step that started last, and how many others are under way.
func (s *spinner) draw() {
	if len(s.running) == 0 {
		_, _ = io.WriteString(s.w, clearLine)
		return
	}
	text, _, _ := strings.Cut(s.texts[s.running[len(s.running)-1]], "\n")
	if others := len(s.running) - 1; others > 0 {
		text = fmt.Sprintf("(+%d) %s", others, text)
	}
	if runes := []rune(text); len(runes) > maxStatus {
		text = string(runes[:maxStatus-1]) + "…"
	}
	frames := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	_, _ = fmt.Fprintf(s.w, "%s %c %s", clearLine, frames[s.frame%len(frames)], text)
}

// Close implements Progress.
func (s *spinner) Close() {
	s.once.Do(func() {
		close(s.stop)
		<-s.stopped
		_, _ = io.WriteString(s.w, clearLine)
	})
}
