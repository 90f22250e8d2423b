//! Measurements: `cargo xtask bench <what>`. Figures are printed, never gated on: a shared machine is as fast as it is
//! left alone, so everything is set against a lower bound measured in the same run.

mod dve;
mod dve_repair;
mod explicit;
mod repair;
mod wsts;

use anyhow::{Result, bail};

/// Runs the measurement that is named.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    match arguments {
        [what, rest @ ..] if what == "explicit" => explicit::run(rest),
        [what, rest @ ..] if what == "repair" => repair::run(rest),
        [what, rest @ ..] if what == "wsts" => wsts::run(rest),
        [what, rest @ ..] if what == "dve" => dve::run(rest),
        _ => bail!(
            "say what to measure: cargo xtask bench explicit [--rounds N] [FILE.rmm], cargo xtask bench repair, \
             cargo xtask bench wsts [--timeout SECONDS], cargo xtask bench dve [--corpora FOLDER] [--most STATES] [--repair]"
        ),
    }
}
