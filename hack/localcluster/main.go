// Command localcluster is a whole local Kubernetes control plane, and what runs in its real nodes, in
// one binary: it acts as the tool it is called as (by symbolic link), or as the one its first argument
// names. kubectl and helm are binaries of their own: tests call them thousands of times, and before its
// first line a binary initialises every package that is linked into it.
//
// The launcher in crates/localcluster builds it, keeps it in a cache and runs it.
package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tools are the programs in this binary. Each reads os.Args as if it were alone and does not
// return before its work is done.
var tools = map[string]func(){
	"etcd":                    etcd,
	"image":                   image,
	"kube-apiserver":          apiServer,
	"kube-controller-manager": controllerManager,
	"kube-proxy":              kubeProxy,
	"kube-scheduler":          scheduler,
	"kubelet":                 kubelet,
	"kwok":                    kwok,
	"kwok-stages":             kwokStages,
	"node":                    runNode,
	"node-link":               nodeLink,
	"node-sweep":              nodeSweep,
	"supervise":               supervise,
}

func init() {
	// Only a node's supervisor and first process start these; node-init starts tools in turn.
	tools["node-after"] = nodeAfter
	tools["node-first"] = nodeFirst
	tools["node-init"] = nodeInit
	tools["node-janitor"] = nodeJanitor
}

func main() {
	name := filepath.Base(os.Args[0])
	if _, known := tools[name]; !known && len(os.Args) > 1 {
		os.Args = os.Args[1:]
		name = os.Args[0]
	}
	run, known := tools[name]
	if !known {
		names := slices.Sorted(maps.Keys(tools))
		fatal(2, "usage: localcluster TOOL [flags], where TOOL is one of %s", strings.Join(names, ", "))
	}
	run()
}

func fatal(code int, format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(code)
}
