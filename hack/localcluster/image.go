package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// image writes, to its output, an archive with an image of one layer, as `docker load` and `ctr
// images import` read it: localcluster image NAME FOLDER CONFIG. CONFIG is JSON with the fields of
// an image's config, such as Entrypoint, Cmd, Env and User. All files belong to root.
func image() {
	if len(os.Args) != 4 {
		fatal(2, "usage: localcluster image NAME FOLDER CONFIG > FILE")
	}
	if err := writeImage(os.Stdout, os.Args[1], os.Args[2], json.RawMessage(os.Args[3])); err != nil {
		fatal(1, "image %s: %v", os.Args[1], err)
	}
}

func writeImage(to io.Writer, name, folder string, settings json.RawMessage) error {
	layer, err := os.CreateTemp("", "layer-*.tar")
	if err != nil {
		return err
	}
	defer layer.Close()
	os.Remove(layer.Name())
	digest := sha256.New()
	if err := writeLayer(io.MultiWriter(layer, digest), folder); err != nil {
		return err
	}
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH,
		"os":           "linux",
		"config":       settings,
		"rootfs":       map[string]any{"type": "layers", "diff_ids": []string{fmt.Sprintf("sha256:%x", digest.Sum(nil))}},
	})
	if err != nil {
		return err
	}
	configName := fmt.Sprintf("%x.json", sha256.Sum256(config))
	manifest, err := json.Marshal([]map[string]any{{"Config": configName, "RepoTags": []string{name}, "Layers": []string{"layer.tar"}}})
	if err != nil {
		return err
	}
	archive := tar.NewWriter(to)
	if err := addLayer(archive, layer); err != nil {
		return err
	}
	for _, file := range []struct {
		name    string
		content []byte
	}{{configName, config}, {"manifest.json", manifest}} {
		if err := add(archive, file.name, int64(len(file.content)), bytes.NewReader(file.content)); err != nil {
			return err
		}
	}
	return archive.Close()
}

func addLayer(archive *tar.Writer, layer *os.File) error {
	size, err := layer.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := layer.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return add(archive, "layer.tar", size, layer)
}

func add(archive *tar.Writer, name string, size int64, content io.Reader) error {
	if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: size}); err != nil {
		return err
	}
	_, err := io.Copy(archive, content)
	return err
}

// writeLayer writes what is in the folder, in a stable order, with no trace of who built it when.
func writeLayer(to io.Writer, folder string) error {
	layer := tar.NewWriter(to)
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == folder {
			return err
		}
		return addFile(layer, folder, path, entry)
	})
	if err != nil {
		return err
	}
	return layer.Close()
}

func addFile(layer *tar.Writer, folder, path string, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err != nil {
		return err
	}
	link := ""
	if info.Mode()&fs.ModeSymlink != 0 {
		if link, err = os.Readlink(path); err != nil {
			return err
		}
	}
	header, err := tar.FileInfoHeader(info, link)
	if err != nil {
		return err
	}
	if header.Name, err = filepath.Rel(folder, path); err != nil {
		return err
	}
	*header = tar.Header{Typeflag: header.Typeflag, Name: header.Name, Linkname: header.Linkname, Mode: header.Mode, Size: header.Size}
	if err := layer.WriteHeader(header); err != nil || !info.Mode().IsRegular() {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(layer, file)
	return err
}
