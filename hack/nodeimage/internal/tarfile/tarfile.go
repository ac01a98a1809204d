// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package tarfile writes layers of images: tar files whose bytes depend on
// nothing but what is asked for.
package tarfile

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// Entry is a thing in a layer. Exactly one of Source, Content, Link, Tree and
// Folder says what it is. Owner is always root, the time always the epoch.
type Entry struct {
	// Path is relative to the root, without a leading slash.
	Path string
	// Mode is the file mode; setuid and the like are not meant to be used.
	Mode fs.FileMode
	// Source is a file to copy.
	Source string
	// Content is the text of a file.
	Content string
	// Link is where a symbolic link points.
	Link string
	// Tree is a folder to copy, with the modes it has.
	Tree string
	// Folder makes an empty folder.
	Folder bool
}

// Write makes a tar file of entries, in their order. Folders above an entry
// are left to whoever unpacks it.
func Write(target string, entries []Entry) (err error) {
	file, err := os.Create(target)
	if err != nil {
		return fmt.Errorf("cannot make a layer: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	writer := tar.NewWriter(file)
	for _, entry := range entries {
		if err := writeEntry(writer, entry); err != nil {
			return fmt.Errorf("cannot add %s to a layer: %w", entry.Path, err)
		}
	}
	return writer.Close()
}

func writeEntry(writer *tar.Writer, entry Entry) error {
	switch {
	case entry.Tree != "":
		return writeTree(writer, entry)
	case entry.Source != "":
		return copyFile(writer, entry)
	case entry.Link != "":
		return writer.WriteHeader(header(entry, tar.TypeSymlink, 0))
	case entry.Folder:
		return writer.WriteHeader(header(entry, tar.TypeDir, 0))
	default:
		if err := writer.WriteHeader(header(entry, tar.TypeReg, int64(len(entry.Content)))); err != nil {
			return err
		}
		_, err := io.WriteString(writer, entry.Content)
		return err
	}
}

func copyFile(writer *tar.Writer, entry Entry) error {
	source, err := os.Open(entry.Source)
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	if err := writer.WriteHeader(header(entry, tar.TypeReg, info.Size())); err != nil {
		return err
	}
	_, err = io.Copy(writer, source)
	return err
}

// writeTree copies files and folders. Other kinds, such as the sockets of a
// program that ran in the folder, are left out.
func writeTree(writer *tar.Writer, entry Entry) error {
	return filepath.WalkDir(entry.Tree, func(source string, found fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := found.Info()
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(entry.Tree, source)
		if err != nil {
			return err
		}
		inner := Entry{Path: path.Join(entry.Path, filepath.ToSlash(relative)), Mode: info.Mode().Perm()}
		switch {
		case info.IsDir():
			inner.Folder = true
		case info.Mode().IsRegular():
			inner.Source = source
		default:
			return nil
		}
		return writeEntry(writer, inner)
	})
}

func header(entry Entry, kind byte, size int64) *tar.Header {
	name := entry.Path
	if kind == tar.TypeDir {
		name += "/"
	}
	mode := int64(entry.Mode.Perm())
	if entry.Mode&fs.ModeSticky != 0 {
		mode |= 0o1000
	}
	return &tar.Header{
		Typeflag: kind, Name: name, Linkname: entry.Link, Size: size, Mode: mode,
		ModTime: time.Unix(0, 0), Format: tar.FormatGNU,
	}
}
