//! Proofs that somebody else can check. An ability of engines that can write down what a proof rests on; what all their
//! checkers answer; and the seal by which a certificate shows that it is as it was written.
//!
//! The seal is a checksum, not a signature: it finds damage, and changes that left a proof. Whether a certificate *is* a
//! proof is found by checking what it says.

use fencewright_ir::Program;
use fencewright_memory::Model;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Context, Engine, Task, Unknown, takes};

/// The form of certificates that this version writes and reads.
pub const CERTIFICATE_VERSION: u32 = 1;

/// An engine whose proofs can be written down.
pub trait CertifyingEngine: Engine {
    /// A certificate that the task's program keeps its properties, for the checker of this engine's crate. Called by
    /// [`run_certificate`] only, with a task that it supports.
    fn certificate(&self, task: &Task<'_>, context: &mut Context<'_>) -> Result<String, Unknown>;
}

/// Asks the engine for a certificate, if it takes the task.
pub fn run_certificate(
    engine: &dyn CertifyingEngine,
    task: &Task<'_>,
    context: &mut Context<'_>,
) -> Result<String, Unknown> {
    takes(engine, task)?;
    engine.certificate(task, context)
}

/// What a certificate proves.
#[derive(Debug, Clone, PartialEq)]
pub struct Proof {
    /// The program.
    pub program: Program,
    /// Keeps its properties under this model.
    pub model: Model,
    /// By so many of these.
    pub size: usize,
    /// What the proof is made of: states, lemmas.
    pub unit: &'static str,
}

/// Why a certificate is no proof.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAProof {
    /// It is no certificate, or one of another engine, version or program.
    #[error("this is no certificate: {0}")]
    Form(String),
    /// A state is missing.
    #[error("it is not closed: {0}")]
    Missing(String),
    /// A violation is possible.
    #[error("it does not exclude a violation: {0}")]
    Violation(String),
    /// An open value has too many possibilities to try.
    #[error("a value is chosen from too many to try")]
    Open,
    /// The solver that was asked gave no answer.
    #[error("{0}")]
    Solver(String),
    /// It is a proof, but not the one that was written.
    #[error("it was changed after it was written: its last line is not the seal of the others")]
    Changed,
}

/// A certificate as text: a line a state or lemma, for whoever looks at it, and the seal.
pub fn write_certificate(wire: &impl Serialize) -> String {
    let text = serde_json::to_string(wire).expect("a certificate is plain data");
    seal(&text.replace("{\"locations\"", "\n{\"locations\"").replace("{\"id\"", "\n{\"id\""))
}

/// What a certificate says, and whether its seal is that of the content.
pub fn read_certificate<W: DeserializeOwned>(text: &str) -> Result<(W, bool), NotAProof> {
    let (content, sealed) = unsealed(text);
    let wire = serde_json::from_str(content).map_err(|error| NotAProof::Form(error.to_string()))?;
    Ok((wire, sealed))
}

/// What the last line of a certificate begins with.
const SEAL: &str = "fnv1a ";

/// The content with the line that seals it.
pub fn seal(content: &str) -> String {
    let content = content.trim_end();
    format!("{content}\n{SEAL}{:016x}\n", checksum(content))
}

/// The content of a certificate, and whether its seal is that of the content.
pub fn unsealed(text: &str) -> (&str, bool) {
    let text = text.trim_end();
    match text.rsplit_once('\n') {
        Some((content, line)) if line.starts_with(SEAL) => {
            let content = content.trim_end();
            (content, line[SEAL.len()..] == format!("{:016x}", checksum(content)))
        }
        _ => (text, false),
    }
}

/// That of the bytes, with line ends as one character.
fn checksum(content: &str) -> u64 {
    fingerprint(content.bytes().filter(|byte| *byte != b'\r'))
}

/// FNV-1a of 64 bits.
pub fn fingerprint(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_is_of_its_content() {
        // The published test vector of FNV-1a.
        assert_eq!(checksum("foobar"), 0x8594_4171_f739_67e8);
        let text = seal("{\"a\":\n1}\n");
        assert_eq!(unsealed(&text), ("{\"a\":\n1}", true));
        assert!(unsealed(&text.replace('\n', "\r\n")).1);
        assert!(!unsealed(&text.replace("1}", "2}")).1);
        assert_eq!(unsealed("{\"a\":1}"), ("{\"a\":1}", false));
    }
}
