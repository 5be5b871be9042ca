//! The answer about a name that no set of the namespace has.

use api::PodCliqueSet;
use kube::Api;
use kube::api::ListParams;
use strsim::osa_distance;

use super::Cluster;
use super::named::{AskedName, NamedKind, find_child};
use crate::exit::Failure;

/// Sets whose names are compared with one that does not exist.
const MOST: u32 = 500;
/// Namespaces that are named.
const SHOWN: usize = 3;

/// The answer of a command that takes no children. It names the set of a child with that name. Without one it
/// names the nearest name.
pub(crate) async fn explain_absence(cluster: &Cluster, name: &str) -> Failure {
    let asked = AskedName { kind: None, name };
    match find_child(cluster, asked).await {
        Ok(Some((kind, set))) => Failure::NotFound(format!(
            "{}: that is a {} of podcliqueset {set}; name the set",
            begin(cluster, name),
            kind.word()
        )),
        Ok(None) => explain_unknown(cluster, asked, None).await,
        Err(unread) => {
            let failure = explain_unknown(cluster, asked, Some(unread)).await;
            Failure::NotFound(failure.to_string())
        }
    }
}

/// Nothing that could be read has that name: where there is a set of that name, or else the nearest one,
/// and how to list all. `unread`: why some children could not be read.
pub(super) async fn explain_unknown(
    cluster: &Cluster,
    asked: AskedName<'_>,
    unread: Option<Failure>,
) -> Failure {
    let begin = begin(cluster, asked.name);
    if let Some(elsewhere) = find_elsewhere(cluster, asked).await {
        return Failure::NotFound(format!("{begin}; {elsewhere}"));
    }
    let meant = find_meant(cluster, asked.name).await;
    match unread {
        None => Failure::NotFound(format!(
            "{begin}, and no set there has a child of that name;{meant} `kubectl grove tree -A` lists \
             them all"
        )),
        Some(failure) => Failure::NoCluster(format!(
            "{begin};{meant} whether a child of a set there has that name is not known: {failure}"
        )),
    }
}

fn begin(cluster: &Cluster, name: &str) -> String {
    let namespace = &cluster.namespace;
    format!("podcliqueset {name} not found in namespace {namespace}")
}

/// The sets of that name in other namespaces, for users who may list them.
async fn find_elsewhere(cluster: &Cluster, asked: AskedName<'_>) -> Option<String> {
    if asked.kind.is_some_and(|kind| kind != NamedKind::Set) {
        return None;
    }
    let name = asked.name;
    let sets: Api<PodCliqueSet> = Api::all(cluster.client.clone());
    let params = ListParams::default().fields(&format!("metadata.name={name}"));
    let listed = sets.list_metadata(&params.limit(MOST)).await.ok()?;
    let mut namespaces: Vec<String> = listed
        .items
        .into_iter()
        .filter(|set| set.metadata.name.as_deref() == Some(name))
        .filter_map(|set| set.metadata.namespace)
        .filter(|namespace| *namespace != cluster.namespace)
        .collect();
    namespaces.sort();
    describe_elsewhere(name, &namespaces)
}

/// "there is one in namespace b: `kubectl grove tree svc -n b`".
fn describe_elsewhere(name: &str, namespaces: &[String]) -> Option<String> {
    let first = namespaces.first()?;
    let shown: Vec<&str> = namespaces.iter().take(SHOWN).map(String::as_str).collect();
    let shown = match namespaces.len().saturating_sub(shown.len()) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    };
    let word = if namespaces.len() == 1 {
        "namespace"
    } else {
        "each of the namespaces"
    };
    Some(format!(
        "there is one in {word} {shown}: `kubectl grove tree {name} -n {first}`"
    ))
}

/// " did you mean svc?"
async fn find_meant(cluster: &Cluster, name: &str) -> String {
    let sets = cluster.namespaced::<PodCliqueSet>();
    let listed = sets.list_metadata(&ListParams::default().limit(MOST)).await;
    let names: Vec<String> = listed
        .into_iter()
        .flat_map(|list| list.items)
        .filter_map(|set| set.metadata.name)
        .collect();
    let meant = nearest_name(&names, name);
    meant.map_or(String::new(), |meant| format!(" did you mean {meant}?"))
}

/// The name with the most similar spelling, if a third of its letters at most differ.
pub fn nearest_name<'a>(names: &'a [String], name: &str) -> Option<&'a str> {
    let most = (name.chars().count() / 3).max(1);
    names
        .iter()
        .map(|known| (osa_distance(known, name), known.as_str()))
        .min()
        .filter(|(distance, _)| *distance <= most)
        .map(|(_, known)| known)
}
