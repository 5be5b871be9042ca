//! Texts about a bundle: its README, and the last lines of the command.

use jiff::Timestamp;

use super::collected::Collected;
use super::compose::Bundle;
use crate::output;

const CONTENTS: &str = "\
tree.txt        the set as `kubectl grove tree -o wide` shows it
objects/        the set and its objects, one folder for each kind
events.yaml     events about these, and about deleted objects of the set
nodes/          nodes of its pods: name, labels, taints, conditions, allocatable
operator/       the operator's pods, and the lines of their logs that name the set
versions.yaml   of kubectl-grove, the API server, the definitions, the operator
";

/// The text of README.txt.
pub fn write(bundle: &Bundle, read: &Collected, now: Timestamp) -> String {
    let mut text = format!(
        "PodCliqueSet {} in namespace {}, as it was at {} (UTC).\nMade by kubectl-grove {}.\n\n",
        read.name,
        read.namespace,
        now.strftime("%Y-%m-%d %H:%M:%S"),
        env!("CARGO_PKG_VERSION"),
    );
    text.push_str(CONTENTS);
    text.push_str("\nNot in it:\n");
    for line in &bundle.missing {
        text.push_str(&indent("- ", line));
    }
    if bundle.missing.is_empty() {
        text.push_str("- nothing is missing\n");
    }
    text.push('\n');
    text.push_str(&indent("Redacted: ", &format!("{}.", bundle.redacted)));
    text.push_str(PLACES);
    text.push_str(if bundle.shown.with_arguments {
        WITH_ARGUMENTS
    } else {
        HARMLESS
    });
    text
}

/// The file does not depend on the terminal: two bundles of the same state are the same.
fn indent(first: &str, text: &str) -> String {
    output::indent_within(first, text, output::WIDTH)
}

const PLACES: &str = "
Secrets and ConfigMaps were not read. Values of environment variables and of
headers are replaced by REDACTED, but for the variables that the operator sets.
managedFields and the manifest that kubectl keeps in an annotation are left out.
";

const HARMLESS: &str = "\
All other text is hidden (<hidden: 12 characters>), except names, images, times,
quantities, labels, the words of Kubernetes' own fields, names of flags,
annotations of grove.io and kubernetes.io, and, in messages and log lines, the
words that Kubernetes and the operator use themselves.
A name or a label may be a secret by its meaning: read the files before you send
them.
";

const WITH_ARGUMENTS: &str = "\
The bundle was made with --with-arguments: in arguments, scripts, messages,
annotations and log lines REDACTED replaces only text that looks like a secret.
Other secrets are still there: read the files before you send them.
";
