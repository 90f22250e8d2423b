//! The results of `fix` in SARIF. Each remedy of a repair is one result: where it belongs, the execution that comes back
//! without it, and its part of the change as a fix. The fixes of all results of a file and model, applied together, give
//! the text that `--write` writes. Of further repairs (`--all`) nothing is said: a result has one place.

use fencewright_engine::{Answer, Guarantee, Verdict};
use fencewright_ir::edit::Remedy;
use fencewright_memory::Model;
use fencewright_synth::{Chosen, Evidence, NotFound, Reason, Repair, Repaired};

use crate::fix::{self, FixReport, Removal, Unneeded};
use crate::rules::{MISSING_FENCE, PROPERTY, UNNEEDED_FENCE};
use crate::sarif::{
    About, ArtifactChange, Content, Fix, Kind, Message, Replacement, SarifResult, artifact, line_of, region,
    sentences,
};
use crate::story::Story;
use crate::terminal::{cause_text, guarantee_text};

pub(crate) fn results(report: &FixReport<'_>) -> Vec<SarifResult> {
    let about =
        About { file: report.file, program: report.program, sources: report.sources, model: report.model };
    let mut results = match report.repair {
        Repair::AlreadySafe(safe) => vec![proved(&about, &safe.proof, &report.checked())],
        Repair::Repaired(repaired) => {
            (0..repaired.remedies.len()).map(|number| needed(report, &about, repaired, number)).collect()
        }
        Repair::WrongUnderSc(_) if report.literal_execution().is_some() => {
            vec![shown_literally(report, &about, "violated under SC too, no fence can help")]
        }
        Repair::WrongUnderSc(wrong) => {
            let no_help = Some("No fence can help".to_owned());
            let sc = About { model: Model::Sc, ..about };
            let mut result = sc.violated(&PROPERTY, &wrong.trace, &wrong.execution, &[no_help]);
            result.properties.model = about.model.name();
            vec![result]
        }
        Repair::NotFound(not_found) => vec![no_repair(report, &about, not_found)],
    };
    results.extend(report.removals.iter().map(|removal| unneeded(report, &about, removal)));
    results
}

/// That there is no repair, by an execution of the literal machine.
fn shown_literally(report: &FixReport<'_>, about: &About<'_>, what: &str) -> SarifResult {
    let name = about.model.name().to_uppercase();
    let execution = report.literal_execution();
    let message = execution.map(|execution| execution.message.clone()).unwrap_or_default();
    let at = execution.and_then(|execution| line_of(about.sources, execution.place.as_ref()?));
    about.result(&PROPERTY, Kind::Error, &sentences([Some(format!("Under {name}: {what}: {message}"))]), at)
}

fn proved(about: &About<'_>, proof: &Answer, asked: &[String]) -> SarifResult {
    let name = about.model.name().to_uppercase();
    if asked.is_empty() {
        let message = format!("Under {name}: the file states no property, so there is nothing to repair.");
        return about.result(&PROPERTY, Kind::NotApplicable, &message, None);
    }
    let how = match &proof.verdict {
        Verdict::Holds(guarantee) => guarantee_text(about.model, guarantee),
        Verdict::Violated(_) | Verdict::Unknown(_) => guarantee_text(about.model, &Guarantee::Unbounded),
    };
    let what = format!("Checked: {}", asked.join("; "));
    let message = sentences([Some(format!("Under {name}: {how}, nothing to repair")), Some(what)]);
    about.result(&PROPERTY, Kind::Pass, &message, None)
}

fn needed(report: &FixReport<'_>, about: &About<'_>, repaired: &Repaired, number: usize) -> SarifResult {
    let Chosen { remedy, cost, evidence, spare: _ } = &repaired.remedies[number];
    let name = report.model.name().to_uppercase();
    let wanted = fix::wanted(report.program, *remedy);
    let literally = report.literally_without(number);
    let need = match evidence {
        _ if literally.is_some() => format!("Under {name}, {wanted} is needed"),
        Some(_) => format!("Under {name}, {wanted} is needed"),
        None => format!("Under {name}, {wanted} is part of the repair; whether it is needed was not decided"),
    };
    let shown = evidence.as_ref().map(|Evidence { program, trace, execution }| {
        // The program of the evidence has the other remedies in place.
        let there = About { program, ..*about };
        let story = Story::new(program, report.sources, trace, execution);
        let text = format!("Without it: {}", there.outcome(execution));
        (text, cause_text(program, &story), there.code_flow(&story))
    });
    let (without, cause, flow) = match (shown, literally) {
        (Some((without, cause, flow)), _) => (Some(without), cause, flow),
        (None, Some(execution)) => {
            (Some(format!("Without it: {}", execution.message)), execution.cause.clone(), None)
        }
        (None, None) => (None, None, None),
    };
    let n = repaired.remedies.len();
    let whole = match n {
        1 => format!("The repair is {}", fix::summary(repaired)),
        _ => format!("It is part {} of {n} of the repair, {}", number + 1, fix::summary(repaired)),
    };
    let message = sentences([Some(need), without, cause, Some(whole)]);
    let at = remedy.span(report.program);
    let mut result = about.result(&MISSING_FENCE, Kind::Error, &message, at);
    result.code_flows = flow.into_iter().collect();
    result.properties.cost = Some(*cost);
    result.properties.minimum = Some(repaired.minimum);
    let part = report.patch.and_then(|patch| patch.parts.get(number)).filter(|part| !part.is_empty());
    result.fixes = part
        .map(|part| {
            let remedies: Vec<Remedy> = repaired.remedies.iter().map(|chosen| chosen.remedy).collect();
            let others_empty = report.patch.is_some_and(|patch| patch.parts[1..].iter().all(Vec::is_empty));
            let description = match n > 1 && others_empty {
                true => format!("Put in all of the repair: {}", fix::tally(&remedies)),
                false => format!("Put in {wanted}"),
            };
            change(report, &description, part)
        })
        .into_iter()
        .collect();
    result
}

fn unneeded(report: &FixReport<'_>, about: &About<'_>, removal: &Removal) -> SarifResult {
    let Removal { statement, edits } = removal;
    let statement = &report.program.statements[*statement];
    let (name, text) = (report.model.name().to_uppercase(), &statement.text);
    let whose = match report.repair {
        Repair::Repaired(_) => "the repaired program",
        _ => "the program",
    };
    let what = Unneeded::of(report.program, removal.statement);
    let message = what.text(report.program, whose, &format!(" under {name}"));
    // A sentence of its own; one that begins with the user's text stays as it is.
    let message = match message.strip_prefix("the ") {
        Some(rest) => format!("The {rest}."),
        None => format!("{message}."),
    };
    let mut result = about.result(&UNNEEDED_FENCE, Kind::Note, &message, statement.span);
    if !edits.is_empty() {
        result.fixes = vec![change(report, &format!("Remove `{text}`"), edits)];
    }
    result
}

fn no_repair(report: &FixReport<'_>, about: &About<'_>, not_found: &NotFound) -> SarifResult {
    let name = report.model.name().to_uppercase();
    let shown = |evidence: &Evidence, kind: Kind, what: String| {
        let Evidence { program, trace, execution } = evidence;
        let there = About { program, ..*about };
        let story = Story::new(program, report.sources, trace, execution);
        let message = sentences([
            Some(format!("Under {name}: {what}: {}", there.outcome(execution))),
            cause_text(program, &story),
        ]);
        let mut result = about.result(&PROPERTY, kind, &message, None);
        result.code_flows = there.code_flow(&story).into_iter().collect();
        result
    };
    let (_, _, what) = fix::not_found(not_found);
    match &not_found.reason {
        Reason::NotRepairable(_) if report.literal_execution().is_some() => {
            shown_literally(report, about, &what)
        }
        Reason::NotRepairable(evidence) => shown(evidence, Kind::Error, what),
        Reason::GaveUp(evidence) | Reason::Refuted(evidence) | Reason::NoHazard(evidence) => {
            shown(evidence, Kind::Open, what)
        }
        Reason::Unproved(_) => {
            let places: Vec<String> = (not_found.candidate.iter())
                .map(|&remedy| fix::place(report.program, report.sources, remedy))
                .collect();
            let candidate = (!places.is_empty()).then(|| format!("The candidate: {}", places.join("; ")));
            let message = sentences([Some(format!("Under {name}: {what}")), candidate]);
            about.result(&PROPERTY, Kind::Open, &message, None)
        }
        Reason::Unavoidable { .. } | Reason::NotInferred { .. } | Reason::NoPairs(_) | Reason::NoPlace => {
            about.result(&PROPERTY, Kind::Open, &format!("Under {name}: {what}."), None)
        }
    }
}

fn change(report: &FixReport<'_>, description: &str, edits: &[fix::Replacement]) -> Fix {
    let replacement = |fix::Replacement { span, text }: &fix::Replacement| Replacement {
        deleted_region: region(report.sources, *span),
        inserted_content: Content { text: text.clone() },
    };
    Fix {
        description: Message::new(description),
        artifact_changes: vec![ArtifactChange {
            artifact_location: artifact(report.file),
            replacements: edits.iter().map(replacement).collect(),
        }],
    }
}
