// Command kubectl is kubectl.
package main

import (
	"k8s.io/component-base/cli"
	kubectlcmd "k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"

	_ "grove-rs/localcluster/kubectl/english"
)

func main() {
	// Some commands print their errors themselves; this prints the others, and exits with 1.
	if err := cli.RunNoErrOutput(kubectlcmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
}
