//! What words on the command line mean.

use std::time::Duration;

use fencewright_engine_coherence::Abstraction;
use fencewright_frontend::patch::Wording;
use fencewright_frontend::{LANGUAGES, Language};
use fencewright_memory::Model;
use fencewright_synth::{Beside, Costs};

use super::{Limit, Models};
use crate::engines::{ENGINES, EngineRow};

fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

pub(super) fn parse_one_model(text: &str) -> Result<Model, String> {
    let known = || names(Model::ALL.iter().map(|model| model.name()));
    Model::by_name(text.trim()).ok_or_else(|| format!("the models are {}", known()))
}

pub(super) fn parse_with(word: &str) -> Result<Beside, String> {
    match word {
        "fences" => Ok(Beside::default()),
        "atomic" => Ok(Beside { atomic: true, orders: false }),
        "order" => Ok(Beside { atomic: false, orders: true }),
        _ => Err("fences, atomic or order".to_owned()),
    }
}

pub(super) fn parse_abstraction(text: &str) -> Result<Abstraction, String> {
    match text.parse() {
        Ok(abstraction @ (Abstraction::Fd(_) | Abstraction::Pd(_))) => Ok(abstraction),
        Ok(Abstraction::Set | Abstraction::Runs(_)) | Err(_) => {
            Err("fd:K or pd:K, where K is a number".to_owned())
        }
    }
}

/// `full=TEXT,store=TEXT` in any order; the texts may hold commas.
pub(super) fn parse_wording(text: &str) -> Result<Wording, String> {
    let mut wording = Wording::default();
    let mut rest = text;
    while !rest.is_empty() {
        let next = ["full=", "store="].iter().filter_map(|name| rest.find(&format!(",{name}"))).min();
        let (part, behind) = next.map_or((rest, ""), |at| (&rest[..at], &rest[at + 1..]));
        let (name, fence) = part.split_once('=').unwrap_or((part, ""));
        let place = match name {
            "full" => &mut wording.full,
            "store" => &mut wording.store_store,
            _ => return Err(format!("`{part}` is not of the form full=TEXT or store=TEXT")),
        };
        if fence.trim().is_empty() || fence.contains('\n') {
            return Err(format!("`{name}` needs a statement on one line, such as smp_mb();"));
        }
        *place = Some(fence.to_owned());
        rest = behind;
    }
    Ok(wording)
}

pub(super) fn parse_costs(text: &str) -> Result<Costs, String> {
    let mut costs = Costs::default();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (name, value) =
            part.split_once('=').ok_or_else(|| format!("`{part}` is not of the form NAME=NUMBER"))?;
        let value: u64 = value.parse().map_err(|_| format!("`{value}` is not a number"))?;
        match name {
            "full" => costs.full = value,
            "store" => costs.store_store = value,
            "atomic" => costs.atomic = value,
            "order" => costs.order = value,
            "release" => costs.release = value,
            "loop" => costs.per_loop = value,
            _ => {
                return Err(format!(
                    "`{name}` has no cost; full, store, atomic, order, release and loop have"
                ));
            }
        }
    }
    Ok(costs)
}

pub(super) fn parse_model(text: &str) -> Result<Models, String> {
    if text.trim().eq_ignore_ascii_case("all") {
        return Ok(Models::All);
    }
    parse_one_model(text).map(Models::One).map_err(|message| format!("{message}, and `all`"))
}

pub(super) fn parse_engine(text: &str) -> Result<&'static EngineRow, String> {
    let known = || names(ENGINES.iter().map(|row| row.engine.name()));
    EngineRow::by_name(text).ok_or_else(|| {
        format!(
            "the engines are {}; coherence:set, coherence:fd:K, coherence:pd:K and coherence:runs:K fix its abstraction, \
             wsts:sb, wsts:dual and wsts:hsb its machine",
            known()
        )
    })
}

pub(super) fn parse_language(text: &str) -> Result<&'static Language, String> {
    let known = || names(LANGUAGES.iter().map(|language| language.name));
    let found = LANGUAGES.iter().find(|language| language.name.eq_ignore_ascii_case(text));
    found.ok_or_else(|| format!("the languages are {}", known()))
}

/// The number at the start, and the unit behind it.
fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let number = text[..end].parse().ok()?;
    Some((number, text[end..].trim()))
}

pub(super) fn parse_time(text: &str) -> Result<Limit<Duration>, String> {
    if text == "none" {
        return Ok(Limit(None));
    }
    let wrong = || "expected a time such as 30s, 2m, 1h, a number of seconds, or none".to_owned();
    let (number, unit) = number_and_unit(text).ok_or_else(wrong)?;
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    Duration::try_from_secs_f64(number * seconds).map(|time| Limit(Some(time))).map_err(|_| wrong())
}

pub(super) fn parse_size(text: &str) -> Result<Limit<u64>, String> {
    if text == "none" {
        return Ok(Limit(None));
    }
    let wrong = || "expected a size such as 500M, 2G, a number of bytes, or none".to_owned();
    let (number, unit) = number_and_unit(text).ok_or_else(wrong)?;
    let power = match unit.trim_end_matches("iB").trim_end_matches('B') {
        "" => 0,
        "k" | "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        _ => return Err(wrong()),
    };
    // A size past what a float holds exactly is past what a machine holds too; the conversion saturates.
    Ok(Limit(Some((number * 1024f64.powi(power)) as u64)))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::{Args, Command};
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }

    #[test]
    fn times_and_sizes() {
        let seconds = |text| parse_time(text).map(|limit| limit.0.map(|time| time.as_secs_f64()));
        assert_eq!(seconds("30s"), Ok(Some(30.0)));
        assert_eq!(seconds("2m"), Ok(Some(120.0)));
        assert_eq!(seconds("1h"), Ok(Some(3600.0)));
        assert_eq!(seconds("0.5"), Ok(Some(0.5)));
        assert_eq!(seconds("250ms"), Ok(Some(0.25)));
        assert_eq!(seconds("none"), Ok(None));
        for wrong in ["", "s", "-1", "1d", "1e400", "1.2.3"] {
            assert!(parse_time(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_size("500M"), Ok(Limit(Some(524_288_000))));
        assert_eq!(parse_size("2GiB"), Ok(Limit(Some(2_147_483_648))));
        assert_eq!(parse_size("1.5k"), Ok(Limit(Some(1536))));
        assert_eq!(parse_size("7"), Ok(Limit(Some(7))));
        for wrong in ["", "G", "2X", "-2G"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn fences_have_the_names_the_user_gives() {
        let both = Wording { full: Some("smp_mb();".to_owned()), store_store: Some("f(1, 2);".to_owned()) };
        assert_eq!(parse_wording("full=smp_mb();,store=f(1, 2);"), Ok(both.clone()));
        assert_eq!(parse_wording("store=f(1, 2);,full=smp_mb();"), Ok(both));
        assert_eq!(parse_wording(""), Ok(Wording::default()));
        for wrong in ["smp_mb();", "full=", "half=x;", "full=a;\nb;"] {
            assert!(parse_wording(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn models_come_in_the_order_asked_and_once() {
        let models = |text: &str| {
            let args = ["fencewright", "check", "x.rmm", "--model", text];
            match Args::try_parse_from(args).map(|args| args.command) {
                Ok(Command::Check(args)) => Ok(args.models.models()),
                Ok(_) => unreachable!("`check` was typed"),
                Err(error) => Err(error.to_string()),
            }
        };
        assert_eq!(models("pso,SC,pso"), Ok(vec![Model::Pso, Model::Sc]));
        assert_eq!(models("tso,all"), Ok(vec![Model::Tso, Model::Sc, Model::Pso, Model::Slot]));
        assert!(
            models("arm")
                .is_err_and(|text| text.contains("the models are sc, tso, pso, slot, rmo, and `all`"))
        );
    }
}
