// Command kubectl is kubectl.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	kubectlcmd "k8s.io/kubectl/pkg/cmd"

	_ "grove-rs/localcluster/kubectl/english"
)

func main() {
	// kubectl prints its errors itself.
	if err := cli.RunNoErrOutput(kubectlcmd.NewDefaultKubectlCommand()); err != nil {
		os.Exit(1)
	}
}
