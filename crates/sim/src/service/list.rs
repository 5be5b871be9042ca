//! LIST.

use serde_json::{Value, json};

use super::{Collection, Options, Selector};
use crate::resource::Id;
use crate::store::{Answer, Store, Stored};

/// The parameters in the query of a URL.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    pub is_watch: bool,
    pub selector: Selector,
    pub resource_version: String,
    pub timeout_seconds: Option<u64>,
    pub has_bookmarks: bool,
    limit: Option<usize>,
    token: Option<String>,
}

impl Asked {
    pub(super) fn parse(query: &str) -> Result<Self, Answer> {
        let mut asked = Self::default();
        for (key, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*key {
                "watch" => asked.is_watch = value == "true",
                "labelSelector" => {
                    asked.selector = Selector::parse(&value).map_err(|e| malformed(&e))?;
                }
                "limit" => asked.limit = Some(number(&value)?),
                "continue" => asked.token = Some(value.into_owned()),
                "resourceVersion" => asked.resource_version = value.into_owned(),
                "timeoutSeconds" => asked.timeout_seconds = Some(number(&value)?),
                "allowWatchBookmarks" => asked.has_bookmarks = value == "true",
                other => return Err(malformed(&format!("parameter {other} is not served"))),
            }
        }
        Ok(asked)
    }
}

fn number<N: std::str::FromStr>(text: &str) -> Result<N, Answer> {
    let malformed = |_| malformed(&format!("{text:?} is no number"));
    text.parse().map_err(malformed)
}

pub(super) fn malformed(message: &str) -> Answer {
    Answer::failure(400, "BadRequest", message)
}

/// 410: the requested version is compacted.
pub(super) fn expired() -> Answer {
    Answer::failure(410, "Expired", "The resourceVersion is too old")
}

/// One page. All pages of a list are of one version, which the token carries from page to page.
pub(super) fn page(
    store: &Store,
    options: &Options,
    collection: &Collection,
    asked: &Asked,
) -> Result<Answer, Answer> {
    let (version, after) = match &asked.token {
        None => {
            let old = options.list_at.get(&collection.resource).copied();
            (old.unwrap_or(store.version()), None)
        }
        Some(token) => {
            let (version, after) = read_token(token)?;
            (version, Some(after))
        }
    };
    if version < options.compacted {
        return Err(expired());
    }
    let is_meant = |(id, object): &(Id, Stored)| {
        collection.holds(id)
            && asked.selector.selects(object)
            && after.as_ref().is_none_or(|after| position(id) > *after)
    };
    let mut items: Vec<(Id, Stored)> = store
        .as_of(version, collection.resource)
        .into_iter()
        .filter(is_meant)
        .collect();
    let limit = asked
        .limit
        .filter(|limit| *limit > 0)
        .map_or(usize::MAX, |limit| limit.min(options.longest_page));
    let has_more = items.len() > limit;
    items.truncate(limit);
    let last = items.last().filter(|_| has_more);
    let token = last.map(|(id, _)| format!("{version}:{}", position(id)));
    let items: Vec<&Value> = items.iter().map(|(_, object)| &**object).collect();
    Ok(Answer::ok(json!({
        "apiVersion": collection.resource.api_version(),
        "kind": format!("{}List", collection.resource.kind()),
        "metadata": {"resourceVersion": version.to_string(), "continue": token},
        "items": items,
    })))
}

/// The position of an object in a list.
fn position(id: &Id) -> String {
    format!("{}/{}", id.namespace, id.name)
}

fn read_token(token: &str) -> Result<(u64, String), Answer> {
    let parts = token.split_once(':');
    let (version, after) = parts.ok_or_else(|| malformed("the continue token is not ours"))?;
    Ok((number(version)?, after.to_owned()))
}
