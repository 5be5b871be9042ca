//! An independent watch of a namespace's objects: whether a claim holds for each of them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use kube::Client;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::progress::say;
use crate::watching::{Event, Object, Watch};

const DEADLINE: Duration = Duration::from_mins(1);

/// Whether the claim holds for each object, by name, and when that was first observed.
type Seen = HashMap<String, (bool, Instant)>;

/// A running watch; dropping the value ends it.
#[derive(Debug)]
pub struct Claims {
    seen: watch::Receiver<Seen>,
    task: JoinHandle<()>,
}

impl Claims {
    /// Begins it.
    pub async fn watch<T: Object>(
        client: &Client,
        path: &str,
        claim: fn(&T) -> bool,
    ) -> Result<Self> {
        let (tell, seen) = watch::channel(Seen::new());
        let mut objects = Watch::<T>::begin(client, path, "", "0").await?;
        let task = tokio::spawn(async move {
            loop {
                match objects.next().await {
                    Ok(Event::Is(object)) => {
                        tell.send_modify(|seen| note(seen, &object, claim));
                    }
                    Ok(Event::Gone(_)) => {}
                    Err(error) => return say(&format!("    the watch failed: {error:#}")),
                }
            }
        });
        Ok(Self { seen, task })
    }

    /// Waits until the claim holds for the object, or does not; returns since when.
    pub async fn until(&self, name: &str, holds: bool) -> Result<Instant> {
        let mut seen = self.seen.clone();
        let is_so = |seen: &Seen| seen.get(name).is_some_and(|(is, _)| *is == holds);
        let seen = tokio::time::timeout(DEADLINE, seen.wait_for(is_so)).await;
        match seen.map(|seen| seen.ok().and_then(|seen| seen.get(name).copied())) {
            Ok(Some((_, since))) => Ok(since),
            Ok(None) => bail!("the watch ended"),
            Err(_) => bail!("not within {DEADLINE:?}: what is waited for of {name} is {holds}"),
        }
    }
}

impl Drop for Claims {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn note<T: Object>(seen: &mut Seen, object: &T, claim: fn(&T) -> bool) {
    let (name, holds) = (&object.metadata().name, claim(object));
    if seen.get(name).is_none_or(|(was, _)| *was != holds) {
        seen.insert(name.clone(), (holds, Instant::now()));
    }
}
