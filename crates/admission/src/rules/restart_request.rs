//! The restart of one replica, asked for by annotation `grove.io/restart-replica` (decision 182).

use api::PodCliqueSet;
use api::labels::RESTART_REPLICA;
use domain::health::restart_request::{self, Refusal};
use domain::object::ownership;

use crate::field::{FieldError, Path};

/// A request of another form. A new set may have an old request, as a backup that is restored does:
/// it has no effect, as no replica is in the attempt that it names, or nothing of the replica exists.
pub(super) fn check(pcs: &PodCliqueSet) -> Option<FieldError> {
    let text = ownership::annotation(&pcs.metadata, RESTART_REPLICA)?;
    let refusal = restart_request::parse(text).err()?;
    Some(refuse(pcs, text, &refusal))
}

/// A request that was written now and has no effect. One that was answered stays in the annotation, and
/// is not looked at again. Only the stored object has the status.
pub(super) fn check_change(old: &PodCliqueSet, new: &PodCliqueSet) -> Option<FieldError> {
    let text = ownership::annotation(&new.metadata, RESTART_REPLICA)?;
    if ownership::annotation(&old.metadata, RESTART_REPLICA) == Some(text) {
        return None;
    }
    let request = restart_request::parse(text).ok()?;
    let refusal = request.check(new, old.status.as_ref()).err()?;
    Some(refuse(new, text, &refusal))
}

fn refuse(pcs: &PodCliqueSet, text: &str, refusal: &Refusal) -> FieldError {
    let at = Path::new("metadata.annotations").key(RESTART_REPLICA);
    let remedy = refusal.remedy(ownership::name(&pcs.metadata));
    at.wrong(text, refusal.to_string(), remedy)
}
