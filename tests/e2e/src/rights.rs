//! Whether the operator has exactly the rights that it needs: the chart's role, compared with the
//! requests of all operators of a test run.

mod asked;
mod granted;
mod unused;

use std::collections::BTreeSet;
use std::fmt;
use std::io::BufRead;

use anyhow::Result;

pub use asked::Asked;
pub use granted::granted;
use unused::UNUSED;

/// Rights that would let the operator, or its pods, do more than the operator may itself.
const POWERS: [&str; 7] = [
    "clusterrolebindings",
    "clusterroles",
    "rolebindings",
    "roles",
    "secrets",
    "serviceaccounts",
    "serviceaccounts/token",
];

/// The only Secret of the operator: the certificate of its webhook.
const OWN_SECRET: &str = "grove-webhook-server-cert";

/// Resources of which only single objects are allowed.
const NAMED: [&str; 4] = [
    "leases",
    "mutatingwebhookconfigurations",
    "secrets",
    "validatingwebhookconfigurations",
];

/// Part of the name of a namespace in which a test removes the operator's role: refusals there are
/// not errors of the chart.
pub const WITHOUT_ROLE: &str = "watched-lost";

/// A right.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Right {
    /// `get`, `list`, ...
    pub verb: String,
    /// Empty for the core group.
    pub group: String,
    /// `pods`, `pods/status`, ...
    pub resource: String,
    /// The one object that it is for; empty: all objects.
    pub name: String,
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.resource)?;
        if !self.group.is_empty() {
            write!(f, ".{}", self.group)?;
        }
        if self.name.is_empty() {
            return Ok(());
        }
        write!(f, " {}", self.name)
    }
}

/// The problems, one line each; none if the role is as small as it can be.
pub fn problems(granted: &BTreeSet<Right>, asked: &Asked) -> Vec<String> {
    let unused: BTreeSet<Right> = UNUSED.iter().map(|(right, _)| right.into()).collect();
    let needless = granted
        .difference(&asked.used)
        .filter(|r| !unused.contains(r));
    let stale = unused
        .iter()
        .filter(|r| asked.used.contains(r) || !granted.contains(r));
    let mut problems: Vec<String> = asked.forbidden.iter().cloned().collect();
    problems.extend(powers(granted).map(|r| format!("`{r}` is granted: it must never be")));
    problems.extend(powers(&asked.tried).map(|r| format!("`{r}` was asked for: it must never be")));
    problems.extend(needless.map(|right| {
        format!("no test used `{right}`: take it off the chart's rules, or test what needs it")
    }));
    problems.extend(stale.map(|right| {
        format!("`{right}` is used, or not granted: take it off tests/e2e/src/rights/unused.rs")
    }));
    problems
}

fn powers(rights: &BTreeSet<Right>) -> impl Iterator<Item = &Right> {
    let is_power = |right: &&Right| {
        let is_own = right.resource == "secrets" && right.name == OWN_SECRET;
        POWERS.contains(&right.resource.as_str()) && !is_own
    };
    rights.iter().filter(is_power)
}

/// The comparison in one line.
pub fn summary(granted: &BTreeSet<Right>, asked: &Asked) -> String {
    format!(
        "rights: {} requests of the operator, none forbidden, none about accounts, roles, bindings \
         or Secrets but {OWN_SECRET}; of {} rights in the chart's role {} were used and {} have another reason",
        asked.requests,
        granted.len(),
        granted.intersection(&asked.used).count(),
        UNUSED.len(),
    )
}

/// Reads audit logs, one after the other.
pub fn asked<R: BufRead>(logs: impl IntoIterator<Item = R>) -> Result<Asked> {
    let mut asked = Asked::default();
    for log in logs {
        for line in log.lines() {
            asked.note(serde_json::from_str(&line?)?);
        }
    }
    Ok(asked)
}
