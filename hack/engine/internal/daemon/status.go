// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// ErrNotRunning says that no engine answers.
var ErrNotRunning = errors.New("no container engine answers: go run ./hack/engine start")

// askTimeout is for an engine that takes the question and never answers.
const askTimeout = 20 * time.Second

// facts are the engine's own words about itself.
type facts struct {
	ServerVersion  string
	Driver         string
	CgroupVersion  string
	DefaultRuntime string
	DockerRootDir  string
}

// ask reaches the engine through the client, so that DOCKER_HOST and the
// client's contexts count. An older client succeeds although nothing answers,
// so the answer decides and not the exit code.
func ask(ctx context.Context) (facts, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(ctx, "docker", "info", "--format", "{{json .}}")
	command.Stdout = &stdout
	command.Stderr = &stderr
	failed := command.Run()
	var answer facts
	if err := json.Unmarshal(stdout.Bytes(), &answer); err == nil && answer.ServerVersion != "" {
		return answer, nil
	}
	return facts{}, fmt.Errorf("%w (%s)", ErrNotRunning, reason(failed, stderr.String()))
}

func reason(err error, stderr string) string {
	if text := strings.TrimSpace(stderr); text != "" {
		return text
	}
	if err != nil {
		return err.Error()
	}
	return "the client gave no reason"
}

// Status prints which engine answers and whether start made it. The error is
// ErrNotRunning when none does.
func Status(ctx context.Context, state State, out io.Writer) error {
	answer, err := ask(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "engine %s answers: storage %s, cgroup v%s, runtime %s, data in %s\n", answer.ServerVersion,
		answer.Driver, answer.CgroupVersion, answer.DefaultRuntime, answer.DockerRootDir)
	started, alive, err := state.recall()
	if err != nil {
		return err
	}
	if alive {
		fmt.Fprintf(out, "started from here as process %d, log in %s\n", started.PID, state.logFile())
	}
	return nil
}
