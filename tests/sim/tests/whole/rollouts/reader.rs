//! What Dynamo's operator concludes while an update runs, by every state in the log of the store.

use sim::dynamo::{
    self, Moment, Reader, expect_no_early_ready, expect_no_early_traffic, expect_ready_at_the_end,
};
use sim::store::Record;
use sim::{Resource, Store, view};

use super::shape::Shape;

/// The conclusions from this place in the log on.
fn moments_since(store: &Store, began: usize) -> Vec<Moment> {
    let mut reader = Reader::default();
    let log = store.log.iter().enumerate();
    log.filter_map(|(position, record)| {
        let (kind, name) = (record.id.resource.kind(), &record.id.name);
        let moment = reader.see(&kind, name, record.after.clone())?;
        (position >= began).then_some(moment)
    })
    .collect()
}

/// Fails if traffic went to a generation while pods of an older one were there. This holds whatever
/// disturbs the update.
pub fn check_traffic(store: &Store, _: &Shape, _: usize) -> Result<(), String> {
    expect_no_early_traffic(&moments_since(store, 0))
}

/// Fails unless the graph is ready once, at the end of an update that nothing disturbs, and counts
/// no pod that it did not ask for.
pub fn check_undisturbed(store: &Store, shape: &Shape, began: usize) -> Result<(), String> {
    let moments = moments_since(store, began);
    expect_no_early_traffic(&moments)?;
    expect_no_early_ready(&moments)?;
    expect_ready_at_the_end(&moments)?;
    let serves = moments.last().is_some_and(|moment| moment.serves);
    let may_scale = moments.last().is_some_and(|moment| moment.may_scale);
    if !(serves && may_scale) {
        return Err(format!("at the end: {:?}", moments.last()));
    }
    expect_no_surge_counted(store.log.get(began..).unwrap_or_default(), shape)
}

/// Surge pods are in no count of the status.
fn expect_no_surge_counted(log: &[Record], shape: &Shape) -> Result<(), String> {
    let (resource, name) = shape.scaled;
    let of_part = log
        .iter()
        .filter(|record| record.id.resource == resource && record.id.name == name)
        .filter_map(|record| record.after.as_ref());
    let mut surge = 0;
    for part in of_part {
        let wanted = view::number(part, "/spec/replicas");
        for count in dynamo::COUNTS {
            let is = view::number(part, &format!("/status/{count}"));
            if is > wanted {
                return Err(format!("{count} is {is} of {wanted}: {part}"));
            }
        }
        surge = surge.max(view::number(part, "/status/surgeReplicas"));
    }
    let is_used = surge > 0 || shape.surge == 0;
    is_used
        .then_some(())
        .ok_or_else(|| "there was no surge".to_owned())
}

/// Dynamo makes sets of one replica, of which a clique or a group is the part.
pub fn is_graph(shape: &Shape) -> bool {
    shape.scaled.0 != Resource::PodCliqueSet
}
