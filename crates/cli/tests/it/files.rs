//! Manifests with the places of their fields.

mod broken;
mod positions;
mod values;

use cli::files::{Broken, Source, YamlNode, read_documents};

fn read(text: &str) -> Result<Vec<YamlNode>, Broken> {
    read_documents(&Source {
        name: "a.yaml".into(),
        bytes: text.as_bytes().to_vec(),
    })
}

/// The only document of a text.
fn document(text: &str) -> YamlNode {
    let mut documents = read(text).unwrap();
    assert_eq!(documents.len(), 1, "{text}");
    documents.remove(0)
}
