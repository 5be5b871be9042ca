//! The remedy for a right that the operator itself lacks, by the words of the API server:
//! `User "system:serviceaccount:NAMESPACE:NAME" cannot VERB resource "RESOURCE" in API group "GROUP"`.

use crate::cluster::OPERATOR;

/// Before the name of a service account.
const ACCOUNT: &str = "User \"system:serviceaccount:";

/// The remedy if the sentence says that a service account, which is the operator's, lacks a right.
pub(super) fn remedy_of_missing_right(sentence: &str, namespace: &str) -> Option<String> {
    let right = MissingRight::read(sentence)?;
    let MissingRight { account, verb, .. } = right;
    let resource = right.resource();
    let asked = right.subresource.map(|sub| format!(" --subresource={sub}"));
    let asked = asked.unwrap_or_default();
    Some(format!(
        "the operator itself may not {verb} {resource}: `helm upgrade` writes its ClusterRole again (Helm 4 \
         with `--force-conflicts`); or add the right to the role that `kubectl get clusterroles,roles -A -l \
         {OPERATOR}` lists, until `kubectl auth can-i {verb} {resource}{asked} -n {namespace} \
         --as=system:serviceaccount:{account}` says yes"
    ))
}

/// A right that a service account lacks.
struct MissingRight<'a> {
    /// Namespace and name, with a colon in between.
    account: &'a str,
    verb: &'a str,
    plural: &'a str,
    subresource: Option<&'a str>,
    group: &'a str,
}

impl<'a> MissingRight<'a> {
    fn read(sentence: &'a str) -> Option<Self> {
        let (_, rest) = sentence.split_once(ACCOUNT)?;
        let (account, rest) = rest.split_once("\" cannot ")?;
        let (verb, rest) = rest.split_once(" resource \"")?;
        let (resource, rest) = rest.split_once('"')?;
        let (plural, subresource) = match resource.split_once('/') {
            Some((plural, subresource)) => (plural, Some(subresource)),
            None => (resource, None),
        };
        let group = rest.strip_prefix(" in API group \"");
        let group = group.and_then(|rest| rest.split('"').next());
        Some(Self {
            account,
            verb,
            plural,
            subresource,
            group: group.unwrap_or_default(),
        })
    }

    fn resource(&self) -> String {
        match self.group {
            "" => self.plural.to_owned(),
            group => format!("{}.{group}", self.plural),
        }
    }
}
