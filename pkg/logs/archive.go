// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package logs writes what sources tell into one archive without secrets, with an index that says what is there and what is not, and why.
package logs

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/gardener/kindling/pkg/redact"
)

const (
	// Index is the name of the file that lists the others.
	Index = "INDEX.txt"
	// fileLimit is how many bytes of a file are kept: its end, because that is where the fault is.
	fileLimit = 1 << 20
	// sourceTime keeps one source that hangs from taking the time of all.
	sourceTime = time.Minute
)

// Add adds one file: fill writes it. An error of it is in the index, with what was written until then in the archive.
type Add func(name, origin string, fill func(io.Writer) error)

// Source tells something in any number of files.
type Source struct {
	// Name says in the index what is missing.
	Name string
	// Collect adds its files. An error says what else there would have been.
	Collect func(ctx context.Context, add Add) error
}

// NothingError says that no source told anything.
type NothingError struct{ Err error }

// Error implements error.
func (e *NothingError) Error() string { return "nothing could be collected: " + e.Err.Error() }

// Unwrap returns the causes.
func (e *NothingError) Unwrap() error { return e.Err }

// Summary is what became of an archive.
type Summary struct {
	Files   int      `json:"files"`
	Missing []string `json:"missing,omitempty"`
}

type archive struct {
	tar      *tar.Writer
	folder   string
	at       time.Time
	redactor *redact.Redactor
	taken    map[string]bool
	index    strings.Builder
	summary  Summary
	errs     []error
	// broken is an error of the archive itself: the disk is full.
	broken error
}

// Write writes a gzipped tar archive with everything below a folder. Sources that fail are in its index and in the summary. It returns a
// *NothingError when all failed, and other errors when the archive can't be written.
func Write(ctx context.Context, w io.Writer, folder string, at time.Time, sources []Source) (Summary, error) {
	compressed := gzip.NewWriter(w)
	a := &archive{tar: tar.NewWriter(compressed), folder: folder, at: at, redactor: redact.New(), taken: map[string]bool{Index: true}}
	for _, source := range sources {
		a.collect(ctx, source)
		if a.broken != nil {
			return a.summary, a.broken
		}
	}
	if a.summary.Files == 0 {
		return a.summary, &NothingError{errors.Join(a.errs...)}
	}
	err := a.write(Index, a.redactor.Text(a.index.String()))
	return a.summary, errors.Join(err, a.tar.Close(), compressed.Close())
}

func (a *archive) collect(ctx context.Context, source Source) {
	ctx, cancel := context.WithTimeout(ctx, sourceTime)
	defer cancel()
	if err := source.Collect(ctx, a.add); err != nil {
		a.miss(source.Name, err)
	}
}

func (a *archive) miss(name string, err error) {
	a.errs = append(a.errs, fmt.Errorf("%s: %w", name, err))
	text := a.redactor.Text(fmt.Sprintf("%s: %s", name, strings.ReplaceAll(err.Error(), "\n", " ")))
	a.summary.Missing = append(a.summary.Missing, text)
	fmt.Fprintf(&a.index, "MISSING %s\n", text)
}

func (a *archive) add(name, origin string, fill func(io.Writer) error) {
	name = a.free(Sanitize(name))
	end := &tail{limit: fileLimit}
	fillErr := fill(end)
	text := a.redactor.Text(end.text())
	if fillErr != nil {
		a.miss(name+" ("+origin+")", fillErr)
	}
	if text == "" && fillErr != nil || a.broken != nil {
		return
	}
	if a.broken = a.write(name, text); a.broken != nil {
		return
	}
	a.summary.Files++
	fmt.Fprintf(&a.index, "%s: %s", name, origin)
	if end.cut > 0 {
		fmt.Fprintf(&a.index, "; the end of it, without the first %d bytes", end.cut)
	}
	a.index.WriteString("\n")
}

// free returns a name that no other file has.
func (a *archive) free(name string) string {
	chosen := name
	for i := 2; a.taken[chosen]; i++ {
		chosen = fmt.Sprintf("%s.%d", name, i)
	}
	a.taken[chosen] = true
	return chosen
}

func (a *archive) write(name, text string) error {
	header := &tar.Header{
		Typeflag: tar.TypeReg, Name: path.Join(a.folder, name), Mode: 0o600, Size: int64(len(text)), ModTime: a.at, Format: tar.FormatPAX,
	}
	if err := a.tar.WriteHeader(header); err != nil {
		return fmt.Errorf("writing the archive: %w", err)
	}
	if _, err := io.WriteString(a.tar, text); err != nil {
		return fmt.Errorf("writing the archive: %w", err)
	}
	return nil
}
