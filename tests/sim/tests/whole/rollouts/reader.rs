//! What Dynamo's operator concludes while an update runs, by every state in the log of the store.

use sim::Store;
use sim::dynamo::{
    Moment, Reader, expect_no_early_ready, expect_no_early_traffic, expect_ready_at_the_end,
};

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

/// Fails unless the graph is ready once, at the end of an update that nothing disturbs.
pub fn check_undisturbed(store: &Store, _: &Shape, began: usize) -> Result<(), String> {
    let moments = moments_since(store, began);
    expect_no_early_traffic(&moments)?;
    expect_no_early_ready(&moments)?;
    expect_ready_at_the_end(&moments)?;
    let serves = moments.last().is_some_and(|moment| moment.serves);
    let may_scale = moments.last().is_some_and(|moment| moment.may_scale);
    (serves && may_scale)
        .then_some(())
        .ok_or_else(|| format!("at the end: {:?}", moments.last()))
}

/// Dynamo makes sets of one replica, of which a clique or a group is the part.
pub fn is_graph(shape: &Shape) -> bool {
    let mut parts = shape.parts.iter();
    !shape.is_set() && parts.all(|part| part.replica() == "svc-0")
}
