//! From a name to the replica of a set: `llm-2`, or any object of that replica.

use api::PodCliqueSet;

use super::Cluster;
use super::absent::explain_absence;
use super::named::{AskedName, NamedKind, find_child, parse_name};
use crate::exit::Failure;

/// The set of that name, without a replica; or the set and the replica of which it is an object.
pub async fn find_replica(cluster: &Cluster, text: &str) -> Result<(String, Option<i32>), Failure> {
    let asked = parse_name(text)?;
    let name = asked.name;
    let is_set = asked.kind.is_none_or(|kind| kind == NamedKind::Set);
    if is_set && exists(cluster, name).await? {
        return Ok((name.to_owned(), None));
    }
    let found = match find_numbered(cluster, asked).await? {
        None => find_of_child(cluster, asked).await,
        found => found,
    };
    match found {
        Some((set, replica)) => Ok((set, Some(replica))),
        None => Err(explain_absence(cluster, name).await),
    }
}

/// `llm-2`: the name of a base gang, which need not exist at the moment.
async fn find_numbered(
    cluster: &Cluster,
    asked: AskedName<'_>,
) -> Result<Option<(String, i32)>, Failure> {
    let is_gang = asked.kind.is_none_or(|kind| kind == NamedKind::Gang);
    let Some((set, replica)) = split(asked.name).filter(|_| is_gang) else {
        return Ok(None);
    };
    let is_there = exists(cluster, set).await?;
    Ok(is_there.then(|| (set.to_owned(), replica)))
}

async fn find_of_child(cluster: &Cluster, asked: AskedName<'_>) -> Option<(String, i32)> {
    if asked.kind == Some(NamedKind::Set) {
        return None;
    }
    let (_, set) = find_child(cluster, asked).await.ok()??;
    let replica = replica_in(&set, asked.name)?;
    Some((set, replica))
}

async fn exists(cluster: &Cluster, set: &str) -> Result<bool, Failure> {
    Ok(cluster.get::<PodCliqueSet>(set).await?.is_some())
}

fn split(name: &str) -> Option<(&str, i32)> {
    let (set, replica) = name.rsplit_once('-')?;
    Some((set, replica.parse().ok()?))
}

/// The replica in the name of an object of this set.
fn replica_in(set: &str, name: &str) -> Option<i32> {
    let rest = name.strip_prefix(set)?.strip_prefix('-')?;
    rest.split('-').next()?.parse().ok()
}
