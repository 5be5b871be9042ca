// Package english keeps kubectl from reading its translations, which takes a fifth of its start:
// the tests read English.
package english

import "k8s.io/kubectl/pkg/util/i18n"

// Go initialises packages that are ready in the order of their paths: this one before all of
// kubectl's that translate something.
func init() {
	if err := i18n.SetLoadTranslationsFunc(func() error { return nil }); err != nil {
		panic(err)
	}
}
