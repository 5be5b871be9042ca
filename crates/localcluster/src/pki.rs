//! The cluster's own certificate authority, and the certificates that it signs.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose,
};
use serde_json::json;

/// A user of the API server.
pub(super) struct User<'a> {
    pub(super) name: &'a str,
    pub(super) group: Option<&'a str>,
}

/// A certificate authority with a key that is never written to disk: it exists only while a cluster
/// starts.
pub(super) struct Pki {
    dir: PathBuf,
    authority: CertifiedIssuer<'static, KeyPair>,
}

impl Pki {
    /// Makes a new authority; `dir` gets its certificate, `ca.crt`.
    pub(super) fn create(dir: PathBuf) -> Result<Self> {
        fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
        let mut params = params("grove-rs local cluster", None, &[])?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![
            KeyUsagePurpose::KeyCertSign,
            KeyUsagePurpose::DigitalSignature,
        ];
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
        let pki = Self { dir, authority };
        write_secret(&pki.path("ca.crt"), &pki.authority.pem())?;
        Ok(pki)
    }

    /// The path of a file of this authority.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Writes the certificate and the key of a server with these names and addresses: `path` with
    /// the endings `crt` and `key`.
    pub(super) fn write_server(&self, path: &Path, name: &str, called: &[&str]) -> Result<()> {
        let mut params = params(name, None, called)?;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        self.write_pair(path, &params)
    }

    /// Writes the certificate and the key of a user: `path` with the endings `crt` and `key`.
    pub(super) fn write_client(&self, path: &Path, user: &User<'_>) -> Result<()> {
        self.write_pair(path, &client(user)?)
    }

    fn write_pair(&self, path: &Path, params: &CertificateParams) -> Result<()> {
        let (certificate, key) = self.sign(params)?;
        write_secret(&path.with_extension("crt"), &certificate)?;
        write_secret(&path.with_extension("key"), &key)
    }

    /// Writes `sa.key` and `sa.pub`, which sign and verify the tokens of service accounts.
    pub(super) fn write_token_key(&self) -> Result<()> {
        let key = KeyPair::generate()?;
        write_secret(&self.path("sa.key"), &key.serialize_pem())?;
        write_secret(&self.path("sa.pub"), &key.public_key_pem())
    }

    /// Writes the kubeconfig of a user that authenticates by a certificate.
    pub(super) fn write_kubeconfig(
        &self,
        path: &Path,
        server: &str,
        user: &User<'_>,
    ) -> Result<()> {
        let (certificate, key) = self.sign(&client(user)?)?;
        let config = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "local", "cluster": {
                "server": server,
                "certificate-authority-data": STANDARD.encode(self.authority.pem()),
            }}],
            "users": [{"name": user.name, "user": {
                "client-certificate-data": STANDARD.encode(certificate),
                "client-key-data": STANDARD.encode(key),
            }}],
            "contexts": [{"name": "local", "context": {"cluster": "local", "user": user.name}}],
            "current-context": "local",
        });
        // JSON is YAML too.
        write_secret(path, &serde_json::to_string_pretty(&config)?)
    }

    /// A new key and its certificate, both as PEM: certificate first.
    fn sign(&self, params: &CertificateParams) -> Result<(String, String)> {
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.authority)?;
        Ok((certificate.pem(), key.serialize_pem()))
    }
}

fn client(user: &User<'_>) -> Result<CertificateParams> {
    let mut params = params(user.name, user.group, &[])?;
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    Ok(params)
}

/// Kubernetes reads a user's name from the common name, and its group from the organization.
fn params(name: &str, group: Option<&str>, names: &[&str]) -> Result<CertificateParams> {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    if let Some(group) = group {
        params
            .distinguished_name
            .push(DnType::OrganizationName, group);
    }
    params.use_authority_key_identifier_extension = true;
    Ok(params)
}

fn write_secret(path: &Path, content: &str) -> Result<()> {
    let mut options = OpenOptions::new();
    let file = options
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path);
    file.and_then(|mut file| file.write_all(content.as_bytes()))
        .with_context(|| format!("cannot write {}", path.display()))
}
