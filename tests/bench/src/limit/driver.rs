//! The requests of the limit driver.

use anyhow::{Context as _, Result};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use kube::Client;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::sending::Made;
use crate::calls::{self, Call};
use crate::recording::{GANGS, GROVE, Gang, Recording, text};

/// Gangs at once: the operator reconciles as many PodCliques.
const GANGS_AT_ONCE: usize = 10;

/// The created objects.
pub struct Standing {
    sets: Vec<Made>,
    groups: Vec<Made>,
    /// All pods.
    pub pods: Vec<Made>,
}

/// The senders of requests, and their namespace.
pub struct Driver<'a> {
    /// The user, whose requests do not count.
    pub user: &'a Client,
    /// The operator's account.
    pub account: &'a Client,
    /// The namespace of all objects.
    pub namespace: &'a str,
}

impl Driver<'_> {
    /// Creates all recorded objects except those of a scaling.
    pub async fn make(&self, recording: &Recording) -> Result<Standing> {
        let posting = recording.sets.iter().map(|set| self.post_set(set));
        let posted: Vec<Made> = at_once_in_order(posting, calls::WIDTH).await?;
        let accepted = recording.sets.iter().zip(&posted);
        let accepted = accepted.map(|(set, made)| self.accept_set(set, made));
        let sets: Vec<Made> = at_once_in_order(accepted, calls::WIDTH).await?;
        let services = recording.services.iter();
        let services = services.map(|service| self.post("api/v1", "services", service, &sets));
        at_once(services, calls::WIDTH).await?;
        let groups = recording.groups.iter();
        let groups = groups.map(|group| self.post_group(group, &sets));
        let groups: Vec<Made> = at_once_in_order(groups, calls::WIDTH).await?;

        let pods = self.make_gangs(&recording.gangs, &sets, &groups).await?;
        Ok(Standing {
            groups: self.put_all(&recording.groups, &groups, true).await?,
            sets: self.put_all(&recording.sets, &sets, true).await?,
            pods,
        })
    }

    /// Creates the objects of the scaling, from the user's scale requests on; returns all pods.
    pub async fn scale(
        &self,
        recording: &Recording,
        standing: Standing,
        scalings: Vec<Call>,
    ) -> Result<Vec<Made>> {
        let mut groups = standing.groups;
        for scaled in calls::send_all::<Value>(self.user, scalings).await? {
            let name = text(&scaled, &["metadata", "name"])?;
            let group = groups.iter_mut().find(|group| group.name == name);
            let version = text(&scaled, &["metadata", "resourceVersion"])?;
            version.clone_into(&mut group.context("a group is missing")?.version);
        }
        let groups = self.put_all(&recording.groups, &groups, false).await?;
        let sets = self.put_all(&recording.sets, &standing.sets, false).await?;
        let pods = self.make_gangs(&recording.scaled, &sets, &groups).await?;
        self.put_all(&recording.groups, &groups, true).await?;
        self.put_all(&recording.sets, &sets, true).await?;
        Ok([standing.pods, pods].concat())
    }

    async fn make_gangs(
        &self,
        gangs: &[Gang],
        sets: &[Made],
        groups: &[Made],
    ) -> Result<Vec<Made>> {
        let owners = [sets, groups].concat();
        let gangs = gangs.iter().map(|gang| self.make_gang(gang, &owners));
        let pods: Vec<Vec<Made>> = at_once(gangs, GANGS_AT_ONCE).await?;
        Ok(pods.into_iter().flatten().collect())
    }

    async fn post_group(&self, group: &Value, sets: &[Made]) -> Result<Made> {
        let kind = "podcliquescalinggroups";
        let posted = self.post(GROVE, kind, group, sets).await?;
        self.put_status(group, &posted, false).await
    }

    async fn put_all(&self, objects: &[Value], made: &[Made], is_last: bool) -> Result<Vec<Made>> {
        let all = objects.iter().zip(made);
        let all = all.map(|(object, made)| self.put_status(object, made, is_last));
        at_once_in_order(all, calls::WIDTH).await
    }

    async fn make_gang(&self, gang: &Gang, owners: &[Made]) -> Result<Vec<Made>> {
        let mut podcliques = Vec::new();
        let mut pods = Vec::new();
        for (podclique, own) in &gang.podcliques {
            let made = self.post(GROVE, "podcliques", podclique, owners).await?;
            let owner = std::slice::from_ref(&made);
            let posts = own
                .iter()
                .map(|pod| self.post("api/v1", "pods", pod, owner));
            pods.extend(at_once(posts, calls::WIDTH).await?);
            podcliques.push((podclique, self.put_status(podclique, &made, false).await?));
        }
        let posted = self.post(GANGS, "podgangs", &gang.gang, owners).await?;
        let posted = self.put_status(&gang.gang, &posted, false).await?;
        at_once(pods.iter().map(|pod| self.ungate(pod)), calls::WIDTH).await?;
        for (podclique, made) in podcliques {
            self.put_status(podclique, &made, true).await?;
        }
        self.put_status(&gang.gang, &posted, true).await?;
        Ok(pods)
    }

    /// Removes the finalizers, so that the namespace can end.
    pub async fn release(&self, recording: &Recording) -> Result<()> {
        let gangs = recording.gangs.iter().chain(&recording.scaled);
        let podcliques = gangs.flat_map(|gang| &gang.podcliques);
        let podcliques = podcliques.map(|(podclique, _)| ("podcliques", podclique));
        let sets = recording.sets.iter().map(|set| ("podcliquesets", set));
        let groups = recording.groups.iter();
        let groups = groups.map(|group| ("podcliquescalinggroups", group));
        let patches = podcliques.chain(sets).chain(groups).filter(has_finalizers);
        let patches = patches.map(|(kind, object)| {
            let name = text(object, &["metadata", "name"])?;
            let path = calls::path(GROVE, self.namespace, format!("{kind}/{name}"));
            calls::json_patch(
                &path,
                &json!([{"op": "remove", "path": "/metadata/finalizers"}]),
            )
        });
        let patches: Result<Vec<Call>> = patches.collect();
        calls::send_all::<IgnoredAny>(self.user, patches?).await?;
        Ok(())
    }
}

fn has_finalizers((_, object): &(&str, &Value)) -> bool {
    object.pointer("/metadata/finalizers").is_some()
}

async fn at_once<T>(
    all: impl Iterator<Item = impl Future<Output = Result<T>>>,
    width: usize,
) -> Result<Vec<T>> {
    stream::iter(all)
        .buffer_unordered(width)
        .try_collect()
        .await
}

async fn at_once_in_order<T>(
    all: impl Iterator<Item = impl Future<Output = Result<T>>>,
    width: usize,
) -> Result<Vec<T>> {
    stream::iter(all).buffered(width).try_collect().await
}
