//! `cargo xtask bless`: takes the present output of the snapshot tests as right, and shows what that changes.

use anyhow::Result;

use crate::shell::{cargo, only, root, show};

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &[])?;
    // Tests may fail for other reasons; the snapshots are written all the same.
    let tests = show(cargo().args(["test", "--workspace", "--no-fail-fast"]).env("INSTA_UPDATE", "always"));
    show(std::process::Command::new("git").current_dir(root()).args(["--no-pager", "diff", "--stat"]))?;
    println!("read the difference before you commit it");
    tests
}
