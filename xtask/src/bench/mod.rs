//! Measurements: `cargo xtask bench <what>`. Figures are printed, never gated on: a shared machine is as fast as it is
//! left alone, so everything is set against a lower bound measured in the same run.

mod avoid;
mod c;
mod dve;
mod dve_repair;
mod dve_slots;
mod explicit;
mod literal;
mod predicate;
mod repair;
mod robmc;
mod wsts;

use anyhow::{Result, bail};

/// Runs the measurement that is named.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    match arguments {
        [what, rest @ ..] if what == "avoid" => avoid::run(rest),
        [what, rest @ ..] if what == "c" => c::run(rest),
        [what, rest @ ..] if what == "explicit" => explicit::run(rest),
        [what, rest @ ..] if what == "literal" => literal::run(rest),
        [what, rest @ ..] if what == "predicate" => predicate::run(rest),
        [what, rest @ ..] if what == "repair" => repair::run(rest),
        [what, rest @ ..] if what == "robmc" => robmc::run(rest),
        [what, rest @ ..] if what == "wsts" => wsts::run(rest),
        [what, rest @ ..] if what == "dve" => dve::run(rest),
        _ => bail!(
            "say what to measure:\n\
             \x20 cargo xtask bench avoid\n\
             \x20 cargo xtask bench c [--corpora FOLDER]\n\
             \x20 cargo xtask bench dve [--corpora FOLDER] [--most STATES] [--repair]\n\
             \x20 cargo xtask bench explicit [--rounds N] [FILE.rmm]\n\
             \x20 cargo xtask bench literal\n\
             \x20 cargo xtask bench predicate\n\
             \x20 cargo xtask bench repair\n\
             \x20 cargo xtask bench robmc [--limit SECONDS] [--short-limit SECONDS] [--programs NAME,…] \
             [--strategies NAME,…] [--rows FILE.csv] [--plots FOLDER]\n\
             \x20 cargo xtask bench wsts [--timeout SECONDS]"
        ),
    }
}
