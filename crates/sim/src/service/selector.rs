//! Label selectors.

use serde_json::Value;

use crate::view;

/// Demands on the labels of an object; all have to be met.
#[derive(Clone, Debug, Default)]
pub struct Selector(Vec<Demand>);

#[derive(Clone, Debug)]
enum Demand {
    Is(String, String),
    IsNot(String, String),
    Exists(String),
    IsAbsent(String),
}

impl Selector {
    /// Reads `a=b,c!=d,e,!f`; sets of values are not served.
    ///
    /// # Errors
    ///
    /// A text that is not such a list; the error explains it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let demands = text.split(',').filter(|part| !part.is_empty());
        demands.map(parse).collect::<Result<_, _>>().map(Self)
    }

    /// Whether it selects the object.
    pub fn selects(&self, object: &Value) -> bool {
        let labels = view::at(object, "/metadata/labels");
        let has = |key: &str| labels.is_some_and(|labels| labels.get(key).is_some());
        self.0.iter().all(|demand| match demand {
            Demand::Is(key, value) => has(key) && view::label(object, key) == value,
            Demand::IsNot(key, value) => !has(key) || view::label(object, key) != value,
            Demand::Exists(key) => has(key),
            Demand::IsAbsent(key) => !has(key),
        })
    }
}

fn parse(part: &str) -> Result<Demand, String> {
    if part.contains([' ', '(', ')']) {
        return Err(format!("selector {part:?} is not served"));
    }
    let own = str::to_owned;
    Ok(if let Some((key, value)) = part.split_once("!=") {
        Demand::IsNot(own(key), own(value))
    } else if let Some((key, value)) = part.split_once('=') {
        Demand::Is(own(key), own(value.trim_start_matches('=')))
    } else if let Some(key) = part.strip_prefix('!') {
        Demand::IsAbsent(own(key))
    } else {
        Demand::Exists(own(part))
    })
}
