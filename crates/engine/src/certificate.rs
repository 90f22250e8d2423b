//! Proofs that somebody else can check. An ability of engines that can write down what a proof rests on; and the seal by
//! which a certificate shows that it is as it was written.
//!
//! The seal is a checksum, not a signature: it finds damage, and changes that left a proof. Whether a certificate *is* a
//! proof is found by checking what it says.

use crate::{Context, Engine, Task, Unknown};

/// An engine whose proofs can be written down.
pub trait CertifyingEngine: Engine {
    /// A certificate that the task's program keeps its properties, for the checker of this engine's crate.
    fn certificate(&self, task: &Task<'_>, context: &mut Context<'_>) -> Result<String, Unknown>;
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

/// FNV-1a of 64 bits, with line ends as one character.
fn checksum(content: &str) -> u64 {
    let bytes = content.bytes().filter(|byte| *byte != b'\r');
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
