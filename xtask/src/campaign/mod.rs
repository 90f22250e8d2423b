//! Campaigns: `cargo xtask campaign <what>`. Many generated programs, and what must be true of each; how much was really
//! compared is printed, so that a campaign that compares nothing is seen.

mod readings;
pub(crate) mod repair;

use anyhow::{Result, bail};

/// Runs the campaign that is named.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    match arguments {
        [what, rest @ ..] if what == "repair" => repair::run(rest),
        [what, rest @ ..] if what == "readings" => readings::run(rest),
        _ => bail!(
            "say which: cargo xtask campaign repair [--programs N] [--seed S], or readings [--scale PERCENT] [--seed S] [--jobs N]"
        ),
    }
}
