// Command helm is Helm.
package main

import (
	"errors"
	"log/slog"
	"os"

	helmcmd "helm.sh/helm/v4/pkg/cmd"
	helmkube "helm.sh/helm/v4/pkg/kube"
)

func main() {
	// Helm would use the name of the binary as its field manager.
	helmkube.ManagedFieldsManager = "helm"
	cmd, err := helmcmd.NewRootCmd(os.Stdout, os.Args[1:], helmcmd.SetupLogging)
	if err != nil {
		slog.Error("helm cannot start", slog.Any("error", err))
		os.Exit(1)
	}
	err = cmd.Execute()
	if withCode, ok := errors.AsType[helmcmd.CommandError](err); ok {
		os.Exit(withCode.ExitCode)
	}
	if err != nil {
		os.Exit(1)
	}
}
