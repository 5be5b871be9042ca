//! The image of the init container of pods that start after others.

/// A reference with a tag or a digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitContainerImage(String);

impl InitContainerImage {
    /// Reads a reference. Without a tag it gets the operator's version, as in the Go operator.
    pub fn parse(text: &str) -> Result<Self, String> {
        let name = text.rsplit('/').next().unwrap_or_default();
        if name.is_empty() {
            return Err("name an image, such as registry.example.com/grove-initc".to_owned());
        }
        if name.contains([':', '@']) {
            return Ok(Self(text.to_owned()));
        }
        Ok(Self(format!("{text}:{}", env!("CARGO_PKG_VERSION"))))
    }

    /// The reference.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for InitContainerImage {
    fn default() -> Self {
        Self(format!("grove-initc:{}", env!("CARGO_PKG_VERSION")))
    }
}
