//! Answers of `fix` that small programs in a file do not give, hand-made: no place for fences, and a search given up. All
//! others are shown by the tests of the command line.

use fencewright_ir::edit::Remedy;
use fencewright_ir::{Program, Side, Site, StatementId};
use fencewright_memory::{Model, replay};
use fencewright_report::fix::{FixReport, details};
use fencewright_report::{json, sarif};
use fencewright_synth::{Evidence, NotFound, Reason, Repair};

use crate::common::{
    Act::{F, S},
    PLAIN, store_buffering, trace,
};

fn evidence(program: &Program) -> Evidence {
    let trace = trace(Model::Tso, &[S(0), S(0), S(0), S(1), F(1, 1), S(1), S(1)]);
    let execution = replay(program, &trace).expect("the execution is possible");
    assert!(execution.violation.is_some());
    Evidence { program: program.clone(), trace, execution }
}

fn validate(schema: &str, text: &str) {
    let path = format!("{}/../../docs/json-schema/{schema}", env!("CARGO_MANIFEST_DIR"));
    let schema = std::fs::read_to_string(path).expect("the schema is there");
    let schema = jsonschema::validator_for(&serde_json::from_str(&schema).expect("the schema is JSON"))
        .expect("the schema is one");
    let value = serde_json::from_str(text).expect("the output is JSON");
    let errors: Vec<String> = schema.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{}\n{text}", errors.join("\n"));
}

fn show(name: &str, reason: fn(Evidence) -> Reason) {
    let sample = store_buffering();
    let site = Site { statement: StatementId(0), side: Side::After };
    let repair = Repair::NotFound(Box::new(NotFound {
        reason: reason(evidence(&sample.program)),
        candidate: vec![Remedy::Fence(site, fencewright_ir::FenceKind::Full)],
        cost: 100,
        exact: false,
        rounds: 32,
    }));
    let report = FixReport {
        file: "sample.rmm",
        program: &sample.program,
        sources: &sample.sources,
        model: Model::Tso,
        repair: &repair,
        patch: None,
        atomic_list: None,
        removals: &[],
        stated: 0,
        looked_for: None,
        literal: None,
    };
    insta::assert_snapshot!(format!("{name}_text"), details(&report, PLAIN));
    let reports = [report];
    let json = json::fix(&reports, Vec::new());
    validate("check-1.json", &json);
    let sarif = sarif::fix(&reports, &[]);
    validate("sarif-2.1.0.json", &sarif);
    let value: serde_json::Value = serde_json::from_str(&sarif).expect("the output is JSON");
    let result = &value["runs"][0]["results"][0];
    let said =
        format!("{} {} {}\n{}", result["kind"], result["level"], result["ruleId"], result["message"]["text"]);
    insta::assert_snapshot!(format!("{name}_sarif"), said);
    assert_eq!(result["codeFlows"][0]["threadFlows"].as_array().map(Vec::len), Some(2));
}

#[test]
fn no_fence_can_be_written_where_it_would_help() {
    show("not_repairable", Reason::NotRepairable);
}

#[test]
fn the_search_was_given_up() {
    show("given_up", Reason::GaveUp);
}
