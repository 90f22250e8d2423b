//! Programs of the machine that some tests need.

use std::io::Write;
use std::process::Command;

/// Whether there is a clang. If not, says on standard error what is skipped, past the test harness, which would keep it to
/// itself.
pub fn has_clang(what_needs_it: &str) -> bool {
    let found = Command::new("clang").arg("--version").output().is_ok();
    if !found {
        let text = format!("\nSKIPPED without clang: {what_needs_it} (`cargo xtask setup` installs it)\n");
        // If that fails there is nobody left to tell.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
    found
}
